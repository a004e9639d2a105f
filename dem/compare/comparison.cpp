#include "dem/compare/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "dem/compare/quantities.hpp"
#include "dem/hard/scene_simulation.hpp"
#include "dem/measure/measurements.hpp"
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

/// One of the simulations, and what is measured of it.
template <AnySimulation S>
class Measured {
 public:
  Measured(S& simulation, const Scene& scene) : simulation_(simulation), domain_(scene.domain), measurements_(scene) {}

  Figures look(const State& state) {
    const Summary summary = simulation_.summary();
    for (const Departure& departure : simulation_.take_departures()) mass_left_ += departure.mass;
    Figures found{.kinetic_energy = summary.kinetic_energy,
                  .potential_energy = summary.potential_energy,
                  .gas = gas_of(state.particles, (domain_.hi - domain_.lo).prod()),
                  .contacts = contacts_so_far(simulation_),
                  .left = summary.particles_out,
                  .mass_left = mass_left_};
    add_heights(state.particles, found);
    if (state.time < measurements_.measure().from) return found;
    if (const auto sample = measurements_.take(state, simulation_.transfers())) {
      has_sample_ = true;
      found.collision_rate = sample->collision_rate;
      found.pressure = 0.5 * sample->pressure.trace();
      found.wall_pressure = wall_pressure(*sample);
      if (sample->displacement) found.mean_square_displacement = sample->displacement->squares.sum();
    }
    return found;
  }
  bool has_sample() const { return has_sample_; }

  Averages averages() const {
    Averages found;
    if (const auto& radial = measurements_.radial_distribution()) found.radial = radial->rows();
    if (const auto& velocities = measurements_.velocity_distribution()) found.velocities = velocities->rows();
    if (measurements_.measure().height_profile) found.heights = measurements_.height_profile();
    return found;
  }

 private:
  void add_heights(const ParticleState& particles, Figures& found) const {
    double mass = 0.0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const double height = particles.position[i].y() - domain_.lo.y();
      mass += particles.mass[i];
      found.mean_height += particles.mass[i] * height;
      found.greatest_height = std::max(found.greatest_height, height + particles.radius[i]);
    }
    if (mass > 0.0) found.mean_height /= mass;
  }

  double wall_pressure(const Sample& sample) const {
    double sum = 0.0;
    double axes = 0.0;
    for (const int axis : {0, 1}) {
      if (domain_.periodic[static_cast<std::size_t>(axis)]) continue;
      sum += sample.wall_pressure[axis];
      axes += 1.0;
    }
    return axes > 0.0 ? sum / axes : 0.0;
  }

  S& simulation_;
  Domain domain_;
  Measurements measurements_;
  double mass_left_ = 0.0;  // [kg]
  bool has_sample_ = false;
};

double mean_diameter(const ParticleState& particles) {
  double sum = 0.0;
  for (const double radius : particles.radius) sum += 2.0 * radius;
  return sum / static_cast<double>(particles.size());
}

/// Every second disk faster by a share, the others slower.
Scene nudged(Scene scene, double nudge) {
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

/// To a time, if nobody says stop. @param chunk steps or events between two questions
template <AnySimulation S>
void advance(S& simulation, double time, std::uint64_t chunk, const Stop& stop) {
  while (!simulation.has_reached(time) && !(stop && stop())) simulation.advance_to(time, chunk);
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

/// Errors of trajectories as Limit has them. @param difference at that moment
std::vector<double> errors_of(const Difference& difference, const Moment& moment, double mean_diameter) {
  const double speed = moment.rms_velocity;
  return {difference.position_rms / mean_diameter, speed > 0.0 ? difference.velocity_mean / speed : 0.0};
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

Comparison run(const Twins& twins, int threads, const Watch& watch, const Stop& stop) {
  soft::Simulation soft(twins.soft, {.threads = threads});
  hard::SceneSimulation hard(twins.hard);
  hard::SceneSimulation again(nudged(twins.hard, kStir));
  hard::SceneSimulation nearby(nudged(twins.hard, kNudge));
  Measured soft_measured(soft, twins.soft);
  Measured hard_measured(hard, twins.hard);
  Measured again_measured(again, twins.hard);
  const Domain& domain = twins.hard.domain;
  Comparison comparison;
  comparison.contact_time = contact_time(twins);
  comparison.step = soft.dt();
  comparison.disks = hard.particles();
  comparison.mean_diameter = mean_diameter(hard.state().particles);
  const double every = twins.soft.output_every;
  for (std::uint64_t frame = 0;; ++frame) {
    const double target = std::min(static_cast<double>(frame) * every, twins.soft.end);
    comparison.soft_seconds += seconds_for([&] { advance(soft, target, 256, stop); });
    comparison.hard_seconds += seconds_for([&] { advance(hard, soft.time(), 4096, stop); });
    advance(again, soft.time(), 4096, stop);
    advance(nearby, soft.time(), 4096, stop);
    comparison.stopped = frame > 0 && stop && stop();
    if (comparison.stopped) break;
    const State soft_state = soft.state();
    const State hard_state = hard.state();
    const auto difference_to_hard = [&](const State& state, std::uint64_t first) {
      return difference(hard_state.particles, twins.first_hard_id(), state.particles, first, domain);
    };
    comparison.moments.push_back({.time = soft.time(),
                                  .soft = soft_measured.look(soft_state),
                                  .hard = hard_measured.look(hard_state),
                                  .again = again_measured.look(again.state()),
                                  .rms_velocity = rms_velocity(hard_state.particles),
                                  .between = difference_to_hard(soft_state, twins.first_soft_id()),
                                  .chaos = difference_to_hard(nearby.state(), twins.first_hard_id())});
    if (!hard_measured.has_sample()) comparison.first_sample = comparison.moments.size();
    watch(comparison.moments.back(), soft_state, hard_state);
    if (soft.has_reached(twins.soft.end)) break;
  }
  comparison.steps = soft.steps();
  comparison.soft = soft_measured.averages();
  comparison.hard = hard_measured.averages();
  comparison.again = again_measured.averages();
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
  std::size_t parted = runs.front().parted();
  for (const Comparison& done : runs) parted = std::min(parted, done.parted());
  const std::size_t moment = parted - 1;  // at time 0 they are together
  limit.time = runs.front().moments[moment].time;
  limit.errors = {"position", "velocity"};
  for (const Quantity& quantity : quantities(runs.front(), twins.hard)) limit.errors.push_back(quantity.name);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Moment& then = runs[k].moments[moment];
    std::vector<double>& errors = limit.rows[k].errors = errors_of(then.between, then, runs[k].mean_diameter);
    if (k == 0) limit.chance = errors_of(then.chaos, then, runs[k].mean_diameter);
    errors.resize(limit.errors.size());  // what one run does not have, no flow, has no error
    for (const Quantity& quantity : quantities(runs[k], twins.hard)) {
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
