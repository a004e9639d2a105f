#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/force_law.hpp"

namespace scree::soft {

/// Linear spring-dashpot for contacts of disks: F = Y depth + c speed, c = 2 zeta sqrt(m_eff Y), clipped at zero: never
/// attractive.
struct LinearLaw {
  static constexpr const char* kName = "linear";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = true;

  static NormalForce force(const PairLaw& law, const Overlap& overlap, const ContactKinematics& kinematics) {
    const double dashpot = 2.0 * law.damping_ratio * std::sqrt(kinematics.reduced_mass * law.stiffness);
    const double spring = law.stiffness * overlap.depth;
    return {.force = std::max(spring + dashpot * kinematics.speed, 0.0),
            .spring_force = spring,
            .stiffness = law.stiffness};
  }
  static double greatest_stiffness(double stiffness) { return stiffness; }
  static double energy(const PairLaw& law, const Overlap& overlap, const ContactKinematics&) {
    return 0.5 * law.stiffness * overlap.depth * overlap.depth;
  }
};

/// The same without the clip, as in many codes: the dashpot pulls at the end of the contact.
struct UnclippedLinearLaw : LinearLaw {
  static constexpr const char* kName = "linear_unclipped";
  static constexpr auto kDampingRatio = unclipped_damping_ratio;

  static NormalForce force(const PairLaw& law, const Overlap& overlap, const ContactKinematics& kinematics) {
    const double dashpot = 2.0 * law.damping_ratio * std::sqrt(kinematics.reduced_mass * law.stiffness);
    const double spring = law.stiffness * overlap.depth;
    return {.force = spring + dashpot * kinematics.speed, .spring_force = spring, .stiffness = law.stiffness};
  }
};

}  // namespace scree::soft
