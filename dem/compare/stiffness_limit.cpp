#include "dem/compare/stiffness_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dem/compare/least_squares.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/soft/time_step.hpp"

namespace scree::compare {

namespace {

/// Whether all forces are continuous, so that the error of a time step is of high order.
bool smooth_and_elastic(const Twins& twins) {
  return std::ranges::all_of(twins.hard.pairs, [](const MaterialPair& pair) {
    return pair.mixed.restitution == 1.0 && pair.mixed.friction == 0.0;
  });
}

/// Errors of trajectories as Limit has them. @param difference at that moment
std::vector<double> errors_of(const Difference& difference, const Moment& moment, double mean_diameter) {
  const double speed = moment.rms_velocity;
  return {difference.position_rms / mean_diameter, speed > 0.0 ? difference.velocity_mean / speed : 0.0};
}

}  // namespace

Limit limit(const Twins& twins, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch, const Stop& stop) {
  const bool same_steps = smooth_and_elastic(twins);
  std::vector<Comparison> runs;
  Limit limit;
  for (const double stiffness : stiffnesses) {
    Twins stiff = with_stiffness(twins, stiffness);
    stiff.soft.step.reset();
    const double finer = same_steps ? 1.0 : std::sqrt(stiffnesses.front() / stiffness);
    stiff.soft.step = finer * soft::time_step(stiff.soft).dt;
    Comparison done = run(
        stiff, threads, [](const Moment&, const State&, const State&) {}, stop);
    if (done.stopped) break;
    limit.rows.push_back({.stiffness = stiffness,
                          .contact_time = done.contact_time,
                          .mean_free_time = done.mean_free_time(),
                          .step = done.step,
                          .steps = done.steps,
                          .soft_seconds = done.soft_seconds});
    watch(limit.rows.back());
    runs.push_back(std::move(done));
  }
  if (runs.empty()) return limit;
  std::size_t diverged = runs.front().diverged();
  for (const Comparison& done : runs) diverged = std::min(diverged, done.diverged());
  const std::size_t moment = diverged - 1;  // diverged > 0, since the runs start from the same state
  limit.time = runs.front().moments[moment].time;
  limit.errors = {"position", "velocity"};
  for (const ComparedQuantity& quantity : quantities(runs.front(), twins.hard)) limit.errors.push_back(quantity.name);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Moment& then = runs[k].moments[moment];
    std::vector<double>& errors = limit.rows[k].errors = errors_of(then.between, then, runs[k].mean_diameter);
    if (k == 0) limit.chance = errors_of(then.chaos, then, runs[k].mean_diameter);
    errors.resize(limit.errors.size());  // a quantity that one run does not have (no flow) has no error
    for (const ComparedQuantity& quantity : quantities(runs[k], twins.hard)) {
      const auto name = std::ranges::find(limit.errors, quantity.name);
      if (name == limit.errors.end()) continue;
      errors[static_cast<std::size_t>(name - limit.errors.begin())] = difference(quantity, quantity.soft);
      if (k == 0) limit.chance.push_back(by_chance(quantity, runs[k]));
    }
  }
  return limit;
}

std::optional<double> slope(const Limit& limit, std::size_t error) {
  std::vector<Vec2> points;
  for (const StiffnessRow& row : limit.rows) {
    const double value = row.errors[error];
    if (value > limit.chance[error] && std::isfinite(value)) {
      points.emplace_back(std::log(row.stiffness), std::log(value));
    }
  }
  return slope_of(points);
}

}  // namespace scree::compare
