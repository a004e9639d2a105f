#include "dem/restitution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "geometry/deterministic_math.hpp"

namespace scree {

namespace {

/// A(zeta): half the duration of a clipped contact in units of 1 / omega.
double half_duration(double zeta) {
  const double u = 1.0 - zeta;
  if (std::abs(u) < 1e-3) return 1.0 + u / 3.0 + 2.0 * u * u / 15.0 + 2.0 * u * u * u / 35.0;
  const double s = std::sqrt(std::abs(u) * (1.0 + zeta));
  return u > 0.0 ? deterministic::atan2(s, zeta) / s : deterministic::asinh(s) / s;
}

/// -ln e
double logarithmic_loss(double e) {
  if (!(e > 0.0 && e <= 1.0)) throw std::invalid_argument("restitution must lie in (0, 1]");
  return -deterministic::log(e);
}

}  // namespace

double restitution(double zeta) {
  return deterministic::exp(-2.0 * zeta * half_duration(zeta));
}

double contact_time(double zeta, double omega) {
  return 2.0 * half_duration(zeta) / omega;
}

double damping_ratio(double e) {
  const double target = logarithmic_loss(e);
  constexpr double kCritical = 2.0;  // -ln e at zeta = 1
  double zeta = target < kCritical ? target / std::numbers::pi : 0.5 * deterministic::exp(0.5 * target);
  for (int k = 0; k < 12; ++k) {  // Newton's method, converged to rounding after 12 iterations (tests)
    const double a = half_duration(zeta);
    const double u = 1.0 - zeta;
    const double slope = std::abs(u) < 1e-6 ? 4.0 / 3.0 : 2.0 * (a - zeta) / (u * (1.0 + zeta));
    zeta -= (2.0 * zeta * a - target) / slope;
  }
  return std::max(zeta, 0.0);
}

double unclipped_damping_ratio(double e) {
  const double loss = logarithmic_loss(e);
  return loss / std::sqrt(std::numbers::pi * std::numbers::pi + loss * loss);
}

}  // namespace scree
