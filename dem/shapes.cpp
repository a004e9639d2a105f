#include "dem/shapes.hpp"

#include "geometry/disk.hpp"

namespace scree {

Overlap overlap(const ShapeView& a, const ShapeView& b, const Pose& b_in_a, FeaturePair& hint) {
  if (!a.is_disk() && !b.is_disk()) {
    ClosestFeatures closest = closest_features(a.outline, b.outline, b_in_a, hint);
    const Overlap found = overlap(a.outline, b.outline, b_in_a, closest);
    hint = closest.features;
    return found;
  }
  if (a.is_disk() && b.is_disk()) return overlap_disks(a.radius, b.radius, b_in_a.position);
  if (b.is_disk()) return overlap_polygon_disk(a.outline, b_in_a.position, b.radius, hint.a);
  return seen_from_other(overlap_polygon_disk(b.outline, b_in_a.inverse().position, a.radius, hint.b), b_in_a);
}

Aabb2 bounds(const ShapeView& shape, const Pose& pose) {
  if (!shape.is_disk()) return bounds(shape.outline, pose);
  return {pose.position.array() - shape.radius, pose.position.array() + shape.radius};
}

}  // namespace scree
