#include "dem/compare/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "dem/compare/least_squares.hpp"
#include "dem/hard/scene_simulation.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/soft/simulation.hpp"

namespace scree::compare {

namespace {

std::uint64_t contacts_so_far(const soft::Simulation& simulation) {
  return simulation.impact_depths().total() + simulation.present_depths().total();
}

std::uint64_t contacts_so_far(const hard::SceneSimulation& simulation) {
  return simulation.counters().collisions + simulation.counters().wall_hits;
}

/// One of the simulations and its measurements.
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

/// Makes every second disk faster by a fraction of its velocity, and the others slower.
Scene nudged(Scene scene, double nudge) {
  for (ParticleGroup& group : scene.particles) {
    for (Placed& disk : std::get<Place>(group.how)) {
      disk.velocity *= 1.0 + nudge;
      nudge = -nudge;
    }
  }
  return scene;
}

/// Wall time of a function call [s].
template <class Do>
double seconds_for(const Do& act) {
  const auto began = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Advances to a time, unless stopped. @param chunk steps or events between two calls of stop
template <AnySimulation S>
void advance(S& simulation, double time, std::uint64_t chunk, const Stop& stop) {
  while (!simulation.has_reached(time) && !(stop && stop())) simulation.advance_to(time, chunk);
}

double rms_velocity(const ParticleState& particles) {
  double sum = 0.0;
  for (const Vec2& velocity : particles.velocity) sum += velocity.squaredNorm();
  return particles.size() > 0 ? std::sqrt(sum / static_cast<double>(particles.size())) : 0.0;
}

}  // namespace

double Comparison::mean_free_time() const {
  const Moment& last = moments.back();
  return last.time * static_cast<double>(disks) / (2.0 * static_cast<double>(last.hard.contacts));
}

std::size_t Comparison::diverged() const {
  const auto first = std::ranges::find_if(
      moments, [&](const Moment& moment) { return moment.between.position_rms > kDiverged * mean_diameter; });
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
    if (apart > kDiverged * comparison.mean_diameter) break;
    if (apart > 0.0) points.emplace_back(moment.time, std::log(apart));
  }
  const auto rate = slope_of(points);
  if (points.size() < 3 || !rate || !(*rate > 0.0)) return std::nullopt;
  return 1.0 / *rate;
}

}  // namespace scree::compare
