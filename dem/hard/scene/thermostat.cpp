#include "dem/hard/scene/thermostat.hpp"

#include <cmath>
#include <cstddef>

#include "dem/hard/flight/event.hpp"
#include "dem/random.hpp"
#include "dem/state.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard {

namespace {

constexpr std::uint32_t kStream = 0x7000'0000;  // apart from those of dem/insertion and of what io places

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

}  // namespace

std::vector<Motion> thermalised(const Thermostat& thermostat, const ParticleState& grains, std::array<bool, 2> periodic,
                                std::uint64_t seed, std::uint64_t turn) {
  using Kind = Thermostat::Kind;
  const std::size_t count = grains.size();
  const Vec2 common = mean_of(grains.velocity, grains.mass, periodic);
  std::vector<Vec2> own(count);
  std::vector<double> spin = grains.angular_velocity;
  for (std::size_t k = 0; k < count; ++k) own[k] = grains.velocity[k] - common;

  if (thermostat.kind == Kind::rescaling) {
    const double both = count > 0 ? factor(thermostat.temperature, temperature_of(own, grains)) : 1.0;
    const double turning =
        count > 0 && thermostat.turns ? factor(thermostat.temperature, temperature_of_spins(grains)) : 1.0;
    for (Vec2& velocity : own) velocity *= both;
    for (double& one : spin) one *= turning;
  } else {
    const bool remembers = thermostat.kind == Kind::kicks;
    const double kept = remembers ? 1.0 : deterministic::exp(-thermostat.rate * thermostat.every);
    const double variance = remembers ? thermostat.strength * thermostat.every  // over the mass in the other case
                                      : thermostat.temperature * (1.0 - kept * kept);
    std::vector<Vec2> added(count);
    for (std::size_t k = 0; k < count; ++k) {
      Random random(seed, kStream, (turn << 32U) + grains.id[k]);
      const auto [x, y] = random.normals();
      added[k] = std::sqrt(remembers ? variance : variance / grains.mass[k]) * Vec2(x, y);
      if (thermostat.turns) {
        spin[k] = kept * spin[k] + std::sqrt(variance / grains.inertia[k]) * random.normals()[0];
      }
    }
    const Vec2 drift = mean_of(added, grains.mass, periodic);
    for (std::size_t k = 0; k < count; ++k) own[k] = kept * own[k] + (added[k] - drift);
  }

  std::vector<Motion> velocities(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Vec2 velocity = common + own[k];
    velocities[k] = Motion(velocity.x(), velocity.y(), spin[k]);
  }
  return velocities;
}

double time_of(const Thermostat& thermostat, std::uint64_t turn) {
  const double time = thermostat.from + static_cast<double>(turn) * thermostat.every;
  return thermostat.until && time > *thermostat.until ? kNever : time;
}

}  // namespace scree::hard
