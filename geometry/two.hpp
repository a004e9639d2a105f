#pragma once

#include "geometry/predicates.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// Two numbers in one register.
using Two = Eigen::Array2d;

/// Two points or vectors: an operation on both costs as much as on one.
struct TwoVec2 {
  Two x;
  Two y;

  static TwoVec2 of(const Vec2& first, const Vec2& second) {
    return {{first.x(), second.x()}, {first.y(), second.y()}};
  }
  Vec2 first() const { return {x[0], y[0]}; }
  Vec2 second() const { return {x[1], y[1]}; }
  TwoVec2 operator-(const TwoVec2& v) const { return {x - v.x, y - v.y}; }
  TwoVec2 operator+(const TwoVec2& v) const { return {x + v.x, y + v.y}; }
  TwoVec2 operator*(const Two& factor) const { return {factor * x, factor * y}; }
  TwoVec2 min(const TwoVec2& v) const { return {x.min(v.x), y.min(v.y)}; }
  TwoVec2 max(const TwoVec2& v) const { return {x.max(v.x), y.max(v.y)}; }
  TwoVec2 abs() const { return {x.abs(), y.abs()}; }
};

inline Two cross(const TwoVec2& u, const TwoVec2& v) {
  return u.x * v.y - u.y * v.x;
}

/// Bound of the rounding error of a cross product of differences of points whose coordinates are at most this large.
inline double cross_error(double largest_coordinate) {
  return exact::kCrossError * largest_coordinate * largest_coordinate;
}

/// Lower bounds of cross products of differences of points: the products minus the bound of their rounding error. If
/// positive, the exact value is positive, too.
inline Two at_least(const TwoVec2& u, const TwoVec2& v) {
  const Two left = u.x * v.y;
  const Two right = u.y * v.x;
  return (left - right) - exact::kLargestError * (left.abs() + right.abs());
}

}  // namespace scree
