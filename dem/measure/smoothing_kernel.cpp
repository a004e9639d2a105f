#include "dem/measure/smoothing_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

/// erf(b) - erf(a) for a <= b, without loss of digits where both are far out on one side.
double erf_between(double a, double b) {
  if (a > 0.0) return std::erfc(a) - std::erfc(b);
  if (b < 0.0) return std::erfc(-b) - std::erfc(-a);
  return std::erf(b) - std::erf(a);
}

/// Integral over s from a to b of a function of r = hypot(distance, s): that of 1 - 6 r^2 + 8 r^3 - 3 r^4, which is
/// (1 + 3r)(1 - r)^3.
double lucy_primitive(double distance, double s) {
  const double d2 = distance * distance;
  const double r = std::hypot(distance, s);
  const double cubes =
      0.25 * s * r * r * r + 0.375 * d2 * (s * r + (distance > 0.0 ? d2 * std::asinh(s / distance) : 0.0));
  const double squares = s * (d2 + s * s / 3.0);
  const double fourths = s * (d2 * d2 + s * s * (2.0 * d2 / 3.0 + s * s / 5.0));
  return s - 6.0 * squares + 8.0 * cubes - 3.0 * fourths;
}

}  // namespace

double SmoothingKernel::at(const Vec2& offset) const {
  if (kind_ == KernelKind::gauss) {
    const double w2 = width_ * width_;
    return std::exp(-0.5 * offset.squaredNorm() / w2) / (2.0 * std::numbers::pi * w2);
  }
  const double q = offset.norm() / width_;
  if (q >= 1.0) return 0.0;
  const double rest = 1.0 - q;
  return 5.0 / (std::numbers::pi * width_ * width_) * (1.0 + 3.0 * q) * rest * rest * rest;
}

double SmoothingKernel::along(const Vec2& offset, const Vec2& branch) const {
  const double length = branch.norm();
  // The closed forms lose digits with short branches, these nodes are for smooth functions: Lucy's has r^3 at its
  // centre.
  const double shortest = kind_ == KernelKind::gauss ? 0.05 : 1e-4;
  if (length < shortest * width_) {
    constexpr std::array<double, 4> kNodes = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                              0.8611363115940526};
    constexpr std::array<double, 4> kWeights = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                                0.3478548451374538};
    double sum = 0.0;
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      sum += 0.5 * kWeights[k] * at(offset + 0.5 * (1.0 + kNodes[k]) * branch);
    }
    return sum;
  }
  const Vec2 direction = branch / length;
  const double begin = offset.dot(direction);
  const double distance = std::abs(cross(offset, direction));
  if (kind_ == KernelKind::gauss) {
    const double scale = std::numbers::sqrt2 * width_;
    const double across = std::exp(-0.5 * distance * distance / (width_ * width_));
    return across / (std::sqrt(2.0 * std::numbers::pi) * width_ * length) * 0.5 *
           erf_between(begin / scale, (begin + length) / scale);
  }
  if (distance >= width_) return 0.0;
  const double q = distance / width_;
  const double half_chord = std::sqrt((1.0 - q) * (1.0 + q));
  const double a = std::clamp(begin / width_, -half_chord, half_chord);
  const double b = std::clamp((begin + length) / width_, -half_chord, half_chord);
  return 5.0 / (std::numbers::pi * width_ * length) * (lucy_primitive(q, b) - lucy_primitive(q, a));
}

}  // namespace scree
