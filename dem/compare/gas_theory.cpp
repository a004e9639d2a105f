#include "dem/compare/gas_theory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

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
  const double packing_fraction = 0.25 * std::numbers::pi * squares / area;
  return {.disks = all.particles,
          .area = area,
          .packing_fraction = packing_fraction,
          .mean_diameter = diameters / all.particles,
          .mean_mass = all.mass / all.particles,
          .narrowness = diameters * diameters / (all.particles * squares),
          .temperature = all.temperature(),
          .fluctuation_energy = 0.5 * all.fluctuation().trace(),
          .mixture = mixture_factor(particles, packing_fraction)};
}

double mixture_factor(const ParticleState& particles, double packing_fraction) {
  const auto& [least, greatest] = std::ranges::minmax(particles.radius);
  if (least == greatest && std::ranges::min(particles.mass) == std::ranges::max(particles.mass)) return 1.0;
  std::vector<std::size_t> order(particles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return particles.radius[i]; });
  constexpr std::size_t kMost = 64;
  const std::size_t n = std::min(order.size(), kMost);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < n; ++k) chosen.push_back(order[(2 * k + 1) * order.size() / (2 * n)]);
  double diameter = 0.0;
  double square = 0.0;
  double mass = 0.0;
  for (const std::size_t i : chosen) {
    diameter += 2.0 * particles.radius[i] / static_cast<double>(n);
    square += 4.0 * particles.radius[i] * particles.radius[i] / static_cast<double>(n);
    mass += particles.mass[i] / static_cast<double>(n);
  }
  const double eta = packing_fraction;
  const double alone = 1.0 / (1.0 - eta);
  const double equal = (1.0 - 7.0 / 16.0 * eta) * alone * alone;
  double sum = 0.0;
  for (const std::size_t i : chosen) {
    for (const std::size_t j : chosen) {
      const double distance = particles.radius[i] + particles.radius[j];
      const double at_contact =
          alone + (equal - alone) * 4.0 * particles.radius[i] * particles.radius[j] / distance * diameter / square;
      sum += at_contact * distance * std::sqrt(1.0 / particles.mass[i] + 1.0 / particles.mass[j]);
    }
  }
  // The sum for equal disks of the mean size and mass, with the same sum of areas and the pressure of the mixture.
  const double narrowness = diameter * diameter / square;
  const double excess = narrowness * (1.0 + eta * eta / 8.0) * alone * alone + (1.0 - narrowness) * alone - 1.0;
  const double of_equal = excess * square / (eta * diameter) / std::sqrt(mass);
  const double pairs = static_cast<double>(n * n);
  return std::numbers::sqrt2 * sum / pairs / of_equal;
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
  return gas.mixture * 4.0 * (compressibility(gas) - 1.0) / gas.mean_diameter *
         std::sqrt(gas.temperature / (std::numbers::pi * gas.mean_mass));
}

double cooled_energy(const Gas& start, double restitution, double time) {
  const double rate = 0.25 * (1.0 - restitution * restitution) * collision_rate(start);
  return start.fluctuation_energy / std::pow(1.0 + rate * time, 2);
}

}  // namespace scree::compare
