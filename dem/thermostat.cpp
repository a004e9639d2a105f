#include "dem/thermostat.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/random.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree {

namespace {

/// Of all grains, weighed by mass, along periodic axes; 0 along others.
Vec2 mean_of(const std::vector<Vec2>& velocity, const std::vector<double>& mass, std::array<bool, 2> periodic) {
  Vec2 momentum = Vec2::Zero();
  double all = 0.0;
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    momentum += mass[k] * velocity[k];
    all += mass[k];
  }
  Vec2 mean = Vec2::Zero();
  for (const int axis : {0, 1}) {
    if (periodic[static_cast<std::size_t>(axis)] && all > 0.0) mean[axis] = momentum[axis] / all;
  }
  return mean;
}

/// k T of velocities, or of angular velocities [J].
double temperature_of(const std::vector<Vec2>& own, const ParticleState& grains) {
  double sum = 0.0;
  for (std::size_t k = 0; k < own.size(); ++k) sum += grains.mass[k] * own[k].squaredNorm();
  return sum / (2.0 * static_cast<double>(own.size()));
}
double temperature_of_spins(const ParticleState& grains) {
  double sum = 0.0;
  for (std::size_t k = 0; k < grains.size(); ++k) {
    sum += grains.inertia[k] * grains.angular_velocity[k] * grains.angular_velocity[k];
  }
  return sum / static_cast<double>(grains.size());
}

/// By which what has a temperature gets another one; 1 for what is at rest.
double factor(double wanted, double present) {
  return present > 0.0 ? std::sqrt(wanted / present) : 1.0;
}

/// Velocities beside the common one, and spins, of all grains [m/s, rad/s].
struct Motions {
  std::vector<Vec2> own;
  std::vector<double> spin;
};

void rescale(const Thermostat& thermostat, const ParticleState& grains, Motions& motions) {
  if (grains.size() == 0) return;
  const double moving = factor(thermostat.temperature, temperature_of(motions.own, grains));
  for (Vec2& velocity : motions.own) velocity *= moving;
  if (!thermostat.turns) return;
  const double turning = factor(thermostat.temperature, temperature_of_spins(grains));
  for (double& spin : motions.spin) spin *= turning;
}

/// Kicks, and those of Langevin's equation, whose friction comes first.
void kick(const Thermostat& thermostat, const ParticleState& grains, std::array<bool, 2> periodic, std::uint64_t seed,
          std::uint64_t turn, Motions& motions) {
  const bool has_friction = thermostat.kind == Thermostat::Kind::langevin;
  const double kept = has_friction ? deterministic::exp(-thermostat.rate * thermostat.every) : 1.0;
  const double temperature = has_friction ? thermostat.temperature * (1.0 - kept * kept)
                                          : thermostat.strength * thermostat.every;  // of a unit of mass
  std::vector<Vec2> added(grains.size());
  for (std::size_t k = 0; k < grains.size(); ++k) {
    Random random(seed, random_stream::kThermostat, (turn << 32U) + grains.id[k]);
    const Motion drawn = drawn_motion(random, temperature, thermostat.turns ? temperature : 0.0,
                                      has_friction ? grains.mass[k] : 1.0, grains.inertia[k]);
    added[k] = linear(drawn);
    if (thermostat.turns) motions.spin[k] = kept * motions.spin[k] + drawn.z();
  }
  const Vec2 drift = mean_of(added, grains.mass, periodic);
  for (std::size_t k = 0; k < grains.size(); ++k) motions.own[k] = kept * motions.own[k] + (added[k] - drift);
}

}  // namespace

std::vector<Motion> thermalised(const Thermostat& thermostat, const ParticleState& grains, std::array<bool, 2> periodic,
                                std::uint64_t seed, std::uint64_t turn) {
  const Vec2 common = mean_of(grains.velocity, grains.mass, periodic);
  Motions motions{grains.velocity, grains.angular_velocity};
  for (Vec2& velocity : motions.own) velocity -= common;
  if (thermostat.kind == Thermostat::Kind::rescaling) {
    rescale(thermostat, grains, motions);
  } else {
    kick(thermostat, grains, periodic, seed, turn, motions);
  }
  std::vector<Motion> velocities(grains.size());
  for (std::size_t k = 0; k < grains.size(); ++k) {
    const Vec2 velocity = common + motions.own[k];
    velocities[k] = Motion(velocity.x(), velocity.y(), motions.spin[k]);
  }
  return velocities;
}

void require_sensible(const Thermostat& thermostat, const Scene& scene) {
  constexpr double kMostTurns = 1e9;
  if (scene.end > kMostTurns * thermostat.every) {
    throw InvalidScene("thermostat.every", fmt::format("is {:g}, must be at least {:g} [s], a billionth of time.end",
                                                       thermostat.every, scene.end / kMostTurns));
  }
  if (scene.domain.cell) throw InvalidScene("domain.cell", "must be left out beside a thermostat");
}

double time_of(const Thermostat& thermostat, std::uint64_t turn) {
  const double time = thermostat.from + static_cast<double>(turn) * thermostat.every;
  return thermostat.until && time > *thermostat.until ? std::numeric_limits<double>::infinity() : time;
}

}  // namespace scree
