#pragma once

#include "dem/soft/lanes/disks.hpp"
#include "dem/soft/lanes/forces.hpp"
#include "dem/soft/lanes/motion.hpp"
#include "dem/soft/lanes/overlaps.hpp"
#include "dem/soft/lanes/plain.hpp"
#include "dem/soft/lanes/power.hpp"

namespace scree::soft::lanes {

template <int W>
constexpr PlainKernels plain_table() {
  return {.find_touching = find_touching_disks<W>,
          .forces = {plain_forces<W, true, true>, plain_forces<W, true, false>},
          .forces_apart = {plain_forces<W, false, true>, plain_forces<W, false, false>},
          .power = {plain_power<W, true>, plain_power<W, false>},
          .geometry = plain_geometry<W>,
          .measure_at_walls = measure_at_walls<W>,
          .forces_at_walls = forces_at_walls<W>,
          .power_at_walls = power_at_walls<W>};
}

template <int W, class... PolygonLaw, class... DiskLaw>
constexpr Kernels table_of(const PlainKernels* plain, std::tuple<PolygonLaw...>*, std::tuple<DiskLaw...>*) {
  return {.width = W,
          .measure = {nullptr, measure_contacts<W, 0, 1>, measure_contacts<W, 0, 2>,  //
                      measure_contacts<W, 1, 0>, measure_contacts<W, 1, 1>, measure_contacts<W, 1, 2>,
                      measure_contacts<W, 2, 0>, measure_contacts<W, 2, 1>, nullptr},
          .measure_arcs = measure_arcs<W>,
          .measure_disks = measure_disks<W>,
          .measure_only_disks = measure_only_disks<W>,
          .disks_at_edges = disks_at_edges<W>,
          .apart_by_edge_of_a = separate<W, true>,
          .apart_by_edge_of_b = separate<W, false>,
          .disks_apart = separate_disks<W>,
          .plain = plain,
          .add_up = add_up<W>,
          .accelerate = accelerate<W>,
          .polygon_law = {compute_forces<W, PolygonLaw, false>...},
          .disk_law = {compute_forces<W, DiskLaw, false>...},
          .polygon_law_in_flow = {compute_forces<W, PolygonLaw, true>...},
          .disk_law_in_flow = {compute_forces<W, DiskLaw, true>...},
          .add_power = add_power<W, false>,
          .add_power_in_flow = add_power<W, true>,
          .predict = {predict<W, 3>, predict<W, 4>, predict<W, 5>, predict<W, 6>},
          .correct = {correct<W, 3>, correct<W, 4>, correct<W, 5>, correct<W, 6>},
          .place = {place<W>, place_disks<W>},
          .place_by_extremes = place_by_extremes<W>,
          .are_sound = are_sound<W>};
}

/// All kernels of one width. @param plain of the same width, or of the widest that a block of contacts fills
template <int W>
constexpr Kernels table(const PlainKernels* plain) {
  return table_of<W>(plain, static_cast<PolygonLaws*>(nullptr), static_cast<DiskLaws*>(nullptr));
}

}  // namespace scree::soft::lanes
