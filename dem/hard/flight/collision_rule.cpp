#include "dem/hard/flight/collision_rule.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "geometry/deterministic_math.hpp"

namespace scree::hard {

namespace {

struct TangentialImpact {
  double impulse;  ///< on b, along the tangent [N s]
  double lost;     ///< [J]
};

/// A solid disk's inertia is m r^2 / 2: it resists a push at its rim with a third of its mass.
TangentialImpact tangential_impact(const CollisionRule& rule, const ImpactBody& a, const ImpactBody& b,
                                   const Vec2& tangent, double normal_impulse) {
  const double slip =
      tangent.dot(b.velocity - a.velocity) - (a.radius * a.angular_velocity + b.radius * b.angular_velocity);
  const double mobility = 3.0 * (a.inverse_mass + b.inverse_mass);
  const double sticking = -(1.0 + rule.tangential_restitution) * slip / mobility;
  const double limit = rule.friction * std::max(0.0, normal_impulse);  // by a rounding they may part already
  const double impulse = std::clamp(sticking, -limit, limit);
  return {impulse, -impulse * (slip + 0.5 * impulse * mobility)};
}

double power(double base, double exponent) {
  return deterministic::exp(exponent * deterministic::log(base));
}

/// Restitution of viscoelastic spheres; x is the tenth root of the speed over the reference speed.
double viscoelastic(double x) {
  return (1.0 + 0.501086 * x) / (1.0 + x * (0.501086 + x * (1.15345 + x * (0.577977 + x * 0.532178))));
}

}  // namespace

double normal_restitution(const CollisionRule& rule, double speed) {
  if (rule.law == RestitutionLaw::constant) return rule.restitution;
  if (speed <= 0.0) return 1.0;
  const double ratio = speed / rule.reference_speed;
  if (rule.law == RestitutionLaw::viscoelastic) return viscoelastic(power(ratio, 0.1));
  return ratio < 1.0 ? 1.0 - (1.0 - rule.restitution) * power(ratio, 0.75) : rule.restitution;
}

double viscoelastic_reference_speed(double restitution, double speed) {
  assert(restitution > 0.0 && restitution < 1.0 && speed > 0.0);
  double lo = 0.0;  // the restitution falls from 1 to 0
  double hi = 1.0;
  while (viscoelastic(hi) > restitution) hi *= 2.0;
  for (;;) {
    const double middle = 0.5 * (lo + hi);
    if (!(lo < middle && middle < hi)) return speed / power(hi, 10.0);
    (viscoelastic(middle) > restitution ? lo : hi) = middle;
  }
}

Impact collide(const CollisionRule& rule, ImpactBody& a, ImpactBody& b, const Vec2& distance, double growth) {
  const double square = distance.squaredNorm();
  const double approach = growth - distance.dot(b.velocity - a.velocity);
  const double restitution = rule.law == RestitutionLaw::constant
                                 ? rule.restitution
                                 : normal_restitution(rule, std::max(approach, 0.0) / std::sqrt(square));
  NormalImpact normal(restitution, a, b, distance, growth);
  Impact& impact = normal.impact;
  if (rule.friction > 0.0) {
    const double length = std::sqrt(square);
    const Vec2 tangent = perp(distance) / length;
    const TangentialImpact tangential = tangential_impact(rule, a, b, tangent, normal.impulse * length);
    if (a.inverse_mass > 0.0) a.angular_velocity -= 2.0 * a.inverse_mass * tangential.impulse / a.radius;
    if (b.inverse_mass > 0.0) b.angular_velocity -= 2.0 * b.inverse_mass * tangential.impulse / b.radius;
    impact.impulse += tangential.impulse * tangent;
    impact.lost_tangential = tangential.lost;
  }
  push(a, b, impact.impulse);
  push_apart(impact, a, b, distance, normal.impulse, [&] { return distance.dot(b.velocity - a.velocity) - growth; });
  return impact;
}

Impact collide_with_image(const CollisionRule& rule, ImpactBody& a, ImpactBody& b, const Vec2& distance,
                          const Vec2& drift) {
  ImpactBody of_a = a;
  ImpactBody image = b;
  image.velocity += drift;
  Impact impact = collide(rule, of_a, image, distance);
  a.angular_velocity = of_a.angular_velocity;
  b.angular_velocity = image.angular_velocity;
  push(a, b, impact.impulse);
  push_apart(impact, a, b, distance, distance.dot(impact.impulse) / distance.squaredNorm(),
             [&] { return distance.dot((b.velocity - a.velocity) + drift); });
  return impact;
}

}  // namespace scree::hard
