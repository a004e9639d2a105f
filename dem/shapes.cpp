#include "dem/shapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "geometry/disk.hpp"

namespace scree {

namespace {

/// Whether all of b is outside an edge of a, by a margin.
bool has_separating_edge(std::span<const Vec2> a, std::span<const Vec2> b, double margin) {
  Vec2 begin = a.back();
  for (const Vec2& end : a) {
    const Vec2 edge = end - begin;
    const double limit = margin * edge.norm();
    if (std::ranges::all_of(b, [&](const Vec2& corner) { return cross(edge, corner - begin) < -limit; })) return true;
    begin = end;
  }
  return false;
}

}  // namespace

Overlap overlap(const ShapeView& a, const ShapeView& b, const Pose& b_in_a, PairHint& hint) {
  if (!a.is_disk() && !b.is_disk()) return overlap(a.outline, b.outline, b_in_a, hint);
  if (a.is_disk() && b.is_disk()) return overlap_disks(a.radius, b.radius, b_in_a.position);
  if (b.is_disk()) return overlap_polygon_disk(a.outline, b_in_a.position, b.radius, hint.features.a);
  return seen_from_other(overlap_polygon_disk(b.outline, b_in_a.inverse().position, a.radius, hint.features.b), b_in_a);
}

bool clearly_apart(const ShapeView& a, const ShapeView& b, const Pose& b_in_a) {
  constexpr std::size_t kMost = 12;
  if (a.is_disk() || b.is_disk() || a.outline.size() > kMost || b.outline.size() > kMost) return false;
  std::array<Vec2, kMost> moved;
  std::ranges::transform(b.outline, moved.begin(), [&](const Vec2& corner) { return b_in_a * corner; });
  const std::span<const Vec2> of_a(a.outline.begin(), a.outline.end());
  const std::span<const Vec2> of_b(moved.data(), b.outline.size());
  const double margin = 1e-12 * (b_in_a.position.norm() + a.radius + b.radius);  // [m]
  return has_separating_edge(of_a, of_b, margin) || has_separating_edge(of_b, of_a, margin);
}

Aabb2 bounds(const ShapeView& shape, const Pose& pose, Extremes& extremes) {
  if (!shape.is_disk()) return bounds(shape.outline, pose, extremes);
  return {pose.position.array() - shape.radius, pose.position.array() + shape.radius};
}

}  // namespace scree
