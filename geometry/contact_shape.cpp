#include "geometry/contact_shape.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>

namespace scree {

ContactShape::ContactShape(const Outline& outline) {
  const std::size_t corners = outline.size();
  assert(corners >= 2);
  sides_.reserve(corners);
  for (std::size_t i = 0; i < corners; ++i) {
    const Vec2& corner = outline[i];
    const Vec2& next = outline[i + 1 < corners ? i + 1 : 0];
    const Vec2 normal = -perp(next - corner).normalized();
    sides_.push_back({corner, normal, corner.norm(), std::max(normal.dot(corner), normal.dot(next))});
    bounding_radius_ = std::max(bounding_radius_, sides_.back().distance);
    inscribed_radius_ = std::min(i == 0 ? sides_.back().offset : inscribed_radius_, sides_.back().offset);
  }
  if (inscribed_radius_ < 0.0) inscribed_radius_ = -bounding_radius_;
}

ContactShape ContactShape::segment(const Vec2& begin, const Vec2& end) {
  return ContactShape(Outline(std::array{begin, end}));
}

ContactShape ContactShape::disk(double radius) {
  assert(radius > 0.0);
  ContactShape disk;
  disk.sides_.push_back({.corner = Vec2::Zero(), .distance = 0.0});
  disk.rounding_radius_ = radius;
  disk.bounding_radius_ = radius;
  return disk;
}

ContactShape ContactShape::scaled(double size) const {
  ContactShape larger = *this;
  for (Side& side : larger.sides_) {
    side.corner *= size;
    side.distance *= size;
    side.offset *= size;
  }
  larger.rounding_radius_ *= size;
  larger.bounding_radius_ *= size;
  larger.inscribed_radius_ *= size;
  return larger;
}

namespace {

/// Greatest separation by the edges of one shape and, of a disk beside it, by the nearest corner. @param other_in_own
/// pose of the other one
double separation_by(const ContactShape& own, const ContactShape& other, const Pose& other_in_own) {
  double greatest = -std::numeric_limits<double>::infinity();
  const double rounding = own.rounding_radius() + other.rounding_radius();
  for (std::size_t k = 0; k < own.edges(); ++k) {
    const ContactShape::Side& edge = own.sides()[k];
    const Vec2 m = other_in_own.rotation.inverse() * edge.normal;
    double least = std::numeric_limits<double>::infinity();
    for (const ContactShape::Side& side : other.sides()) least = std::min(least, m.dot(side.corner));
    greatest = std::max(greatest, edge.normal.dot(other_in_own.position) + least - edge.offset - rounding);
  }
  if (other.edges() > 0) return greatest;
  double nearest = std::numeric_limits<double>::infinity();
  Vec2 away = Vec2::Zero();
  std::size_t at = 0;
  for (std::size_t k = 0; k < own.sides().size(); ++k) {
    const Vec2 from_corner = other_in_own.position - own.sides()[k].corner;
    if (from_corner.norm() >= nearest) continue;
    nearest = from_corner.norm();
    away = from_corner;
    at = k;
  }
  const std::size_t corners = own.sides().size();
  const auto faces = [&](std::size_t neighbour) {
    return away.dot(own.sides()[neighbour].corner - own.sides()[at].corner) <= 0.0;
  };
  const bool in_cone = corners == 1 || (faces(at + 1 < corners ? at + 1 : 0) && faces(at > 0 ? at - 1 : corners - 1));
  return in_cone ? std::max(greatest, nearest - rounding) : greatest;
}

/// As near_points(), of the points near the edge of `own` that separates the shapes most; and by how much it does.
struct NearPoints {
  double apart = -std::numeric_limits<double>::infinity();
  int count = 1;
};
NearPoints near_points_by(const ContactShape& own, const ContactShape& other, const Pose& other_in_own, double gap) {
  NearPoints found;
  const std::size_t corners = other.sides().size();
  const auto corner_at = [&](std::size_t j) -> Vec2 { return other_in_own * other.sides()[j % corners].corner; };
  for (std::size_t k = 0; k < own.edges(); ++k) {
    const ContactShape::Side& edge = own.sides()[k];
    const auto depth = [&](const Vec2& p) { return edge.normal.dot(p) - edge.offset; };
    std::size_t nearest = 0;
    for (std::size_t j = 1; j < corners; ++j) {
      if (depth(corner_at(j)) < depth(corner_at(nearest))) nearest = j;
    }
    const Vec2 first = corner_at(nearest);
    const double apart = depth(first) - own.rounding_radius() - other.rounding_radius();
    if (!(apart > found.apart)) continue;
    found = {apart, 1};
    if (corners == 1) continue;
    const Vec2 next = corner_at(nearest + 1);
    const Vec2 previous = corner_at(nearest + corners - 1);
    const Vec2 second = depth(next) < depth(previous) ? next : previous;
    // Both ends of what the two edges have in common, along the edge.
    const Vec2 begin = edge.corner;
    const Vec2 along = own.sides()[k + 1 < own.edges() ? k + 1 : 0].corner - begin;
    const double length = along.norm();
    const double at_first = along.dot(first - begin) / length;
    const double at_second = along.dot(second - begin) / length;
    const double from = std::clamp(std::min(at_first, at_second), 0.0, length);
    const double to = std::clamp(std::max(at_first, at_second), 0.0, length);
    const double rises = at_second == at_first ? 0.0 : (depth(second) - depth(first)) / (at_second - at_first);
    const auto depth_at = [&](double at) { return depth(first) + rises * (at - at_first); };
    if (to - from > gap && depth_at(from) <= gap && depth_at(to) <= gap) found.count = 2;
  }
  return found;
}

}  // namespace

int near_points(const ContactShape& a, const Pose& at_a, const ContactShape& b, const Pose& at_b, double gap) {
  if (separation(a, at_a, b, at_b) > gap) return 0;
  const Pose b_in_a = relative_pose(at_a.rotation, at_b.rotation, at_b.position - at_a.position);
  const Pose a_in_b = relative_pose(at_b.rotation, at_a.rotation, at_a.position - at_b.position);
  const NearPoints by_a = near_points_by(a, b, b_in_a, gap);
  const NearPoints by_b = near_points_by(b, a, a_in_b, gap);
  return by_a.apart >= by_b.apart ? by_a.count : by_b.count;
}

double separation(const ContactShape& a, const Pose& at_a, const ContactShape& b, const Pose& at_b) {
  const Pose b_in_a = relative_pose(at_a.rotation, at_b.rotation, at_b.position - at_a.position);
  const Pose a_in_b = relative_pose(at_b.rotation, at_a.rotation, at_a.position - at_b.position);
  return std::max(separation_by(a, b, b_in_a), separation_by(b, a, a_in_b));
}

}  // namespace scree
