#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "dem/scene/material.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// Walton's three-parameter rule. Smooth disks (friction 0) keep their spins; friction without limit makes every
/// contact stick.
///
/// Source: O. R. Walton & R. L. Braun, Acta Mechanica 63 (1986); S. F. Foerster, M. Y. Louge, H. Chang & K. Allia,
/// Phys. Fluids 6 (1994): normal restitution e, friction mu, tangential restitution beta_0 of sticking contacts.
struct CollisionRule {
  double restitution = 1.0;             ///< e in [0, 1]: normal velocity after over before
  double friction = 0.0;                ///< mu >= 0: tangential over normal impulse is at most mu
  double tangential_restitution = 0.0;  ///< beta_0 in [-1, 1]: of a contact that sticks; 1 reverses its velocity
  RestitutionLaw law = RestitutionLaw::constant;
  /// v0 > 0 of the laws that depend on the speed; of viscoelastic spheres, whose e is not read: where the restitution
  /// is 0.399 [m/s].
  double reference_speed = 1.0;

  bool operator==(const CollisionRule&) const = default;
};

/// Normal velocity after over before of bodies that approach with a speed >= 0 [m/s].
double normal_restitution(const CollisionRule& rule, double speed);

/// The reference speed v0 [m/s] of viscoelastic spheres whose restitution is e in (0, 1) at a speed > 0 [m/s].
double viscoelastic_reference_speed(double restitution, double speed);

/// What a collision changes of a solid disk. A wall has inverse mass 0.
struct ImpactBody {
  Vec2 velocity;            ///< [m/s]
  double angular_velocity;  ///< [rad/s]
  double radius;            ///< [m]
  double inverse_mass;      ///< [1/kg]
};

/// What a collision did.
struct Impact {
  Vec2 impulse;                  ///< on b; a got the opposite [N s]
  double lost_normal;            ///< energy that restitution took; what growth gave is not in it [J]
  double lost_tangential;        ///< energy that friction took [J]
  double given_by_growth = 0.0;  ///< of polygons: energy that outlines which grow gave [J]
};

inline void push(ImpactBody& a, ImpactBody& b, const Vec2& impulse) {
  a.velocity -= impulse * a.inverse_mass;
  b.velocity += impulse * b.inverse_mass;
}

/// A grazing or wholly inelastic collision can leave a rest of the approach that is rounding only.
/// @param impulse in units of the distance @param leaving how fast they move apart, times the distance
template <class Leaving>
void push_apart(Impact& impact, ImpactBody& a, ImpactBody& b, const Vec2& distance, double impulse,
                const Leaving& leaving) {
  using Limits = std::numeric_limits<double>;
  if (!(leaving() < 0.0)) [[likely]]
    return;
  for (double rest = std::max(impulse * Limits::epsilon(), Limits::min()); leaving() < 0.0; rest *= 2.0) {
    push(a, b, rest * distance);
    impact.impulse += rest * distance;
  }
}

/// The impulse on b along the distance [kg m/s] after which `distance . (b.velocity - a.velocity)` is `product`
/// [m^2/s].
///
/// Rounding has no preferred sign. Disks of one size collide at one distance, whose square is rounded alike each time,
/// and the energy would drift; so what the first impulse misses is added before it is rounded.
inline Vec2 impulse_to(double product, const ImpactBody& a, const ImpactBody& b, const Vec2& distance) {
  const double mobility = 1.0 / (distance.squaredNorm() * (a.inverse_mass + b.inverse_mass));
  const auto missing = [&](const Vec2& impulse) {
    return product - distance.dot((b.velocity + impulse * b.inverse_mass) - (a.velocity - impulse * a.inverse_mass));
  };
  const double first = (product - distance.dot(b.velocity - a.velocity)) * mobility;  // missing without an impulse
  const Vec2 rest = (missing(first * distance) * mobility) * distance;
  return {std::fma(first, distance.x(), rest.x()), std::fma(first, distance.y(), rest.y())};
}

/// What a collision does along the distance, before it is done.
struct NormalImpact {
  double impulse;  ///< in units of the distance: no square root
  Impact impact;

  NormalImpact(double restitution, const ImpactBody& a, const ImpactBody& b, const Vec2& distance, double growth) {
    const double square = distance.squaredNorm();
    const double approach = growth - distance.dot(b.velocity - a.velocity);
    assert(square > 0.0);
    const Vec2 whole = impulse_to(growth + restitution * approach, a, b, distance);
    impulse = distance.dot(whole) / square;
    impact = {whole, 0.5 * impulse * (1.0 - restitution) * approach, 0.0};
  }
};

/// The jump of Lubachevsky 1991, Eq. (5): the velocities of two touching, approaching bodies right after.
///
/// The impulse is made with the actual distance, not the sum of the radii, so that energy and momentum are kept to
/// rounding whatever rounding did to the positions. Afterwards the disks do not approach, in the very arithmetic that
/// predicts collisions: `distance . (b.velocity - a.velocity) >= growth`.
///
/// @param distance from the centre of a to that of b [m], not zero
/// @param growth half the rate at which the square of the distance at which they touch grows [m^2/s]: the rebound is
///        relative to rims that move outward with the disks' growth
/// Cost: O(1); a square root with friction only, an exponential and a logarithm with a restitution that depends on
/// speed.
Impact collide(const CollisionRule& rule, ImpactBody& a, ImpactBody& b, const Vec2& distance, double growth = 0.0);

/// `collide` without friction, where the restitution is known.
inline Impact collide_smooth(double restitution, ImpactBody& a, ImpactBody& b, const Vec2& distance) {
  NormalImpact normal(restitution, a, b, distance, 0.0);
  push(a, b, normal.impact.impulse);
  push_apart(normal.impact, a, b, distance, normal.impulse, [&] { return distance.dot(b.velocity - a.velocity); });
  return normal.impact;
}

/// Collision of a with an image of b that is faster than b by `drift`.
Impact collide_with_image(const CollisionRule& rule, ImpactBody& a, ImpactBody& b, const Vec2& distance,
                          const Vec2& drift);

}  // namespace scree::hard
