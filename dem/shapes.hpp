#pragma once

#include "geometry/overlap.hpp"
#include "geometry/polygon.hpp"

namespace scree {

/// A polygon or a disk for the narrowphase: a disk has an empty outline.
struct ShapeView {
  Outline outline;      ///< about the centroid, counter-clockwise [m]
  double radius = 0.0;  ///< of the disk, or of the circle around the outline about the centroid [m]

  bool is_disk() const { return outline.empty(); }
};

inline ShapeView disk_shape(double radius) {
  return {.outline = {}, .radius = radius};
}

/// Overlap of any two shapes in the frame of a; b_in_a is the pose of b there. See overlap.hpp and disk.hpp.
/// @param hint from the last query; set to that for the next. It changes the cost only.
Overlap overlap(const ShapeView& a, const ShapeView& b, const Pose& b_in_a, PairHint& hint);

/// Whether a line along an edge of one of them separates two shapes by more than rounding: they do not overlap then.
/// False means nothing; it is the answer for disks and of polygons with more than 12 corners. A cheap answer where
/// nothing is known of a pair yet. Cost: O(n_a n_b), without an exact predicate.
bool clearly_apart(const ShapeView& a, const ShapeView& b, const Pose& b_in_a);

/// The smallest box around a shape at a pose. @param extremes see polygon.hpp
Aabb2 bounds(const ShapeView& shape, const Pose& pose, Extremes& extremes);

}  // namespace scree
