#include "dem/compare/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dem/compare/pair_correlation.hpp"
#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"

namespace scree::compare {

namespace {

std::uint64_t contacts_so_far(const soft::Simulation& simulation) {
  return simulation.impact_depths().total() + simulation.present_depths().total();
}

std::uint64_t contacts_so_far(const hard::SceneSimulation& simulation) {
  return simulation.counters().collisions + simulation.counters().wall_hits;
}

/// One of the runs and its measurements.
template <AnySimulation S>
class Measured {
 public:
  /// @param name for messages  @param options of the simulation
  template <class... Options>
  Measured(std::string name, const Scene& scene, const Options&... options)
      : name_(std::move(name)), simulation_(scene, options...), domain_(scene.domain), measurements_(scene) {}

  const S& simulation() const { return simulation_; }

  /// Advances to a time, unless stopped. @param chunk steps or events between two calls of stop
  void advance(double time, std::uint64_t chunk, const Stop& stop) {
    try {
      while (!simulation_.has_reached(time) && !(stop && stop())) simulation_.advance_to(time, chunk);
    } catch (const PhysicsError& error) {
      throw PhysicsError(fmt::format("{}: {}", name_, error.what()));
    }
  }

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
      if (sample->temperature > 0.0) found.temperature_ratio = sample->rotational_temperature / sample->temperature;
      if (sample->displacement) found.mean_square_displacement = sample->displacement->squares.sum();
    }
    return found;
  }
  bool has_sample() const { return has_sample_; }

