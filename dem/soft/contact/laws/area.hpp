#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/contact/energy.hpp"
#include "dem/soft/contact/force_law.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// The classical law for polygons: F = Y A / l, l = 4 r_a r_b / (r_a + r_b), with r the distances from the centres of
/// mass to the contact (against a wall, r_b infinite: l = 4 r_a), as a bed of springs along the chord: their resultant
/// goes through the centroid of the overlap, as buoyancy does. Not conservative (docs/theory.md).
///
/// Dashpot: 2 zeta sqrt(m k) with k = F (chord/area + 1/depth)/2, which is Y chord / l for an edge on an edge; for any
/// force that goes with a power of the depth it gives the restitution at every speed (docs/theory.md).
/// Source: H.-J. Tillemans & H. J. Herrmann, Physica A 217 (1995) 261; H.-G. Matuttis & J. Chen, Understanding the
/// Discrete Element Method (2014), ch. 7.
struct AreaLaw {
  static constexpr const char* kName = "area";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = false;
  static constexpr bool kReadsRadii = false;  ///< of the bodies: inverse_effective_radius or curvature

  /// 1 / l [1/m]. A lever shorter than a tenth of the depth counts as that.
  template <class Number>
  static SCREE_WIDE Number inverse_length(const ContactKinematicsOf<Number>& kinematics, const Number& depth) {
    using wide::greater;
    const Number least = Number(0.1) * depth;  // a contact so near to the centre is past every guard
    return Number(0.25) * (Number(1.0) / greater(least, kinematics.lever_arm_a) +
                           Number(1.0) / greater(least, kinematics.lever_arm_b));
  }

  template <class Number>
  static SCREE_WIDE NormalForceOf<Number> force(const PairLawOf<Number>& law, const OverlapSize<Number>& overlap,
                                                const ContactKinematicsOf<Number>& kinematics) {
    const Number per_length = law.stiffness * inverse_length(kinematics, overlap.depth);
    const Number stiffness = Number(0.5) * per_length * (overlap.chord + overlap.area / overlap.depth);
    return spring_and_dashpots(law, per_length * overlap.area, overlap.centroid_offset, stiffness, overlap.chord,
                               kinematics);
  }

  static double greatest_stiffness(double stiffness, const StiffnessBound& bound) {
    return stiffness * bound.chord * 0.25 * bound.inverse_lever_arm;
  }

  /// That of the bed of springs as it stands; no expression is exact for this law [J].
  /// @param region the overlap itself
  static double energy(const PairLaw& law, const Overlap& overlap, const std::vector<Vec2>& region,
                       const ContactKinematics& kinematics) {
    return law.stiffness * inverse_length(kinematics, overlap.depth) * half_squared_thickness(region, overlap.normal);
  }
};

}  // namespace scree::soft
