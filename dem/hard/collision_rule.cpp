#include "dem/hard/collision_rule.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace scree::hard {

namespace {

void push(Spinner& a, Spinner& b, const Vec2& impulse) {
  a.velocity -= impulse * a.inverse_mass;
  b.velocity += impulse * b.inverse_mass;
}

/// Tangential impulse on b along perp(distance). A solid disk's inertia is m r^2 / 2: it resists a push at its rim with
/// a third of its mass.
double tangential_impulse(const CollisionRule& rule, const Spinner& a, const Spinner& b, const Vec2& tangent,
                          double normal_impulse) {
  const double slip =
      tangent.dot(b.velocity - a.velocity) - (a.radius * a.angular_velocity + b.radius * b.angular_velocity);
  const double sticking = -(1.0 + rule.tangential_restitution) * slip / (3.0 * (a.inverse_mass + b.inverse_mass));
  const double limit = rule.friction * normal_impulse;
  return std::clamp(sticking, -limit, limit);
}

}  // namespace

Vec2 collide(const CollisionRule& rule, Spinner& a, Spinner& b, const Vec2& distance) {
  const double square = distance.squaredNorm();
  const double approach = -distance.dot(b.velocity - a.velocity);
  assert(square > 0.0);
  // Impulses along the distance are in units of it: no square root.
  const double impulse = (1.0 + rule.restitution) * approach / (square * (a.inverse_mass + b.inverse_mass));
  Vec2 total = impulse * distance;
  if (rule.friction > 0.0) {
    const double length = std::sqrt(square);
    const Vec2 tangent = perp(distance) / length;
    const double tangential = tangential_impulse(rule, a, b, tangent, impulse * length);
    if (a.inverse_mass > 0.0) a.angular_velocity -= 2.0 * a.inverse_mass * tangential / a.radius;
    if (b.inverse_mass > 0.0) b.angular_velocity -= 2.0 * b.inverse_mass * tangential / b.radius;
    total += tangential * tangent;
  }
  push(a, b, total);
  // A grazing or wholly inelastic collision can leave a rest of the approach that is rounding only.
  using Limits = std::numeric_limits<double>;
  for (double rest = std::max(impulse * Limits::epsilon(), Limits::min()); distance.dot(b.velocity - a.velocity) < 0.0;
       rest *= 2.0) {
    push(a, b, rest * distance);
    total += rest * distance;
  }
  return total;
}

}  // namespace scree::hard
