#pragma once

#include <algorithm>
#include <cmath>

#include "dem/restitution.hpp"
#include "dem/scene.hpp"
#include "geometry/overlap.hpp"

/// What all force laws share: what they read of a contact, what they return, and what is added to any of them:
/// friction, rolling resistance. Each law for the normal force has a file of its own in laws/.
namespace scree::soft {

/// What a contact's force depends on besides geometry and motion: the two materials, mixed.
struct PairLaw {
  double stiffness;                 ///< Y [N/m]
  double damping_ratio;             ///< of the normal dashpot
  double friction;                  ///< static
  double dynamic_friction;          ///< while it slides
  double tangential_stiffness;      ///< [N/m]
  double tangential_damping_ratio;  ///< of the tangential dashpot
  double rolling_friction = 0.0;
  double cohesion = 0.0;  ///< [N/m]
  bool is_ghost = false;  ///< so soft beside both materials that the bodies are meant to pass through each other
};

/// A pair of materials whose given stiffness is less than this share of that of the softer material is a ghost pair.
inline constexpr double kGhostStiffnessRatio = 1e-6;

/// @param of_restitution the law's damping ratio for a restitution
PairLaw pair_law(const Material& mixed, double (*of_restitution)(double));

/// The relative motion of two bodies at their contact, their masses and sizes.
struct ContactKinematics {
  double reduced_mass;                     ///< m_a m_b / (m_a + m_b); that of the particle against a wall [kg]
  double lever_arm_a;                      ///< distance from the centre of mass of a to the overlap's centroid [m]
  double lever_arm_b;                      ///< likewise of b; infinite for a wall [m]
  double speed = 0.0;                      ///< of approach along the normal, at the chord's midpoint [m/s]
  double relative_angular_velocity = 0.0;  ///< of b less that of a [rad/s]
  double inverse_effective_radius = 0.0;   ///< 1/R_a + 1/R_b, radii of disks of equal area; 0 for a wall's [1/m]
  double curvature = 0.0;                  ///< the same, of the disks among the two only [1/m]
};

/// A normal force, and where along the chord it acts. Offsets are measured from the chord's midpoint along the normal
/// turned by +90 degrees.
struct NormalForce {
  double force = 0.0;          ///< on b along the normal [N]
  double offset = 0.0;         ///< of its point of attack [m]
  double spring_force = 0.0;   ///< of the spring alone, without dashpot and without being cut at zero [N]
  double spring_offset = 0.0;  ///< of the spring's point of attack [m]
  double stiffness = 0.0;      ///< about d(force)/d(depth) [N/m]
};

/// What bounds the stiffness of a contact from above, for the time step.
struct StiffnessBound {
  double chord;                     ///< the longest [m]
  double inverse_lever_arm;         ///< sum of the inverse distances of the nearest edges from the centres; 0 for a
                                    ///< wall's [1/m]
  double inverse_effective_radius;  ///< see ContactKinematics [1/m]
};

/// A bed of dashpots along the chord beside a spring: their resultant goes through the chord's midpoint, with the
/// couple dashpot chord^2/12 against the relative rotation. The sum is never attractive; its point of attack stays
/// within the chord.
/// @param spring_force [N]  @param spring_offset where it acts [m]
/// @param stiffness k of the dashpot 2 zeta sqrt(m k) [N/m]
inline NormalForce spring_and_dashpots(const PairLaw& law, double spring_force, double spring_offset, double stiffness,
                                       double chord, const ContactKinematics& kinematics) {
  const double dashpot = 2.0 * law.damping_ratio * std::sqrt(kinematics.reduced_mass * stiffness);
  const double force = spring_force + dashpot * kinematics.speed;
  if (!(force > 0.0)) return {.spring_force = spring_force, .spring_offset = spring_offset, .stiffness = stiffness};
  const double moment =
      spring_force * spring_offset + dashpot * chord * chord / 12.0 * kinematics.relative_angular_velocity;
  return {force, std::clamp(moment / force, -0.5 * chord, 0.5 * chord), spring_force, spring_offset, stiffness};
}

/// Coulomb friction by Cundall and Strack's spring with a dashpot. A contact sticks up to the static coefficient, and
/// slides with the dynamic one until it would stick with that.
struct Friction {
  double displacement = 0.0;  ///< elongation of the spring after this step, never beyond Coulomb's limit [m]
  double force = 0.0;         ///< on b along the tangent [N]
  bool sliding = false;       ///< Coulomb's limit is reached
  double slid = 0.0;          ///< the part of this step's increment by which the contact slid [m]
};
/// @param before of the last step  @param tangential_velocity of b against a [m/s]
/// @param increment displacement of b against a along the tangent since the last step [m]
/// Source: P. A. Cundall & O. D. L. Strack, Geotechnique 29 (1979) 47.
inline Friction friction(const PairLaw& law, double reduced_mass, double normal_force, const Friction& before,
                         double tangential_velocity, double increment) {
  const double dashpot = 2.0 * law.tangential_damping_ratio * std::sqrt(reduced_mass * law.tangential_stiffness);
  const double stretched = before.displacement + increment;
  const double trial = -law.tangential_stiffness * stretched - dashpot * tangential_velocity;
  const double pressed = std::max(normal_force, 0.0);
  const bool sliding = std::abs(trial) >= (before.sliding ? law.dynamic_friction : law.friction) * pressed;
  const double limit = (sliding ? law.dynamic_friction : law.friction) * pressed;
  const double longest = limit / law.tangential_stiffness;
  const double displacement = std::clamp(stretched, -longest, longest);
  const double force = -law.tangential_stiffness * displacement - dashpot * tangential_velocity;
  return {displacement, std::clamp(force, -limit, limit), sliding, stretched - displacement};
}

/// Rolling resistance: the law of friction for the relative rotation, with a spring, a dashpot and a limit that act at
/// the effective radius R: the torque on b is R times the force.
/// Source: K. Iwashita & M. Oda, J. Eng. Mech. 124 (1998) 285; J. Ai et al., Powder Technol. 206 (2011) 269, model C.
/// @param turn of b against a since the last step [rad]
Friction rolling(const PairLaw& law, const ContactKinematics& kinematics, double normal_force, const Friction& before,
                 double turn);

}  // namespace scree::soft
