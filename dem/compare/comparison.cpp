#include "dem/compare/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "dem/hard/scene_simulation.hpp"
#include "dem/measure/layers.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/soft/time_step.hpp"

namespace scree::compare {

namespace {

std::uint64_t contacts_so_far(const soft::Simulation& simulation) {
  return simulation.impact_depths().total() + simulation.present_depths().total();
}

std::uint64_t contacts_so_far(const hard::SceneSimulation& simulation) {
  return simulation.counters().collisions + simulation.counters().wall_hits;
}

/// Of translation [J].
double temperature(const ParticleState& particles) {
  Layer all;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec2& velocity = particles.velocity[i];
    all.particles += 1.0;
    all.mass += particles.mass[i];
    all.momentum += particles.mass[i] * velocity;
    all.flow += particles.mass[i] * velocity * velocity.transpose();
  }
  return all.temperature();
}

template <AnySimulation S>
Figures figures(const S& simulation, const ParticleState& particles, const Domain& domain) {
  const Summary summary = simulation.summary();
  Figures found{.kinetic_energy = summary.kinetic_energy,
                .potential_energy = summary.potential_energy,
                .temperature = temperature(particles),
                .contacts = contacts_so_far(simulation)};
  double mass = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double height = particles.position[i].y() - domain.lo.y();
    mass += particles.mass[i];
    found.mean_height += particles.mass[i] * height;
    found.greatest_height = std::max(found.greatest_height, height + particles.radius[i]);
  }
  if (mass > 0.0) found.mean_height /= mass;
  return found;
}

double mean_diameter(const ParticleState& particles) {
  double sum = 0.0;
  for (const double radius : particles.radius) sum += 2.0 * radius;
  return sum / static_cast<double>(particles.size());
}

/// Every second disk a little faster, the others slower.
Scene nudged(Scene scene) {
  double nudge = kNudge;
  for (ParticleGroup& group : scene.particles) {
    for (Placed& disk : std::get<Place>(group.how)) {
      disk.velocity *= 1.0 + nudge;
      nudge = -nudge;
    }
  }
  return scene;
}

/// Wall time that something takes [s].
template <class Do>
double seconds_for(const Do& act) {
  const auto began = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

double rms_velocity(const ParticleState& particles) {
  double sum = 0.0;
  for (const Vec2& velocity : particles.velocity) sum += velocity.squaredNorm();
  return particles.size() > 0 ? std::sqrt(sum / static_cast<double>(particles.size())) : 0.0;
}

/// Slope of the straight line through points (x, y), by least squares.
std::optional<double> slope_of(const std::vector<Vec2>& points) {
  Vec2 mean = Vec2::Zero();
  for (const Vec2& point : points) mean += point / static_cast<double>(points.size());
  double xx = 0.0;
  double xy = 0.0;
  for (const Vec2& point : points) {
    xx += (point - mean).x() * (point - mean).x();
    xy += (point - mean).x() * (point - mean).y();
  }
  if (!(xx > 0.0)) return std::nullopt;
  return xy / xx;
}

/// No force jumps, so that the error of a step is of high order.
bool smooth_and_elastic(const Twins& twins) {
  return std::ranges::all_of(twins.hard.pairs, [](const MaterialPair& pair) {
    return pair.mixed.restitution == 1.0 && pair.mixed.friction == 0.0;
  });
}

/// |soft / hard - 1|
double relative(double soft, double hard) {
  if (soft == hard) return 0.0;
  return hard != 0.0 ? std::abs(soft / hard - 1.0) : std::numeric_limits<double>::infinity();
}

Errors errors_of(const Comparison& run, std::size_t moment) {
  Errors errors;
  const Moment& then = run.moments[moment];
  errors.position = then.between.position_rms / run.mean_diameter;
  errors.velocity = then.rms_velocity > 0.0 ? then.between.velocity_mean / then.rms_velocity : 0.0;
  for (std::size_t k = 1; k < run.moments.size(); ++k) {
    const Moment& now = run.moments[k];
    errors.kinetic_energy += relative(now.soft.kinetic_energy, now.hard.kinetic_energy);
  }
  errors.kinetic_energy /= static_cast<double>(run.moments.size() - 1);
  const Moment& last = run.moments.back();
  errors.contacts = relative(static_cast<double>(last.soft.contacts), static_cast<double>(last.hard.contacts));
  return errors;
}

}  // namespace

