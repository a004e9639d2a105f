#include "dem/compare/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace scree::compare {

namespace {

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Values at the moments from number `first` on. @param figure of the Figures of one mode
ComparedQuantity over_time(ComparedQuantity quantity, const Comparison& comparison, std::size_t first,
                           const auto& figure) {
  for (std::size_t k = first; k < comparison.moments.size(); ++k) {
    const Moment& moment = comparison.moments[k];
    quantity.x.push_back(moment.time);
    quantity.soft.push_back(static_cast<double>(figure(moment.soft)));
    quantity.hard.push_back(static_cast<double>(figure(moment.hard)));
    quantity.again.push_back(static_cast<double>(figure(moment.again)));
  }
  return quantity;
}

/// @param rows of the Averages of one mode  @param x, y of a row
ComparedQuantity over_rows(ComparedQuantity quantity, const Comparison& comparison, const auto& rows, const auto& x,
                           const auto& y) {
  quantity.compared = Compared::curve;
  for (const auto& row : rows(comparison.hard)) quantity.x.push_back(x(row));
  const auto take = [&](const Averages& run, std::vector<double>& values) {
    for (const auto& row : rows(run)) values.push_back(y(row));
  };
  take(comparison.soft, quantity.soft);
  take(comparison.hard, quantity.hard);
  take(comparison.again, quantity.again);
  return quantity;
}

/// Whether no disks enter or leave and no external force acts.
bool is_closed_gas(const Scene& scene) {
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
  const Gas& start = comparison.moments.front().hard.gas;
  const double rest = quantity.hard.front() - start.fluctuation_energy;  // rotation and mean motion do not decay
  for (const double time : quantity.x) quantity.theory.push_back(rest + cooled_energy(start, *e, time));
  quantity.theory_name = "Haff's law";
  return quantity;
}

ComparedQuantity pressure_inside(const Comparison& comparison, const Scene& scene, std::size_t first) {
  ComparedQuantity quantity = over_time({.name = "pressure", .title = "Pressure", .y_label = "pressure [N/m]"},
                                        comparison, first, [](const Figures& f) { return f.pressure; });
  if (!is_closed_gas(scene) || restitution_of_all(scene) != 1.0) return quantity;
  for (std::size_t k = first; k < comparison.moments.size(); ++k) {
    quantity.theory.push_back(pressure(comparison.moments[k].hard.gas));
  }
  quantity.theory_name = "Henderson";
  return quantity;
}

/// Disks per second, from the first departure in any of the runs until three quarters of the departures of the hard
/// mode.
std::optional<ComparedQuantity> flow_rate(const Comparison& comparison) {
  const auto& moments = comparison.moments;
  const auto left = [](const Moment& m) { return m.soft.left + m.hard.left + m.again.left; };
  std::size_t first = 0;
  while (first + 1 < moments.size() && left(moments[first + 1]) == 0) ++first;
  std::size_t last = first;
  while (last + 1 < moments.size() && 4 * moments[last].hard.left < 3 * moments.back().hard.left) ++last;
  if (first == last) return std::nullopt;
  ComparedQuantity quantity{.name = "flow_rate", .title = "Flow rate", .y_label = "disks a second [1/s]"};
  for (std::size_t k = first + 1; k <= last; ++k) {
    const double duration = moments[k].time - moments[k - 1].time;
    const auto rate = [&](Figures Moment::*run) {
      return static_cast<double>((moments[k].*run).left - (moments[k - 1].*run).left) / duration;
    };
    quantity.x.push_back(moments[k].time);
    quantity.soft.push_back(rate(&Moment::soft));
    quantity.hard.push_back(rate(&Moment::hard));
    quantity.again.push_back(rate(&Moment::again));
  }
  return quantity;
}

ComparedQuantity radial_distribution(const Comparison& comparison) {
  return over_rows(
      {.name = "radial_distribution", .title = "Radial distribution", .x_label = "distance [m]", .y_label = "g"},
      comparison, [](const Averages& run) -> const auto& { return run.radial; },
      [](const RadialDistribution::Row& row) { return row.distance; },
      [](const RadialDistribution::Row& row) { return row.g; });
}

ComparedQuantity velocity_distribution(const Comparison& comparison) {
  ComparedQuantity quantity = over_rows(
      {.name = "velocity_distribution",
       .title = "Distribution of a velocity's components",
       .x_label = "velocity, in thermal velocities",
       .y_label = "density"},
      comparison, [](const Averages& run) -> const auto& { return run.velocities; },
      [](const VelocityDistribution::Row& row) { return row.velocity; },
      [](const VelocityDistribution::Row& row) { return row.density.mean(); });
  constexpr double kNormal = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  for (const double v : quantity.x) quantity.theory.push_back(kNormal * std::exp(-0.5 * v * v));
  quantity.theory_name = "Maxwell";
  return quantity;
}

ComparedQuantity height_profile(const Comparison& comparison) {
  return over_rows(
      {.name = "height_profile", .title = "Height profile", .x_label = "y [m]", .y_label = "packing fraction"},
      comparison, [](const Averages& run) -> const auto& { return run.heights; },
      [](const Measurements::LayerRow& row) { return row.y; },
      [](const Measurements::LayerRow& row) { return row.packing_fraction; });
}

}  // namespace

double value(const ComparedQuantity& quantity, const std::vector<double>& run) {
  if (quantity.compared == Compared::curve || run.empty()) return 0.0;
  return quantity.compared == Compared::last ? run.back() : mean(run);
}

double difference(const ComparedQuantity& quantity, const std::vector<double>& run) {
  double apart = std::abs(value(quantity, run) - value(quantity, quantity.hard));
  double all = std::abs(value(quantity, quantity.hard));
  if (quantity.compared == Compared::curve) {
    for (std::size_t k = 0; k < run.size(); ++k) {
      apart += std::abs(run[k] - quantity.hard[k]);
      all += std::abs(quantity.hard[k]);
    }
  }
  if (apart == 0.0) return 0.0;
  return all > 0.0 ? apart / all : std::numeric_limits<double>::infinity();
}

double by_chance(const ComparedQuantity& quantity, const Comparison& comparison) {
  return comparison.diverged() < comparison.moments.size() ? difference(quantity, quantity.again) : 0.0;
}

std::vector<ComparedQuantity> quantities(const Comparison& comparison, const Scene& scene) {
  const Measure asked = scene.measure.value_or(Measure{});
  const bool falls = !scene.gravity.isZero(0.0);
  const std::size_t first = comparison.first_sample;
  const bool measured = first < comparison.moments.size();
  std::vector<ComparedQuantity> found = {kinetic_energy(comparison, scene)};
  found.push_back(over_time({.name = "contacts",
                             .title = "Contacts begun, collisions",
                             .y_label = "number so far",
                             .compared = Compared::last},
                            comparison, 0, [](const Figures& f) { return f.contacts; }));
  if (measured) {
    found.push_back(over_time(
        {.name = "collision_rate", .title = "Collisions of a disk with others", .y_label = "collision rate [1/s]"},
        comparison, first, [](const Figures& f) { return f.collision_rate; }));
  }
  if (measured && !falls) found.push_back(pressure_inside(comparison, scene, first));
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
  if (measured && asked.radial_distribution) found.push_back(radial_distribution(comparison));
  if (measured && asked.velocity_distribution) found.push_back(velocity_distribution(comparison));
  return found;
}

}  // namespace scree::compare