  Averages averages() const {
    Averages found;
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

  std::string name_;
  S simulation_;
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

/// Wall time of a function call [s].
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

using SoftRun = Measured<soft::Simulation>;
using HardRun = Measured<hard::SceneSimulation>;
constexpr std::uint64_t kSoftChunk = 256;
constexpr std::uint64_t kHardChunk = 4096;

std::string name_of(const Ensemble& ensemble, std::size_t run, const char* mode) {
  if (run == 0) return fmt::format("{} mode", mode);
  return ensemble.reseeded ? fmt::format("{} mode with seed {}", mode, ensemble.seeds[run])
                           : fmt::format("{} mode, run {}", mode, run + 1);
}

/// The states of all runs.
std::vector<State> states(const auto& runs) {
  std::vector<State> found;
  for (const auto& run : runs) found.push_back(run.simulation().state());
  return found;
}

/// What is measured of each run at one moment.
std::vector<Figures> look(auto& runs, const std::vector<State>& states) {
  std::vector<Figures> found;
  for (std::size_t k = 0; k < states.size(); ++k) found.push_back(runs[k].look(states[k]));
  return found;
}

std::vector<Averages> averages(const auto& runs) {
  std::vector<Averages> found;
  for (const auto& run : runs) found.push_back(run.averages());
  return found;
}

}  // namespace

double Comparison::mean_free_time() const {
  const Moment& last = moments.back();
  return last.time * static_cast<double>(disks) / (2.0 * static_cast<double>(last.hard.front().contacts));
}

std::size_t Comparison::diverged() const {
  const auto apart = [&](const Difference& between) { return between.position_rms > kDiverged * mean_diameter; };
  const auto first =
      std::ranges::find_if(moments, [&](const Moment& moment) { return std::ranges::any_of(moment.between, apart); });
  return static_cast<std::size_t>(first - moments.begin());
}

std::optional<double> Comparison::independent_from() const {
  if (reseeded) return 0.0;
  for (const Moment& moment : moments) {
    if (moment.of_twins.position_rms > kDiverged * mean_diameter) return moment.time;
  }
  return std::nullopt;
}

Comparison run(const Ensemble& ensemble, int threads, const Watch& watch, const Stop& stop) {
  const Twins& first = ensemble.twins.front();
  std::deque<SoftRun> softs;
  std::deque<HardRun> hards;
  for (std::size_t k = 0; k < ensemble.twins.size(); ++k) {
    const Twins& twins = ensemble.twins[k];
    if (k < ensemble.soft_runs) {
      softs.emplace_back(name_of(ensemble, k, "soft"), twins.soft, soft::Options{.threads = threads});
    }
    hards.emplace_back(name_of(ensemble, k, "hard"), twins.hard);
  }
  HardRun nearby("hard mode, nudged", stirred(first, kNudge, first.hard.seed).hard);
  const Domain& domain = first.hard.domain;
  Comparison comparison;
  comparison.contact_time = contact_time(first);
  comparison.step = softs.front().simulation().longest_step();
  comparison.disks = hards.front().simulation().particles();
  comparison.mean_diameter = mean_diameter(hards.front().simulation().state().particles);
  comparison.reseeded = ensemble.reseeded;
  const Measure& measure = *first.hard.measure;
  PairCorrelation pairs(first.radial, measure.region, domain, comparison.mean_diameter);
  const double every = first.soft.output_every;
  for (std::uint64_t frame = 0;; ++frame) {
    const double target = std::min(static_cast<double>(frame) * every, first.soft.end);
    for (SoftRun& soft : softs) {
      const double seconds = seconds_for([&] { soft.advance(target, kSoftChunk, stop); });
      if (&soft == &softs.front()) comparison.soft_seconds += seconds;
    }
    const double time = softs.front().simulation().time();
    for (HardRun& hard : hards) {
      const double seconds = seconds_for([&] { hard.advance(time, kHardChunk, stop); });
      if (&hard == &hards.front()) comparison.hard_seconds += seconds;
    }
    nearby.advance(time, kHardChunk, stop);
    comparison.stopped = frame > 0 && stop && stop();
    if (comparison.stopped) break;
    const std::vector<State> soft = states(softs);
    const std::vector<State> hard = states(hards);
    const auto difference_to_hard = [&](std::size_t k, const State& state, std::uint64_t id) {
      return difference(hard[k].particles, first.first_hard_id(), state.particles, id, domain);
    };
    Moment moment{.time = time,
                  .soft = look(softs, soft),
                  .hard = look(hards, hard),
                  .rms_velocity = rms_velocity(hard.front().particles),
                  .between = {},
                  .chaos = difference_to_hard(0, nearby.simulation().state(), first.first_hard_id()),
                  .of_twins = {}};
    for (std::size_t k = 0; k < soft.size(); ++k) {
      moment.between.push_back(difference_to_hard(k, soft[k], first.first_soft_id()));
    }
    if (!ensemble.reseeded) moment.of_twins = difference_to_hard(0, hard[1], first.first_hard_id());
    comparison.moments.push_back(std::move(moment));
    if (hards.front().has_sample()) {
      pairs.add(soft, hard);
    } else {
      comparison.first_sample = comparison.moments.size();
    }
    watch(comparison.moments.back(), soft.front(), hard.front());
    if (softs.front().simulation().has_reached(first.soft.end)) break;
  }
  comparison.steps = softs.front().simulation().steps();
  comparison.soft = averages(softs);
  comparison.hard = averages(hards);
  if (comparison.first_sample == comparison.moments.size()) return comparison;
  comparison.distances = pairs.distances();
  for (std::size_t k = 0; k < softs.size(); ++k) comparison.soft[k].radial = pairs.soft(k);
  for (std::size_t k = 0; k < hards.size(); ++k) comparison.hard[k].radial = pairs.hard(k);
  return comparison;
}

std::optional<Chaos> chaos(const Comparison& comparison) {
  std::vector<LinePoint> points;
  const double disks = static_cast<double>(comparison.disks);
  double greatest = 0.0;
  for (const Moment& moment : comparison.moments) greatest = std::max(greatest, moment.chaos.position_rms);
  const double saturated = std::min(kDiverged * comparison.mean_diameter, greatest / std::numbers::e);
  for (std::size_t k = 1; k < comparison.moments.size(); ++k) {
    const Moment& moment = comparison.moments[k];
    const double apart = moment.chaos.position_rms;
    if (apart > saturated) break;
    const std::uint64_t contacts = moment.hard.front().contacts;
    const bool collide = contacts > comparison.moments[k - 1].hard.front().contacts;
    if (collide && 2.0 * static_cast<double>(contacts) >= disks && apart > 0.0) {
      points.push_back({moment.time, std::log(apart)});
    }
  }
  if (points.size() < kChaosMoments) return std::nullopt;
  const auto rate = fit_line(points);
  if (!rate || !(rate->value > 2.0 * rate->error)) return std::nullopt;
  return Chaos{*rate, points.front().x, points.back().x};
}

}  // namespace scree::compare
