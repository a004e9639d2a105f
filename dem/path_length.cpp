#include "dem/path_length.hpp"

#include <cmath>

namespace scree {

double path_length(const Vec2& velocity, const Vec2& acceleration, double time) {
  const double g = acceleration.norm();
  if (g * time < 1e-8 * velocity.norm()) return velocity.norm() * time;  // and no cancellation
  if (g == 0.0) return 0.0;
  const double across = std::abs(cross(acceleration, velocity)) / g;
  const auto integral = [&](double along) {  // of sqrt(across^2 + along^2)
    const double of_arc = across > 0.0 ? across * across * std::asinh(along / across) : 0.0;
    return 0.5 * (along * std::hypot(across, along) + of_arc);
  };
  const double along = acceleration.dot(velocity) / g;
  return (integral(along + g * time) - integral(along)) / g;
}

}  // namespace scree
