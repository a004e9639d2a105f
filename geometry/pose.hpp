#pragma once

#include "geometry/deterministic_math.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A rotation of the plane, stored as its cosine and sine.
struct Rotation {
  double cos = 1.0;
  double sin = 0.0;

  /// @param angle counter-clockwise [rad]
  static Rotation by(double angle) {
    const auto [sin, cos] = deterministic::sincos(angle);
    return {cos, sin};
  }
  Vec2 operator*(const Vec2& v) const { return cos * v + sin * perp(v); }
  Rotation operator*(const Rotation& r) const { return {cos * r.cos - sin * r.sin, sin * r.cos + cos * r.sin}; }
  Rotation inverse() const { return {cos, -sin}; }
};

/// The pose of a body: its own frame is rotated by `rotation`, then translated to `position`.
struct Pose {
  Vec2 position = Vec2::Zero();  ///< [m]
  Rotation rotation;

  /// From the body's frame to the world's.
  Vec2 operator*(const Vec2& p) const { return rotation * p + position; }
  Pose inverse() const { return {-(rotation.inverse() * position), rotation.inverse()}; }
};

/// The pose of b in the frame of a, from the offset of their positions in the world. Large coordinates cancel in the
/// offset, so a grain far from the origin keeps its accuracy.
inline Pose relative_pose(const Rotation& a, const Rotation& b, const Vec2& b_minus_a) {
  return {a.inverse() * b_minus_a, a.inverse() * b};
}

}  // namespace scree
