#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/contact/force_law.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// Hertz's law of spheres, taken over for disks: F = Y depth sqrt(depth/R), 1/R the sum of the disks' curvatures. In
/// the plane this is a convention (two cylinders have F nearly proportional to the depth): Y is the secant stiffness
/// that is reached at a depth of R.
///
/// Dashpot: 2 zeta sqrt(m_eff F^2/(2W)), that is sqrt(5) zeta sqrt(m_eff Y) (depth/R)^(1/4): with this power of the
/// depth the motion is that of the linear law in the variable depth^(5/4), so the restitution is the same at every
/// speed, and the linear law's. Clipped at zero. Source: Y. Tsuji, T. Tanaka & T. Ishida, Powder Technol. 71 (1992)
/// 239; the variable: S. Antypov & J. A. Elliott, EPL 94 (2011) 50004.
struct HertzLaw {
  static constexpr const char* kName = "hertz";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = true;
  static constexpr bool kReadsRadii = true;  ///< of the bodies: inverse_effective_radius or curvature

  template <class Number>
  static SCREE_WIDE NormalForceOf<Number> force(const PairLawOf<Number>& law, const OverlapSize<Number>& overlap,
                                                const ContactKinematicsOf<Number>& kinematics) {
    using wide::greater, wide::root;
    const Number secant = law.stiffness * root(overlap.depth * kinematics.curvature);
    const Number stiffness = Number(1.25) * secant;
    const Number dashpot = Number(2.0) * law.damping_ratio * root(kinematics.reduced_mass * stiffness);
    const Number spring = secant * overlap.depth;
    return {.force = greater(Number(0.0), spring + dashpot * kinematics.speed),
            .spring_force = spring,
            .stiffness = stiffness};
  }
  /// dF/d(depth) at the deepest that is allowed, 0.4 of the smaller disk's radius, between two that are equal.
  static double greatest_stiffness(double stiffness) {
    constexpr double kDepth = 0.8;  // over R
    return 1.5 * stiffness * std::sqrt(kDepth);
  }
  static double energy(const PairLaw& law, const Overlap& overlap, const ContactKinematics& kinematics) {
    return 0.4 * law.stiffness * std::sqrt(overlap.depth * kinematics.curvature) * overlap.depth * overlap.depth;
  }
};

}  // namespace scree::soft