double Comparison::mean_free_time() const {
  const Moment& last = moments.back();
  return last.time * static_cast<double>(disks) / (2.0 * static_cast<double>(last.hard.contacts));
}

std::size_t Comparison::parted() const {
  const auto first = std::ranges::find_if(
      moments, [&](const Moment& moment) { return moment.between.position_rms > kParted * mean_diameter; });
  return static_cast<std::size_t>(first - moments.begin());
}

Comparison run(const Twins& twins, int threads, const Watch& watch) {
  soft::Simulation soft(twins.soft, {.threads = threads});
  hard::SceneSimulation hard(twins.hard);
  hard::SceneSimulation other(nudged(twins.hard));
  Comparison comparison;
  comparison.contact_time = contact_time(twins);
  comparison.step = soft.dt();
  comparison.disks = hard.particles();
  comparison.mean_diameter = mean_diameter(hard.state().particles);
  const double every = twins.soft.output_every;
  for (std::uint64_t frame = 0;; ++frame) {
    const double target = std::min(static_cast<double>(frame) * every, twins.soft.end);
    comparison.soft_seconds += seconds_for([&] { soft.advance_to(target); });
    comparison.hard_seconds += seconds_for([&] { hard.advance_to(soft.time()); });
    other.advance_to(soft.time());
    const State soft_state = soft.state();
    const State hard_state = hard.state();
    const auto difference_to_hard = [&](const State& state, std::uint64_t first) {
      return difference(hard_state.particles, twins.first_hard_id(), state.particles, first, twins.hard.domain);
    };
    comparison.moments.push_back({.time = soft.time(),
                                  .soft = figures(soft, soft_state.particles, twins.hard.domain),
                                  .hard = figures(hard, hard_state.particles, twins.hard.domain),
                                  .rms_velocity = rms_velocity(hard_state.particles),
                                  .between = difference_to_hard(soft_state, twins.first_soft_id()),
                                  .chaos = difference_to_hard(other.state(), twins.first_hard_id())});
    watch(comparison.moments.back(), soft_state, hard_state);
    if (soft.has_reached(twins.soft.end)) break;
  }
  comparison.steps = soft.steps();
  return comparison;
}

std::optional<double> chaos_time(const Comparison& comparison) {
  std::vector<Vec2> points;
  for (const Moment& moment : comparison.moments) {
    const double apart = moment.chaos.position_rms;
    if (apart > kParted * comparison.mean_diameter) break;
    if (apart > 0.0) points.emplace_back(moment.time, std::log(apart));
  }
  const auto rate = slope_of(points);
  if (points.size() < 3 || !rate || !(*rate > 0.0)) return std::nullopt;
  return 1.0 / *rate;
}

Limit limit(const Twins& twins, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch) {
  const bool same_steps = smooth_and_elastic(twins);
  std::vector<Comparison> runs;
  Limit limit;
  for (const double stiffness : stiffnesses) {
    Twins stiff = with_stiffness(twins, stiffness);
    stiff.soft.step.reset();
    const double finer = same_steps ? 1.0 : std::sqrt(stiffnesses.front() / stiffness);
    stiff.soft.step = finer * soft::time_step(stiff.soft).dt;
    runs.push_back(run(stiff, threads, [](const Moment&, const State&, const State&) {}));
    const Comparison& done = runs.back();
    limit.rows.push_back({.stiffness = stiffness,
                          .contact_time = done.contact_time,
                          .mean_free_time = done.mean_free_time(),
                          .step = done.step,
                          .steps = done.steps,
                          .soft_seconds = done.soft_seconds});
    watch(limit.rows.back());
  }
  std::size_t parted = runs.front().parted();
  for (const Comparison& done : runs) parted = std::min(parted, done.parted());
  const std::size_t moment = parted - 1;  // at time 0 they are together
  limit.time = runs.front().moments[moment].time;
  for (std::size_t k = 0; k < runs.size(); ++k) limit.rows[k].errors = errors_of(runs[k], moment);
  return limit;
}

std::optional<double> slope(const Limit& limit, double Errors::*error) {
  std::vector<Vec2> points;
  for (const StiffnessRow& row : limit.rows) {
    const double value = row.errors.*error;
    if (value > 0.0 && std::isfinite(value)) points.emplace_back(std::log(row.stiffness), std::log(value));
  }
  return slope_of(points);
}

}  // namespace scree::compare
