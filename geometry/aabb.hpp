#pragma once

#include <Eigen/Core>

namespace scree {

/// Axis-aligned bounding box: the closed set lo <= x <= hi, component by component [m].
template <int Dim>
struct Aabb {
  using Vec = Eigen::Matrix<double, Dim, 1>;

  Vec lo = Vec::Zero();
  Vec hi = Vec::Zero();

  /// Closed boxes: boxes that touch overlap.
  bool overlaps(const Aabb& other) const {
    return (lo.array() <= other.hi.array()).all() && (other.lo.array() <= hi.array()).all();
  }
  bool contains(const Vec& p) const { return (lo.array() <= p.array()).all() && (p.array() <= hi.array()).all(); }
  void extend(const Vec& p) {
    lo = lo.cwiseMin(p);
    hi = hi.cwiseMax(p);
  }
  Aabb shifted(const Vec& offset) const { return {lo + offset, hi + offset}; }
  Aabb expanded(double margin) const { return {lo.array() - margin, hi.array() + margin}; }
};

using Aabb2 = Aabb<2>;

}  // namespace scree
