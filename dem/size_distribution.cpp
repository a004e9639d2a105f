#include "dem/size_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dem/random.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree {

namespace {

/// Box and Muller's.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2.0 * deterministic::log(1.0 - random.uniform()));
  return radius * deterministic::sincos(2.0 * std::numbers::pi * random.uniform()).cos;
}

/// How many grains a class has, but for a factor that all share: the mass of a grain grows as the square of its size,
/// and the mean of 1/d^2 between a and b is 1/(a b).
double number_in(const SizeDistribution::Sieve& a, const SizeDistribution::Sieve& b, bool by_mass) {
  const double share = b.passing - a.passing;
  return by_mass ? share / (a.size * b.size) : share;
}

double drawn_from(const std::vector<SizeDistribution::Sieve>& table, bool by_mass, Random& random) {
  double all = 0.0;
  for (std::size_t k = 1; k < table.size(); ++k) all += number_in(table[k - 1], table[k], by_mass);
  double left = random.uniform() * all;
  const double within = random.uniform();
  std::size_t k = 1;
  for (; k + 1 < table.size(); ++k) {
    const double number = number_in(table[k - 1], table[k], by_mass);
    if (left < number) break;
    left -= number;
  }
  const double a = table[k - 1].size;
  const double b = table[k].size;
  return by_mass ? 1.0 / (1.0 / a - within * (1.0 / a - 1.0 / b)) : a + within * (b - a);
}

}  // namespace

double SizeDistribution::draw(Random& random) const {
  constexpr int kMostTries = 1000;  // of which the narrowest cut that a scene may have needs some fifty
  if (law == Law::uniform) return random.uniform(least, greatest);
  double size = centre;
  if (law == Law::table) {
    size = drawn_from(table, by_mass, random);
  } else {
    for (int k = 0; k < kMostTries; ++k) {
      const double away = deviation * standard_normal(random);
      size = law == Law::normal ? centre + away : centre * deterministic::exp(away);
      if (size >= least && size <= greatest) return size;
    }
    size = centre;
  }
  return std::clamp(size, least, greatest);
}

}  // namespace scree
