#include "dem/compare/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>

#include "dem/hard/scene/scene_setup.hpp"
#include "dem/scene.hpp"

namespace scree::compare {

namespace {

/// Values of all runs at the moments from number `first` on. @param figure of the Figures of one run
ComparedQuantity over_time(ComparedQuantity quantity, const Comparison& comparison, std::size_t first,
                           const auto& figure) {
  const auto fill = [&](std::vector<Series>& runs, std::vector<Figures> Moment::*figures) {
    runs.resize((comparison.moments.front().*figures).size());
    for (std::size_t k = first; k < comparison.moments.size(); ++k) {
      const std::vector<Figures>& now = comparison.moments[k].*figures;
      for (std::size_t run = 0; run < now.size(); ++run) {
        runs[run].values.push_back(static_cast<double>(figure(now[run])));
      }
    }
  };
  for (std::size_t k = first; k < comparison.moments.size(); ++k) quantity.x.push_back(comparison.moments[k].time);
  fill(quantity.soft, &Moment::soft);
  fill(quantity.hard, &Moment::hard);
  return quantity;
}

/// @param values of the Averages of one run
ComparedQuantity over_axis(ComparedQuantity quantity, const Comparison& comparison, std::vector<double> x,
                           const auto& values) {
  quantity.compared = Compared::curve;
  quantity.x = std::move(x);
  for (const Averages& run : comparison.soft) quantity.soft.push_back({values(run)});
  for (const Averages& run : comparison.hard) quantity.hard.push_back({values(run)});
  return quantity;
}

/// One value of each row.
std::vector<double> column(const auto& rows, const auto& of) {
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(of(row));
  return values;
}

/// Fills in the theory of each run. @param theory of the Figures of one run at the moment before, or at the start, and
/// at a moment
void add_theory(ComparedQuantity& quantity, const Comparison& comparison, std::size_t first, std::string name,
                const auto& theory) {
  quantity.theory_name = std::move(name);
  const auto fill = [&](std::vector<Series>& runs, std::vector<Figures> Moment::*figures) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      for (std::size_t k = first; k < comparison.moments.size(); ++k) {
        const auto at = [&](std::size_t moment) -> const Figures& {
          return (comparison.moments[moment].*figures)[run];
        };
        runs[run].theory.push_back(theory(at(k > 0 ? k - 1 : 0), at(k)));
      }
    }
  };
  fill(quantity.soft, &Moment::soft);
  fill(quantity.hard, &Moment::hard);
}

/// Whether grains turn each other: polygons do, and rough disks.
bool turn(const Scene& scene) {
  const auto is_rough = [](const MaterialPair& p) { return p.mixed.friction > 0.0; };
  return hard::has_polygons(scene) || std::ranges::any_of(scene.pairs, is_rough);
}

/// Whether no disks enter or leave and no external force acts: what kinetic theory is of.
bool is_closed_gas(const Scene& scene) {
  if (hard::has_polygons(scene)) return false;
  const bool closed = scene.domain.reflecting || (scene.domain.periodic[0] && scene.domain.periodic[1]);
  const bool smooth = std::ranges::all_of(scene.pairs, [](const MaterialPair& p) { return p.mixed.friction == 0.0; });
  return closed && smooth && scene.walls.empty() && scene.gravity.isZero(0.0);
}

/// The restitution of all pairs of materials, if it is the same for all.
std::optional<double> restitution_of_all(const Scene& scene) {
  const double first = scene.pairs.front().mixed.restitution;
  const bool same = std::ranges::all_of(scene.pairs, [&](const auto& p) { return p.mixed.restitution == first; });
  return same ? std::optional(first) : std::nullopt;
}

