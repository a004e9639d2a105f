#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/contact/force_law.hpp"
#include "geometry/overlap.hpp"

namespace scree::soft {

/// The gradient of a potential of the overlap's area, W = (Y/m) A^m / l^(2m - 2), l = 4/(1/R_a + 1/R_b) with the radii
/// of the disks of equal area (a wall's infinite). Since dA = chord d(depth), F = Y A^(m - 1) chord / l^(2m - 2); it
/// acts at the chord's midpoint. Conservative.
///
/// A flat contact pushes with depth^(m - 1), a corner with depth^(2m - 1). Where m = 3/2, W is quadratic at small
/// areas, with the same slope where both meet.
/// Dashpot: 2 zeta sqrt(m_eff F^2/(2W)): the restitution at every speed (docs/theory.md).
/// Source: Y. T. Feng & D. R. J. Owen, Engineering Computations 21 (2004).
template <int TwiceTheExponent>
struct AreaPotential {
  static_assert(TwiceTheExponent == 3 || TwiceTheExponent == 4);
  static constexpr const char* kName = TwiceTheExponent == 4 ? "area_potential" : "area_potential_3_2";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = true;
  static constexpr bool kReadsRadii = true;  ///< of the bodies: inverse_effective_radius or curvature
  static constexpr double kExponent = 0.5 * TwiceTheExponent;

  template <class Number>
  static SCREE_WIDE NormalForceOf<Number> force(const PairLawOf<Number>& law, const OverlapSize<Number>& overlap,
                                                const ContactKinematicsOf<Number>& kinematics) {
    const Number& chord = overlap.chord;
    const Number spring = slope(law.stiffness, overlap.area, kinematics.inverse_effective_radius) * chord;
    const Number stiffness = Number(0.5) * exponent(overlap.area, kinematics.inverse_effective_radius) * spring *
                             chord / overlap.area;  // F^2/(2W)
    return spring_and_dashpots(law, spring, Number(0.0), stiffness, chord, kinematics);
  }

  /// Greatest stiffness: of a flat contact; for m = 3/2 that of a shallow one.
  static double greatest_stiffness(double stiffness, const StiffnessBound& bound) {
    const double area = least_area(bound.inverse_effective_radius);
    return slope(stiffness, area, bound.inverse_effective_radius) * bound.chord * bound.chord / area;
  }

  static double energy(const PairLaw& law, const Overlap& overlap, const std::vector<Vec2>&,
                       const ContactKinematics& kinematics) {
    return slope(law.stiffness, overlap.area, kinematics.inverse_effective_radius) * overlap.area /
           exponent(overlap.area, kinematics.inverse_effective_radius);
  }

 private:
  /// Below this area m = 3/2 goes on as m = 2, or the stiffness of a flat contact would be infinite at the first touch
  /// [m^2].
  template <class Number>
  static SCREE_WIDE Number least_area(const Number& inverse_effective_radius) {
    return Number(4e-3) / (inverse_effective_radius * inverse_effective_radius);
  }

  /// dW/dA [N/m]
  template <class Number>
  static SCREE_WIDE Number slope(const Number& stiffness, const Number& area, const Number& inverse_effective_radius) {
    using wide::less, wide::root, wide::select;
    const Number per_length = Number(0.25) * inverse_effective_radius;
    if constexpr (TwiceTheExponent == 4) return stiffness * area * per_length * per_length;
    const Number least = least_area(inverse_effective_radius);
    return stiffness * per_length * select(less(area, least), area / root(least), root(area));
  }

  /// A dW/dA / W: m, once an area is far from the least.
  template <class Number>
  static SCREE_WIDE Number exponent(const Number& area, const Number& inverse_effective_radius) {
    using wide::less, wide::root, wide::select;
    if constexpr (TwiceTheExponent == 4) return kExponent;
    const Number share = least_area(inverse_effective_radius) / area;
    return select(less(Number(1.0), share), Number(2.0),
                  Number(1.0) / (Number(2.0 / 3.0) - share * root(share) / Number(6.0)));
  }
};

}  // namespace scree::soft
