#pragma once

#include <cstdint>

#include "geometry/vec.hpp"

namespace scree::hard {

/// How the normal restitution depends on the speed of approach.
enum class RestitutionLaw : std::uint8_t {
  constant,  ///< e
  /// 1 - (1 - e) (v / v0)^(3/4) up to v0, e beyond. Source: C. Bizon, M. D. Shattuck, J. B. Swift, W. D. McCormick & H.
  /// L. Swinney, Phys. Rev. Lett. 80 (1998) 57.
  bizon,
  /// Of viscoelastic spheres, a function of (v / v0)^(1/10) that begins with 1 - 1.15345 (v / v0)^(1/5); e is not read.
  /// Source: P. Mueller & T. Poeschel, Phys. Rev. E 84 (2011) 021302: Pade approximant (1, 4) of the series by T.
  /// Schwager & T. Poeschel, Phys. Rev. E 78 (2008) 051304.
  viscoelastic
};

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
  double reference_speed = 1.0;  ///< v0 > 0 of the laws that depend on the speed [m/s]

  bool operator==(const CollisionRule&) const = default;
};

/// Normal velocity after over before of bodies that approach with a speed >= 0 [m/s].
double normal_restitution(const CollisionRule& rule, double speed);

/// The reference speed v0 [m/s] of viscoelastic spheres whose restitution is e in (0, 1) at a speed > 0 [m/s].
double viscoelastic_reference_speed(double restitution, double speed);

/// What a collision changes of a solid disk. A wall has inverse mass 0.
struct Spinner {
  Vec2 velocity;            ///< [m/s]
  double angular_velocity;  ///< [rad/s]
  double radius;            ///< [m]
  double inverse_mass;      ///< [1/kg]
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
/// @return the impulse on b [kg m/s]; a gets the opposite
/// Cost: O(1); a square root with friction only, an exponential and a logarithm with a restitution that depends on
/// speed.
Vec2 collide(const CollisionRule& rule, Spinner& a, Spinner& b, const Vec2& distance, double growth = 0.0);

}  // namespace scree::hard