ComparedQuantity kinetic_energy(const Comparison& comparison, const Scene& scene) {
  ComparedQuantity quantity = over_time({.name = "kinetic_energy", .title = "Kinetic energy", .y_label = "energy [J]"},
                                        comparison, 0, [](const Figures& f) { return f.kinetic_energy; });
  const auto e = restitution_of_all(scene);
  if (!is_closed_gas(scene) || !e || *e == 1.0) return quantity;
  quantity.theory_name = "Haff's law";
  quantity.theory_omits = "t_c (with it collisions lose less, so that the energy is higher), sides and clusters";
  const auto fill = [&](std::vector<Series>& runs, const std::vector<Figures>& start) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const Gas& gas = start[run].gas;
      const double rest = start[run].kinetic_energy - gas.fluctuation_energy;  // rotation, mean motion: do not decay
      for (const double time : quantity.x) runs[run].theory.push_back(rest + cooled_energy(gas, *e, time));
    }
  };
  fill(quantity.soft, comparison.moments.front().soft);
  fill(quantity.hard, comparison.moments.front().hard);
  return quantity;
}

/// Why contacts and collisions do not compare: one lasting contact of a soft bed is many collisions of a hard one.
std::string caveat_of_beds(const Scene& scene) {
  return scene.gravity.isZero(0.0) ? "" : "not comparable where disks rest on one another";
}

ComparedQuantity contacts(const Comparison& comparison, const Scene& scene) {
  return over_time({.name = "contacts",
                    .title = "Contacts begun, collisions",
                    .y_label = "number so far",
                    .compared = Compared::last,
                    .caveat = caveat_of_beds(scene)},
                   comparison, 0, [](const Figures& f) { return f.contacts; });
}

ComparedQuantity collision_rate_of(const Comparison& comparison, const Scene& scene, std::size_t first) {
  ComparedQuantity quantity = over_time({.name = "collision_rate",
                                         .title = "Collisions of a disk with others",
                                         .y_label = "collision rate [1/s]",
                                         .caveat = caveat_of_beds(scene)},
                                        comparison, first, [](const Figures& f) { return f.collision_rate; });
  if (!is_closed_gas(scene)) return quantity;
  add_theory(quantity, comparison, first, "Enskog", [](const Figures& before, const Figures& now) {
    return 0.5 * (collision_rate(before.gas) + collision_rate(now.gas));  // the mean over the time between
  });
  quantity.theory_omits = "sides, near which disks collide more often, and clusters of a gas that cools";
  return quantity;
}

ComparedQuantity pressure_inside(const Comparison& comparison, const Scene& scene, std::size_t first) {
  ComparedQuantity quantity = over_time({.name = "pressure", .title = "Pressure", .y_label = "pressure [N/m]"},
                                        comparison, first, [](const Figures& f) { return f.pressure; });
  if (!is_closed_gas(scene) || restitution_of_all(scene) != 1.0) return quantity;
  add_theory(quantity, comparison, first, "equation of state",
             [](const Figures&, const Figures& now) { return pressure(now.gas); });
  quantity.theory_omits = "sides, which raise the pressure";
  return quantity;
}

/// Disks per second, from the first departure in any of the runs until three quarters of the departures of the hard
/// mode.
std::optional<ComparedQuantity> flow_rate(const Comparison& comparison) {
  const auto& moments = comparison.moments;
  const auto left = [](const std::vector<Figures>& runs) {
    std::uint64_t sum = 0;
    for (const Figures& run : runs) sum += run.left;
    return sum;
  };
  std::size_t first = 0;
  while (first + 1 < moments.size() && left(moments[first + 1].soft) + left(moments[first + 1].hard) == 0) ++first;
  std::size_t last = first;
  while (last + 1 < moments.size() && 4 * left(moments[last].hard) < 3 * left(moments.back().hard)) ++last;
  if (first == last) return std::nullopt;
  ComparedQuantity quantity{.name = "flow_rate", .title = "Flow rate", .y_label = "disks a second [1/s]"};
  const auto fill = [&](std::vector<Series>& runs, std::vector<Figures> Moment::*figures) {
    runs.resize((moments.front().*figures).size());
    for (std::size_t k = first + 1; k <= last; ++k) {
      const double duration = moments[k].time - moments[k - 1].time;
      for (std::size_t run = 0; run < runs.size(); ++run) {
        const std::uint64_t gone = (moments[k].*figures)[run].left - (moments[k - 1].*figures)[run].left;
        runs[run].values.push_back(static_cast<double>(gone) / duration);
      }
    }
  };
  for (std::size_t k = first + 1; k <= last; ++k) quantity.x.push_back(moments[k].time);
  fill(quantity.soft, &Moment::soft);
  fill(quantity.hard, &Moment::hard);
  return quantity;
}

