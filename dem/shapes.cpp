#include "dem/shapes.hpp"

#include <utility>

#include "geometry/disk.hpp"

namespace scree {

namespace {

/// The same overlap seen from the other body, in whose frame `pose` is the frame of the first.
Overlap seen_from_other(const Overlap& o, const Pose& pose) {
  Overlap seen = o;
  seen.centroid = pose * o.centroid;
  seen.normal = -(pose.rotation * o.normal);
  seen.chord_begin = pose * o.chord_end;
  seen.chord_end = pose * o.chord_begin;
  return seen;
}

}  // namespace

Overlap overlap(const ShapeView& a, const ShapeView& b, const Pose& b_in_a) {
  if (!a.is_disk() && !b.is_disk()) return overlap(a.outline, b.outline, b_in_a);
  if (a.is_disk() && b.is_disk()) return overlap_disks(a.radius, b.radius, b_in_a.position);
  if (b.is_disk()) return overlap_polygon_disk(a.outline, b_in_a.position, b.radius);
  return seen_from_other(overlap_polygon_disk(b.outline, b_in_a.inverse().position, a.radius), b_in_a);
}

Aabb2 bounds(const ShapeView& shape, const Pose& pose) {
  if (!shape.is_disk()) return bounds(shape.outline, pose);
  return {pose.position.array() - shape.radius, pose.position.array() + shape.radius};
}

}  // namespace scree
