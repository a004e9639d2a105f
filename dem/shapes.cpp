#include "dem/shapes.hpp"

#include "geometry/disk.hpp"

namespace scree {

Overlap overlap(const ShapeView& a, const ShapeView& b, const Pose& b_in_a, PairHint& hint) {
  if (!a.is_disk() && !b.is_disk()) return overlap(a.outline, b.outline, b_in_a, hint);
  if (a.is_disk() && b.is_disk()) return overlap_disks(a.radius, b.radius, b_in_a.position);
  if (b.is_disk()) return overlap_polygon_disk(a.outline, b_in_a.position, b.radius, hint.features.a);
  return seen_from_other(overlap_polygon_disk(b.outline, b_in_a.inverse().position, a.radius, hint.features.b), b_in_a);
}

Aabb2 bounds(const ShapeView& shape, const Pose& pose, Extremes& extremes) {
  if (!shape.is_disk()) return bounds(shape.outline, pose, extremes);
  return {pose.position.array() - shape.radius, pose.position.array() + shape.radius};
}

}  // namespace scree
