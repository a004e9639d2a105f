#pragma once

#include <algorithm>
#include <cmath>

#include "dem/scene.hpp"
#include "dem/soft/restitution.hpp"
#include "geometry/overlap.hpp"

/// What all force laws share: what they are told about a contact, what they answer, and what goes beside any of them:
/// friction, rolling resistance. The laws for the normal force have a file each in laws/.
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
  bool passable = false;  ///< so soft beside both materials that the bodies are meant to pass through each other
};

/// A pair of materials given less than this share of the stiffness of the softer one is passable.
inline constexpr double kPassable = 1e-6;

/// Materials in contact: springs in series (harmonic mean), the smaller restitution (the stronger damping), and the
/// smaller of every other property.
Material mix(const Material& a, const Material& b);
/// What the scene says about two of its materials: the pair it gives, or else the mixture.
Material mix(const Scene& scene, int a, int b);

/// @param of_restitution the law's damping ratio for a restitution
PairLaw pair_law(const Material& mixed, double (*of_restitution)(double));

/// The relative motion of b against a where they touch, and their masses and sizes.
struct Approach {
  double reduced_mass;     ///< m_a m_b / (m_a + m_b); that of the particle against a wall [kg]
  double lever_a;          ///< distance from the centre of mass of a to the overlap's centroid [m]
  double lever_b;          ///< likewise; infinite for a wall [m]
  double speed = 0.0;      ///< with which the bodies approach along the normal, at the chord's midpoint [m/s]
  double spin = 0.0;       ///< angular velocity of b less that of a [rad/s]
  double per_size = 0.0;   ///< 1/R_a + 1/R_b with the radii of disks of equal area; 0 for a wall's [1/m]
  double curvature = 0.0;  ///< sum of those of the disks among them [1/m]
};

/// A normal force, and where along the chord it acts. Offsets are those of points of attack from the chord's midpoint,
/// along the normal turned by +90 deg.
struct NormalForce {
  double force = 0.0;          ///< what b feels along the normal [N]
  double offset = 0.0;         ///< [m]
  double spring = 0.0;         ///< what the spring alone would push with [N]
  double spring_offset = 0.0;  ///< [m]
  double stiffness = 0.0;      ///< about d(force)/d(depth) [N/m]
};

/// The greatest stiffness that a grain can meet, for the time step: what it is told about the two bodies.
struct Meeting {
  double chord;      ///< the longest [m]
  double per_lever;  ///< sum of the inverse distances of the nearest edges from the centres; 0 for a wall's [1/m]
  double per_size;   ///< see Approach [1/m]
};

/// A bed of dashpots along the chord beside a spring: their resultant goes through the chord's midpoint, with the
/// couple dashpot chord^2/12 against the relative rotation. Never attractive together; the common point of attack stays
/// within the chord.
/// @param spring [N]  @param spring_offset where it acts [m]  @param stiffness k of the dashpot 2 zeta sqrt(m k) [N/m]
inline NormalForce spring_and_dashpots(const PairLaw& law, double spring, double spring_offset, double stiffness,
                                       double chord, const Approach& approach) {
  const double dashpot = 2.0 * law.damping_ratio * std::sqrt(approach.reduced_mass * stiffness);
  const double force = spring + dashpot * approach.speed;
  if (!(force > 0.0)) return {.spring = spring, .spring_offset = spring_offset, .stiffness = stiffness};
  const double moment = spring * spring_offset + dashpot * chord * chord / 12.0 * approach.spin;
  return {force, std::clamp(moment / force, -0.5 * chord, 0.5 * chord), spring, spring_offset, stiffness};
}

/// Coulomb friction by Cundall and Strack's spring with a dashpot. A contact holds up to the static coefficient, and
/// slides with the dynamic one until it would hold with that.
struct Friction {
  double spring = 0.0;   ///< elongation after this step, never beyond Coulomb's limit [m]
  double force = 0.0;    ///< on b along the tangent [N]
  bool sliding = false;  ///< Coulomb's limit is reached
  double slid = 0.0;     ///< by how much the slip of this step was not taken by the spring [m]
};
/// @param before of the last step  @param slip speed of b against a along the tangent [m/s]
/// @param displacement of b against a along the tangent since the last step [m]
/// Source: P. A. Cundall & O. D. L. Strack, Geotechnique 29 (1979) 47.
inline Friction friction(const PairLaw& law, double reduced_mass, double normal_force, const Friction& before,
                         double slip, double displacement) {
  const double dashpot = 2.0 * law.tangential_damping_ratio * std::sqrt(reduced_mass * law.tangential_stiffness);
  const double stretched = before.spring + displacement;
  const double trial = -law.tangential_stiffness * stretched - dashpot * slip;
  const double pressed = std::max(normal_force, 0.0);
  const bool sliding = std::abs(trial) >= (before.sliding ? law.dynamic_friction : law.friction) * pressed;
  const double limit = (sliding ? law.dynamic_friction : law.friction) * pressed;
  const double longest = limit / law.tangential_stiffness;
  const double spring = std::clamp(stretched, -longest, longest);
  return {spring, std::clamp(-law.tangential_stiffness * spring - dashpot * slip, -limit, limit), sliding,
          stretched - spring};
}

/// Rolling resistance: friction's law for the relative rotation, with a spring, a dashpot and a limit that act at the
/// rolling radius R, the inverse of per_size: the torque on b is R times the force.
/// Source: K. Iwashita & M. Oda, J. Eng. Mech. 124 (1998) 285; J. Ai et al., Powder Technol. 206 (2011) 269, model C.
/// @param turn of b against a since the last step [rad]
Friction rolling(const PairLaw& law, const Approach& approach, double normal_force, const Friction& before,
                 double turn);

}  // namespace scree::soft
