#pragma once

#include <algorithm>
#include <cmath>

#include "dem/restitution.hpp"
#include "dem/scene/material.hpp"
#include "geometry/wide.hpp"

/// What all force laws share: what they read of a contact, what they return, and what is added to any of them:
/// friction, rolling resistance. Each law for the normal force has a file of its own in laws/.
namespace scree::soft {

/// A law is a template in the kind of its numbers: one double, or W numbers for W contacts side by side
/// (geometry/wide.hpp).

/// What a contact's force depends on besides geometry and motion: the two materials, mixed.
template <class Number>
struct PairLawOf {
  Number stiffness;                 ///< Y [N/m]
  Number damping_ratio;             ///< of the normal dashpot
  Number friction;                  ///< static
  Number dynamic_friction;          ///< while it slides
  Number tangential_stiffness;      ///< [N/m]
  Number tangential_damping_ratio;  ///< of the tangential dashpot
  Number rolling_friction = 0.0;
  Number cohesion = 0.0;  ///< [N/m]
};
struct PairLaw : PairLawOf<double> {
  bool is_ghost = false;  ///< so soft beside both materials that the bodies are meant to pass through each other
};

/// A pair of materials whose given stiffness is less than this share of that of the softer material is a ghost pair.
inline constexpr double kGhostStiffnessRatio = 1e-6;

/// @param of_restitution the law's damping ratio for a restitution
PairLaw pair_law(const Material& mixed, double (*of_restitution)(double));

/// What a law reads of an overlap.
template <class Number>
struct OverlapSize {
  Number area;         ///< [m^2]
  Number depth;        ///< [m]
  Number chord = 0.0;  ///< its length [m]; the laws of disks do not read it
  Number centroid_offset =
      0.0;  ///< of the centroid from the chord's midpoint, along the normal turned by +90 degrees [m]
};

/// The relative motion of two bodies at their contact, their masses and sizes.
template <class Number>
struct ContactKinematicsOf {
  Number reduced_mass;                     ///< m_a m_b / (m_a + m_b); that of the particle against a wall [kg]
  Number lever_arm_a;                      ///< distance from the centre of mass of a to the overlap's centroid [m]
  Number lever_arm_b;                      ///< likewise of b; infinite for a wall [m]
  Number speed = 0.0;                      ///< of approach along the normal, at the chord's midpoint [m/s]
  Number relative_angular_velocity = 0.0;  ///< of b less that of a [rad/s]
  Number inverse_effective_radius = 0.0;   ///< 1/R_a + 1/R_b, radii of disks of equal area; 0 for a wall's [1/m]
  Number curvature = 0.0;                  ///< the same, of the disks among the two only [1/m]
};
using ContactKinematics = ContactKinematicsOf<double>;

/// A normal force, and where along the chord it acts. Offsets are measured from the chord's midpoint along the normal
/// turned by +90 degrees.
template <class Number>
struct NormalForceOf {
  Number force = 0.0;          ///< on b along the normal [N]
  Number offset = 0.0;         ///< of its point of attack [m]
  Number spring_force = 0.0;   ///< of the spring alone, without dashpot and without being cut at zero [N]
  Number spring_offset = 0.0;  ///< of the spring's point of attack [m]
  Number stiffness = 0.0;      ///< about d(force)/d(depth) [N/m]
};

/// What bounds the stiffness of a contact from above, for the time step.
struct StiffnessBound {
  double chord;                     ///< the longest [m]
  double inverse_lever_arm;         ///< sum of the inverse distances of the nearest edges from the centres; 0 for a
                                    ///< wall's [1/m]
  double inverse_effective_radius;  ///< see ContactKinematics [1/m]
};

/// A value between bounds; what is not a number stays so.
template <class Number>
SCREE_WIDE Number clamped(const Number& value, const Number& low, const Number& high) {
  using wide::greater, wide::lesser;
  return lesser(high, greater(low, value));
}

/// A bed of dashpots along the chord beside a spring: their resultant goes through the chord's midpoint, with the
/// couple dashpot chord^2/12 against the relative rotation. The sum is never attractive; its point of attack stays
/// within the chord.
/// @param spring_force [N]  @param spring_offset where it acts [m]
/// @param stiffness k of the dashpot 2 zeta sqrt(m k) [N/m]
template <class Number>
SCREE_WIDE NormalForceOf<Number> spring_and_dashpots(const PairLawOf<Number>& law, const Number& spring_force,
                                                     const Number& spring_offset, const Number& stiffness,
                                                     const Number& chord,
                                                     const ContactKinematicsOf<Number>& kinematics) {
  using wide::less, wide::root, wide::select;
  const Number zero = 0.0;
  const Number dashpot = Number(2.0) * law.damping_ratio * root(kinematics.reduced_mass * stiffness);
  const Number force = spring_force + dashpot * kinematics.speed;
  const auto pushes = less(zero, force);
  const Number moment =
      spring_force * spring_offset + dashpot * chord * chord / Number(12.0) * kinematics.relative_angular_velocity;
  const Number half = Number(0.5) * chord;
  return {select(pushes, force, zero), select(pushes, clamped(moment / force, -half, half), zero), spring_force,
          spring_offset, stiffness};
}

/// Whether something holds: bool for a double, a mask for W numbers.
template <class Number>
using TruthOf = typename wide::TruthOf<Number>::Type;

/// Coulomb friction by Cundall and Strack's spring with a dashpot. A contact sticks up to the static coefficient, and
/// slides with the dynamic one until it would stick with that.
template <class Number>
struct FrictionOf {
  Number displacement = 0.0;     ///< elongation of the spring after this step, never beyond Coulomb's limit [m]
  Number force = 0.0;            ///< on b along the tangent [N]
  TruthOf<Number> sliding = {};  ///< Coulomb's limit is reached
  Number slid = 0.0;             ///< the part of this step's increment by which the contact slid [m]
};
using Friction = FrictionOf<double>;

/// Whether all contacts certainly stick, with springs that are not cut: then no result needs to wait for the limit,
/// behind which there are a division and two clamps.
/// @param law has a static coefficient of friction  @param coefficient of now  @param pressed not negative [N]
/// @param spring force of the spring as it is stretched [N]  @param trial the same with the dashpot [N]
template <class Law, class Number>
SCREE_WIDE bool all_stick(const Law& law, const Number& coefficient, const Number& pressed, const Number& spring,
                          const Number& trial) {
  using wide::greater, wide::in_all_lanes, wide::less, wide::lesser, wide::magnitude;
  return in_all_lanes(less(greater(magnitude(trial), magnitude(spring)), lesser(law.friction, coefficient) * pressed));
}
/// @param before of the last step  @param tangential_velocity of b against a [m/s]
/// @param increment displacement of b against a along the tangent since the last step [m]
/// Source: P. A. Cundall & O. D. L. Strack, Geotechnique 29 (1979) 47.
template <class Number>
SCREE_WIDE FrictionOf<Number> friction(const PairLawOf<Number>& law, const Number& reduced_mass,
                                       const Number& normal_force, const FrictionOf<Number>& before,
                                       const Number& tangential_velocity, const Number& increment) {
  using wide::at_most, wide::greater, wide::less, wide::magnitude, wide::root, wide::select;
  const Number zero = 0.0;
  const Number dashpot = Number(2.0) * law.tangential_damping_ratio * root(reduced_mass * law.tangential_stiffness);
  const Number stretched = before.displacement + increment;
  const Number spring = -law.tangential_stiffness * stretched;
  const Number trial = spring - dashpot * tangential_velocity;
  const Number pressed = greater(zero, normal_force);
  const Number coefficient = select(before.sliding, law.dynamic_friction, law.friction);
  if (all_stick(law, coefficient, pressed, spring, trial)) [[likely]]
    return {stretched, trial, less(zero, zero), zero};
  const auto sliding = at_most(coefficient * pressed, magnitude(trial));
  const Number limit = select(sliding, law.dynamic_friction, law.friction) * pressed;
  const Number longest = limit / law.tangential_stiffness;
  const Number displacement = clamped(stretched, -longest, longest);
  const Number force = -law.tangential_stiffness * displacement - dashpot * tangential_velocity;
  return {displacement, clamped(force, -limit, limit), sliding, stretched - displacement};
}

/// Rolling resistance: the law of friction for the relative rotation, with a spring, a dashpot and a limit that act at
/// the effective radius R: the torque on b is R times the force.
/// Source: K. Iwashita & M. Oda, J. Eng. Mech. 124 (1998) 285; J. Ai et al., Powder Technol. 206 (2011) 269, model C.
/// @param turn of b against a since the last step [rad]
template <class Number>
SCREE_WIDE FrictionOf<Number> rolling(const PairLawOf<Number>& law, const ContactKinematicsOf<Number>& kinematics,
                                      const Number& normal_force, const FrictionOf<Number>& before,
                                      const Number& turn) {
  PairLawOf<Number> of_rolling = law;
  of_rolling.friction = of_rolling.dynamic_friction = law.rolling_friction;
  return friction(of_rolling, kinematics.reduced_mass, normal_force, before,
                  kinematics.relative_angular_velocity / kinematics.inverse_effective_radius,
                  turn / kinematics.inverse_effective_radius);
}

}  // namespace scree::soft
