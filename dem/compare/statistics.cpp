#include "dem/compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace scree::compare {

double mean(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_about_mean(std::span<const double> values) {
  const double middle = mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum;
}

Estimate estimate(std::span<const double> runs) {
  const double n = static_cast<double>(runs.size());
  if (runs.size() < 2) return {.value = mean(runs)};
  return {.value = mean(runs), .error = std::sqrt(squares_about_mean(runs) / (n * (n - 1.0)))};
}

double probability_beyond(double t, std::size_t freedom) {
  const double nu = static_cast<double>(freedom);
  const double angle = std::atan(std::abs(t) / std::sqrt(nu));
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? c : 1.0;
  double sum = freedom == 1 ? 0.0 : term;
  for (double k = odd ? 3.0 : 2.0; k < nu - 1.0; k += 2.0) {
    term *= (k - 1.0) / k * c * c;
    sum += term;
  }
  const double within = odd ? 2.0 / std::numbers::pi * (angle + s * sum) : s * sum;
  return std::clamp(1.0 - within, 0.0, 1.0);
}

double chance_limit(std::size_t freedom) {
  if (freedom == 0) return std::numeric_limits<double>::infinity();
  double lo = 0.0;
  double hi = 64.0;  // 63.7 for one degree of freedom
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (lo + hi);
    (probability_beyond(middle, freedom) > kChance ? lo : hi) = middle;
  }
  return hi;
}

}  // namespace scree::compare
