#include "dem/hard/reversible/ellipse.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "geometry/deterministic_math.hpp"

namespace scree::hard::reversible {

using std::numbers::pi;

Ellipse::Ellipse(double d_x, double d_y) : mean_radius_(0.5 * (d_x + d_y)), rho_((d_x - d_y) / (d_x + d_y)) {
  if (!(d_x > 0.0 && d_y > 0.0 && std::abs(rho_) <= 0.9)) {
    throw std::invalid_argument(
        fmt::format("an ellipse with semi-axes {} and {}: positive numbers are expected, none "
                    "more than 19 times the other",
                    d_x, d_y));
  }
  std::vector<double> powers = {1.0};  // coefficients of sqrt(1 - z) at z = rho
  while (std::abs(powers.back()) > 0x1p-60) {
    const auto j = static_cast<double>(powers.size() - 1);
    powers.push_back(powers.back() * rho_ * (j - 0.5) / (j + 1.0));
  }
  const auto cosine = [&](std::size_t n) {
    double sum = 0.0;
    for (std::size_t j = powers.size() - n; j-- > 0;) sum += powers[j] * powers[j + n];
    return mean_radius_ * sum;
  };
  mean_speed_ = cosine(0);
  for (std::size_t n = 1; n < powers.size(); ++n) sines_.push_back(cosine(n) / static_cast<double>(n));
}

double Ellipse::circumference() const {
  return 2.0 * pi * mean_speed_;
}

double Ellipse::arc_length(double psi) const {
  const auto [sine, cosine] = deterministic::sincos(2.0 * psi);
  return mean_speed_ * psi + sine * sines_over_first(cosine);
}

/// Sum of the sine series over sin 2 psi, from cos 2 psi: Clenshaw.
double Ellipse::sines_over_first(double cosine) const {
  double b1 = 0.0;
  double b2 = 0.0;
  for (std::size_t n = sines_.size(); n-- > 0;) {
    const double b0 = sines_[n] + 2.0 * cosine * b1 - b2;
    b2 = b1;
    b1 = b0;
  }
  return b1;
}

// Newton's method from the first term of the series; the bracket is for long ellipses.
double Ellipse::parameter_at(double arc) const {
  const double mean = arc / mean_speed_;
  double low = mean - 0.5 * pi;
  double high = mean + 0.5 * pi;
  double psi = sines_.empty() ? mean : mean - sines_[0] / mean_speed_ * deterministic::sincos(2.0 * mean).sin;
  for (int k = 0; k < 100; ++k) {
    const auto [sine, cosine] = deterministic::sincos(2.0 * psi);
    const double error = mean_speed_ * psi + sine * sines_over_first(cosine) - arc;
    (error > 0.0 ? high : low) = psi;
    const double speed = mean_radius_ * std::sqrt(1.0 - 2.0 * rho_ * cosine + rho_ * rho_);
    double next = psi - error / speed;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double step = std::abs(next - psi);
    psi = next;
    if (step < 1e-8) break;  // the next step would be about its square
  }
  return psi;
}

double ellipse_offset(double g) {
  static const Ellipse ellipse(std::numbers::sqrt3, 1.0);
  return ellipse.parameter_at(g * ellipse.circumference());
}

}  // namespace scree::hard::reversible
