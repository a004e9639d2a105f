#pragma once

#include "dem/scene.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// Damping ratio zeta = c / (2 sqrt(m k)) of a linear spring-dashpot whose force is clipped at zero (never pulls) that
/// gives a restitution, and the way back. Strictly falling; restitution 0 is not reachable.
///
/// e = exp(-2 zeta A) with A = atan2(s, zeta)/s, s = sqrt(1 - zeta^2) (asinh(s)/s, s = sqrt(zeta^2 - 1), beyond 1).
/// Source: T. Schwager & T. Poeschel, Granular Matter 9 (2007) 465; derivation in docs/theory.md.
double damping_ratio(double restitution);  ///< @pre 0 < restitution <= 1
double restitution(double damping_ratio);  ///< @pre damping_ratio >= 0

/// Duration of a contact under the clipped linear spring-dashpot [s]. @param omega sqrt(k / m) [1/s]
double contact_time(double damping_ratio, double omega);

/// What a contact's force depends on besides geometry and motion: the two materials, mixed.
struct PairLaw {
  double stiffness;             ///< Y: harmonic mean (springs in series; equal materials keep theirs) [N/m]
  double damping_ratio;         ///< from the smaller restitution
  double friction;              ///< the smaller coefficient
  double tangential_stiffness;  ///< kTangentialRatio * Y [N/m]
};
PairLaw mix(const Material& a, const Material& b);

/// Tangential over normal stiffness.
inline constexpr double kTangentialRatio = 2.0 / 7.0;

/// The relative motion of b against a where they touch, and their masses.
struct Approach {
  double reduced_mass;  ///< m_a m_b / (m_a + m_b); that of the particle against a wall [kg]
  double lever_a;       ///< distance from the centre of mass of a to the overlap's centroid [m]
  double lever_b;       ///< likewise; infinite for a wall [m]
  double speed = 0.0;   ///< with which the bodies approach along the normal, at the chord's midpoint [m/s]
  double spin = 0.0;    ///< angular velocity of b less that of a [rad/s]
};

/// A normal force, and where along the chord it acts.
struct NormalForce {
  double force = 0.0;   ///< >= 0 [N]
  double offset = 0.0;  ///< of its point of attack from the chord's midpoint, along the normal turned by +90 deg [m]
};

/// 1 / l of the area law, l = 4 r_a r_b / (r_a + r_b) [1/m]. A lever shorter than a tenth of the depth counts as that.
double inverse_length(const Approach& approach, double depth);

/// The classical law for polygons: F = Y A / l, l = 4 r_a r_b / (r_a + r_b), with r the distances from the centres of
/// mass to the contact (against a wall, r_b infinite: l = 4 r_a), and a dashpot c = 2 zeta sqrt(m_eff dF/d(depth)) with
/// dF/d(depth) = Y chord / l, since dA/d(depth) is the length of the chord. Never attractive.
///
/// Both act as a bed of springs and dashpots along the chord: the springs' resultant at the centroid of the overlap (as
/// buoyancy does), the dashpots' at the chord's midpoint, with the couple c chord^2/12 against the relative rotation;
/// the common point of attack stays within the chord.
/// Source: H.-J. Tillemans & H. J. Herrmann, Physica A 217 (1995) 261; H.-G. Matuttis & J. Chen, Understanding the
/// Discrete Element Method (2014), ch. 7.
NormalForce area_law(const PairLaw& law, const Overlap& overlap, const Vec2& tangent, const Approach& approach);

/// Linear spring-dashpot for contacts of disks: F = Y depth + c speed, c = 2 zeta sqrt(m_eff Y). Never attractive.
NormalForce linear_law(const PairLaw& law, const Overlap& overlap, const Approach& approach);

/// Coulomb friction by Cundall and Strack's spring, with a dashpot of the normal one's damping ratio.
struct Friction {
  double spring;  ///< elongation after this step, never beyond Coulomb's limit [m]
  double force;   ///< on b along the tangent [N]
  bool sliding;   ///< Coulomb's limit is reached
};
/// @param spring elongation before [m]; @param slip speed of b against a along the tangent [m/s]
/// Source: P. A. Cundall & O. D. L. Strack, Geotechnique 29 (1979) 47.
Friction friction(const PairLaw& law, double reduced_mass, double normal_force, double spring, double slip, double dt);

}  // namespace scree::soft
