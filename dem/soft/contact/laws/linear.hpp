#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/contact/force_law.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// Linear spring-dashpot for contacts of disks: F = Y depth + c speed, c = 2 zeta sqrt(m_eff Y), clipped at zero: never
/// attractive.
struct LinearLaw {
  static constexpr const char* kName = "linear";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = true;
  static constexpr bool kReadsRadii = false;  ///< of the bodies: inverse_effective_radius or curvature

  template <class Number>
  static SCREE_WIDE NormalForceOf<Number> force(const PairLawOf<Number>& law, const OverlapSize<Number>& overlap,
                                                const ContactKinematicsOf<Number>& kinematics) {
    using wide::greater, wide::root;
    const Number dashpot = Number(2.0) * law.damping_ratio * root(kinematics.reduced_mass * law.stiffness);
    const Number spring = law.stiffness * overlap.depth;
    return {.force = greater(Number(0.0), spring + dashpot * kinematics.speed),
            .spring_force = spring,
            .stiffness = law.stiffness};
  }
  static double greatest_stiffness(double stiffness) { return stiffness; }
  static double energy(const PairLaw& law, const Overlap& overlap, const ContactKinematics&) {
    return 0.5 * law.stiffness * overlap.depth * overlap.depth;
  }
};

/// LinearLaw without the clip, as in many codes: the dashpot pulls at the end of the contact.
struct UnclippedLinearLaw : LinearLaw {
  static constexpr const char* kName = "linear_unclipped";
  static constexpr auto kDampingRatio = unclipped_damping_ratio;

  template <class Number>
  static SCREE_WIDE NormalForceOf<Number> force(const PairLawOf<Number>& law, const OverlapSize<Number>& overlap,
                                                const ContactKinematicsOf<Number>& kinematics) {
    using wide::root;
    const Number dashpot = Number(2.0) * law.damping_ratio * root(kinematics.reduced_mass * law.stiffness);
    const Number spring = law.stiffness * overlap.depth;
    return {.force = spring + dashpot * kinematics.speed, .spring_force = spring, .stiffness = law.stiffness};
  }
};

}  // namespace scree::soft
