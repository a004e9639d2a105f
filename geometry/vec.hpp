#pragma once

#include <Eigen/Core>

namespace scree {

/// A point or vector in the plane [m].
using Vec2 = Eigen::Vector2d;

/// z-component of the cross product; positive when b lies counter-clockwise of a.
inline double cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

inline double dot(const Vec2& a, const Vec2& b) {
  return a.dot(b);
}

/// v rotated by +90 degrees.
inline Vec2 perp(const Vec2& v) {
  return {-v.y(), v.x()};
}

}  // namespace scree
