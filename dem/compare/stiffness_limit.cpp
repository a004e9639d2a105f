#include "dem/compare/stiffness_limit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dem/compare/quantities.hpp"
#include "dem/scene/material.hpp"
#include "dem/soft/motion/time_step.hpp"

namespace scree::compare {

namespace {

/// Whether all forces are continuous, so that the error of a time step is of high order.
bool smooth_and_elastic(const Twins& twins) {
  return std::ranges::all_of(twins.hard.pairs, [](const MaterialPair& pair) {
    return pair.mixed.restitution == 1.0 && pair.mixed.friction == 0.0;
  });
}

/// The mean over pairs of runs. @param of a run's difference between the modes  @param chance that of two hard runs
RelativeError error_of_trajectories(const Moment& moment, double scale, const auto& of) {
  if (!(scale > 0.0)) return {};
  std::vector<double> errors;
  for (const Difference& difference : moment.between) errors.push_back(of(difference) / scale);
  const Estimate found = estimate(errors);
  return {.value = found.value, .error = found.error, .chance = of(moment.chaos) / scale};
}

/// Errors of trajectories, as Limit has them.
std::vector<RelativeError> errors_of(const Moment& moment, double mean_diameter) {
  return {error_of_trajectories(moment, mean_diameter, [](const Difference& d) { return d.position_rms; }),
          error_of_trajectories(moment, moment.rms_velocity, [](const Difference& d) { return d.velocity_mean; })};
}

RelativeError error_of(const Contrast& contrast) {
  return {.value = std::abs(contrast.difference), .error = contrast.error, .chance = contrast.chance()};
}

}  // namespace

Limit limit(const Ensemble& ensemble, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch, const Stop& stop) {
  const Scene& hard = ensemble.twins.front().hard;
  const bool same_steps = smooth_and_elastic(ensemble.twins.front());
  std::vector<Comparison> runs;
  Limit limit;
  for (const double stiffness : stiffnesses) {
    Ensemble stiff = with_stiffness(ensemble, stiffness);
    const double finer = same_steps ? 1.0 : std::sqrt(stiffnesses.front() / stiffness);
    for (Twins& twins : stiff.twins) twins.soft.soft.step.reset();
    for (Twins& twins : std::span(stiff.twins).first(ensemble.soft_runs)) {
      twins.soft.soft.step = finer * soft::time_step(twins.soft).dt;
    }
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
  limit.caveats = {"", ""};
  for (const ComparedQuantity& quantity : quantities(runs.front(), hard)) {
    limit.errors.push_back(quantity.name);
    limit.caveats.push_back(quantity.caveat);
  }
  for (std::size_t k = 0; k < runs.size(); ++k) {
    std::vector<RelativeError>& errors = limit.rows[k].errors;
    errors = errors_of(runs[k].moments[moment], runs[k].mean_diameter);
    errors.resize(limit.errors.size());  // a quantity that one run does not have (no flow) has no error
    for (const ComparedQuantity& quantity : quantities(runs[k], hard)) {
      const auto name = std::ranges::find(limit.errors, quantity.name);
      if (name == limit.errors.end()) continue;
      errors[static_cast<std::size_t>(name - limit.errors.begin())] = error_of(soft_against_hard(quantity));
    }
  }
  return limit;
}

bool beyond_chance(const RelativeError& error) {
  return std::isfinite(error.value) && error.value > error.chance;
}

std::optional<Slope> slope(const Limit& limit, std::size_t error) {
  if (!limit.caveats[error].empty()) return std::nullopt;
  std::vector<LinePoint> points;
  for (const StiffnessRow& row : limit.rows) {
    const RelativeError& found = row.errors[error];
    if (!beyond_chance(found)) continue;
    LinePoint point{std::log(row.stiffness), std::log(found.value)};
    if (found.error && *found.error > 0.0) point.error = *found.error / found.value;
    points.push_back(point);
  }
  return fit_line(points);
}

}  // namespace scree::compare
