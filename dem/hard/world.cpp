#include "dem/hard/world.hpp"

#include <utility>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/flight/drift.hpp"
#include "dem/hard/flight/packing.hpp"
#include "dem/hard/world_kinds.hpp"

namespace scree::hard {

namespace {

/// @throws InvalidScene if the setup makes no sense
Space space_of(const Setup& setup) {
  validate(setup);
  return {setup.domain, setup.open, setup.gravity, setup.seed};
}

}  // namespace

Flights::Flights(const Setup& setup)
    : space(space_of(setup)),
      rules(setup),
      walls(setup.walls, setup.domain),
      disks(setup, space),
      wells{setup.well, {}},
      compression(setup.growth, setup.growth_share, setup.domain, disks),
      recorder(setup) {
  for (Index i = 0; i < disks.size() && disks.forms().exist(); ++i) {
    const double size = compression.size(disks, i, 0.0);
    disks.scale_inertia(i, size * size);
  }
}

Flights::Flights(const Flights& whole, std::span<const Index> members, Part as)
    : space(whole.space),
      rules(whole.rules),
      walls(whole.walls),
      disks(whole.disks, members),
      wells{whole.wells.well, {}},
      compression(whole.compression),
      rebasing(whole.rebasing),
      watchdog(whole.watchdog),
      recorder(Recorder::of_changes(whole.recorder.records())),
      time(whole.time),
      now(whole.now_on_clock()),
      part(std::move(as)) {}

std::string Flights::name_and_speed(Index i) const {
  const double speed = space.velocity_at(disks.flight(i), now).norm();
  return fmt::format("{}, at {:.3g} m/s", disks.name(i), speed);
}

void Flights::stop(const std::string& why) {
  time = present();
  throw PhysicsError(fmt::format("at {:.9g} s: {}", time, why));
}

CellSums Flights::cell_sums() const {
  CellSums sums = recorder.cell_sums();
  const double until = now_on_clock();
  for (Index i = 0; i < disks.size(); ++i) {
    space.cell.add_flight(disks.flight(i), disks.mass(i), until, sums);
  }
  remove_drift(space, disks, until, sums);
  return sums;
}

void Flights::resume_cell() {
  space.cell.resume();
  space.cell.require_sound(recorder.cell_sums(), now_on_clock());
  space.follow_cell();
  rebasing.end_by(space.cell.end_of_epoch());
}

void Flights::require_no_jam(std::uint64_t changes) {
  constexpr double kJammed = 1e4;  // p V / (N kT): 2e-4 of the packing fraction are left
  const double pressure = recorder.cell_sums().take_reduced_pressure();
  const Components gradient = space.cell.gradient_at(now);
  const bool shrinks = gradient[0] + gradient[1] < 0.0;
  if (!shrinks || changes < rebasing.changes_to_rebase() || !(pressure > kJammed)) return;
  const double fraction = packing_fraction(disks, compression, space.domain_at(now), now);
  stop(
      fmt::format("the disks have jammed: the cell squeezes them at a packing fraction of {:.4g}, where their pressure "
                  "is {:.2g} times that of an ideal gas; end the run, or the strain, before",
                  fraction, pressure));
}

template <FindsNeighbours B, EventQueue Q, class K>
World<B, Q, K>::World(const Setup& setup)
    : Flights(setup), neighbourhood(setup.domain, first_margin(setup)), margin(setup.margin) {
  const double used = neighbourhood.boxes().margin();
  if (used > 0.0 && kBoxSlack * used < 4.0 * tolerance(space.domain, 0.0)) {
    throw InvalidScene("radius", "the disks are too small for coordinates as large as the domain's");
  }
  if (space.cell.exists() && !kCanDeform<B>) {
    throw InvalidScene("broadphase", "is linked_cells, must be another one in a cell that deforms (domain.cell)");
  }
}

#define SCREE_INSTANTIATE(B, Q, K) template struct World<B, Q, K>;
SCREE_FOR_HARD_WORLDS(SCREE_INSTANTIATE)
#undef SCREE_INSTANTIATE

}  // namespace scree::hard
