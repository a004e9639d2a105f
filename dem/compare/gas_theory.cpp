#include "dem/compare/gas_theory.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "dem/measure/layers.hpp"

namespace scree::compare {

Gas gas_of(const ParticleState& particles, double area) {
  Layer all;
  double diameters = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double diameter = 2.0 * particles.radius[i];
    const Vec2& velocity = particles.velocity[i];
    diameters += diameter;
    squares += diameter * diameter;
    all.particles += 1.0;
    all.mass += particles.mass[i];
    all.momentum += particles.mass[i] * velocity;
    all.flow += particles.mass[i] * velocity * velocity.transpose();
  }
  if (particles.size() == 0) return {.area = area};
  return {.disks = all.particles,
          .area = area,
          .packing_fraction = 0.25 * std::numbers::pi * squares / area,
          .mean_diameter = diameters / all.particles,
          .mean_mass = all.mass / all.particles,
          .narrowness = diameters * diameters / (all.particles * squares),
          .temperature = all.temperature(),
          .fluctuation_energy = 0.5 * all.fluctuation().trace()};
}

double compressibility(const Gas& gas) {
  const double eta = gas.packing_fraction;
  const double equal = (1.0 + eta * eta / 8.0) / ((1.0 - eta) * (1.0 - eta));
  return gas.narrowness * equal + (1.0 - gas.narrowness) / (1.0 - eta);
}

double pressure(const Gas& gas) {
  return compressibility(gas) * gas.fluctuation_energy / gas.area;
}

double collision_rate(const Gas& gas) {
  if (!(gas.temperature > 0.0)) return 0.0;
  return 4.0 * (compressibility(gas) - 1.0) / gas.mean_diameter *
         std::sqrt(gas.temperature / (std::numbers::pi * gas.mean_mass));
}

double cooled_energy(const Gas& start, double restitution, double time) {
  const double rate = 0.25 * (1.0 - restitution * restitution) * collision_rate(start);
  return start.fluctuation_energy / std::pow(1.0 + rate * time, 2);
}

}  // namespace scree::compare
