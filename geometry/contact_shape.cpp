#include "geometry/contact_shape.hpp"

#include <algorithm>
#include <array>
#include <cassert>

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
  }
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

}  // namespace scree
