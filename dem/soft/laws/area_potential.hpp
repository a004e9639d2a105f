#pragma once

#include <algorithm>
#include <cmath>

#include "dem/soft/force_law.hpp"

namespace scree::soft {

/// The gradient of a potential of the overlap's area, W = (Y/m) A^m / l^(2m - 2), l = 4/(1/R_a + 1/R_b) with the radii
/// of the disks of equal area (a wall's infinite). Since dA = chord d(depth), F = Y A^(m - 1) chord / l^(2m - 2); it
/// acts at the chord's midpoint. Conservative.
///
/// A flat contact pushes with depth^(m - 1), a corner with depth^(2m - 1).
/// Dashpot: 2 zeta sqrt(m_eff F^2/(2W)): the restitution at every speed (docs/theory.md).
/// Source: Y. T. Feng & D. R. J. Owen, Engineering Computations 21 (2004).
template <int TwiceTheExponent>
struct AreaPotential {
  static_assert(TwiceTheExponent == 3 || TwiceTheExponent == 4);
  static constexpr const char* kName = TwiceTheExponent == 4 ? "area_potential" : "area_potential_3_2";
  static constexpr auto kDampingRatio = damping_ratio;
  static constexpr bool kConservative = true;
  static constexpr double kExponent = 0.5 * TwiceTheExponent;

  static NormalForce force(const PairLaw& law, const Overlap& overlap, const Vec2&, const Approach& approach) {
    const double chord = overlap.chord();
    const double spring = slope(law.stiffness, overlap.area, approach.per_size) * chord;
    const double stiffness = 0.5 * kExponent * spring * chord / overlap.area;  // F^2 / (2 W)
    NormalForce normal = spring_and_dashpots(law, spring, 0.0, stiffness, chord, approach);
    if constexpr (kInfiniteAtFirst) {
      const double shallowest = chord * kShallowest / approach.per_size;
      normal.stiffness *= std::min(1.0, std::sqrt(overlap.area / shallowest));
    }
    return normal;
  }

  /// Of a flat contact. For m = 3/2 it is infinite at the first touch; that of a depth of kShallowest sizes counts.
  static double greatest_stiffness(double stiffness, const Meeting& meeting) {
    const double area = meeting.chord * kShallowest / meeting.per_size;
    return (kExponent - 1.0) * slope(stiffness, area, meeting.per_size) * meeting.chord * meeting.chord / area;
  }

  static double energy(const PairLaw& law, const Overlap& overlap, const std::vector<Vec2>&, const Approach& approach) {
    return slope(law.stiffness, overlap.area, approach.per_size) * overlap.area / kExponent;
  }

 private:
  static constexpr bool kInfiniteAtFirst = kExponent < 2.0;
  static constexpr double kShallowest = 1e-3;  ///< depth, in sizes, from which on a stiffness counts

  /// dW/dA [N/m]
  static double slope(double stiffness, double area, double per_size) {
    const double per_length = 0.25 * per_size;
    return TwiceTheExponent == 4 ? stiffness * area * per_length * per_length
                                 : stiffness * std::sqrt(area) * per_length;
  }
};

}  // namespace scree::soft