ComparedQuantity radial_distribution(const Comparison& comparison) {
  return over_axis(
      {.name = "radial_distribution", .title = "Radial distribution", .x_label = "distance [m]", .y_label = "g"},
      comparison, comparison.distances, [](const Averages& run) { return run.radial; });
}

ComparedQuantity velocity_distribution(const Comparison& comparison) {
  ComparedQuantity quantity = over_axis(
      {.name = "velocity_distribution",
       .title = "Distribution of a velocity's components",
       .x_label = "velocity in thermal velocities",
       .y_label = "density"},
      comparison, column(comparison.hard.front().velocities, [](const auto& row) { return row.velocity; }),
      [](const Averages& run) { return column(run.velocities, [](const auto& row) { return row.density.mean(); }); });
  constexpr double kNormal = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  std::vector<double> maxwell;
  for (const double v : quantity.x) maxwell.push_back(kNormal * std::exp(-0.5 * v * v));
  quantity.theory_name = "Maxwell";
  quantity.theory_omits = "loss, flow, and that few disks of a given energy have no long tails";
  for (Series& run : quantity.soft) run.theory = maxwell;
  for (Series& run : quantity.hard) run.theory = maxwell;
  return quantity;
}

ComparedQuantity height_profile(const Comparison& comparison) {
  return over_axis(
      {.name = "height_profile", .title = "Height profile", .x_label = "y [m]", .y_label = "packing fraction"},
      comparison, column(comparison.hard.front().heights, [](const auto& row) { return row.y; }),
      [](const Averages& run) { return column(run.heights, [](const auto& row) { return row.packing_fraction; }); });
}

}  // namespace

std::vector<ComparedQuantity> quantities(const Comparison& comparison, const Scene& scene) {
  const Measure asked = scene.measure.value_or(Measure{});
  const bool falls = !scene.gravity.isZero(0.0);
  const std::size_t first = comparison.first_sample;
  const bool measured = first < comparison.moments.size();
  std::vector<ComparedQuantity> found = {kinetic_energy(comparison, scene)};
  found.push_back(contacts(comparison, scene));
  if (measured) found.push_back(collision_rate_of(comparison, scene, first));
  if (measured && !falls) found.push_back(pressure_inside(comparison, scene, first));
  if (measured && !falls && turn(scene)) {
    found.push_back(over_time(
        {.name = "temperature_ratio", .title = "Temperature of rotation over that of translation", .y_label = "ratio"},
        comparison, first, [](const Figures& f) { return f.temperature_ratio; }));
  }
  if (measured && !falls && scene.domain.reflecting) {
    found.push_back(over_time({.name = "wall_pressure", .title = "Pressure on the sides", .y_label = "pressure [N/m]"},
                              comparison, first, [](const Figures& f) { return f.wall_pressure; }));
  }
  if (measured && asked.mean_square_displacement) {
    found.push_back(over_time({.name = "mean_square_displacement",
                               .title = "Mean square displacement",
                               .y_label = "mean square displacement [m²]",
                               .compared = Compared::last},
                              comparison, first, [](const Figures& f) { return f.mean_square_displacement; }));
  }
  if (falls) {
    found.push_back(over_time({.name = "mean_height", .title = "Height of the centre of mass", .y_label = "height [m]"},
                              comparison, 0, [](const Figures& f) { return f.mean_height; }));
  }
  if (auto rate = flow_rate(comparison)) {
    found.push_back(over_time(
        {.name = "left", .title = "Disks that left the domain", .y_label = "number so far", .compared = Compared::last},
        comparison, 0, [](const Figures& f) { return f.left; }));
    found.push_back(std::move(*rate));
  }
  if (measured && asked.height_profile) found.push_back(height_profile(comparison));
  if (measured) found.push_back(radial_distribution(comparison));
  if (measured && asked.velocity_distribution) found.push_back(velocity_distribution(comparison));
  for (ComparedQuantity& quantity : found) quantity.independent = comparison.independent_from().has_value();
  return found;
}

}  // namespace scree::compare
