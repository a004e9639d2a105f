#pragma once

#include <cmath>

#include "geometry/vec.hpp"

namespace scree {

namespace exact {
/// The signs of the products below, by expansions: -1, 0 or 1.
[[gnu::cold]] int sign_of_cross(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s);
[[gnu::cold]] int sign_of_dot(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s);
/// A relative rounding error that neither product reaches, of the sum of the magnitudes of its two terms. [Shewchuk]
inline constexpr double kLargestError = 3.3306690738754716e-16;  // (3 + 16 u) u, u = 2^-53
}  // namespace exact

/// (q - p) x (s - r), to rounding, with the sign of the exact value: 0 only if that is 0.
///
/// Cost: some 2 ns more than the product where a floating-point filter tells the sign, otherwise some 200 ns.
/// @pre products of coordinates neither overflow nor underflow: zero or between 1e-140 and 1e140
/// Source: J. R. Shewchuk, Discrete Comput. Geom. 18 (1997) 305.
[[gnu::always_inline]] inline double signed_cross(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  const double left = (q.x() - p.x()) * (s.y() - r.y());
  const double right = (q.y() - p.y()) * (s.x() - r.x());
  const double value = left - right;
  if (std::abs(value) > exact::kLargestError * (std::abs(left) + std::abs(right))) [[likely]]
    return value;
  const int sign = exact::sign_of_cross(p, q, r, s);
  return sign == 0 ? 0.0 : std::copysign(value, sign) + sign * 1e-300;
}

/// (q - p) . (s - r), likewise.
[[gnu::always_inline]] inline double signed_dot(const Vec2& p, const Vec2& q, const Vec2& r, const Vec2& s) {
  const double in_x = (q.x() - p.x()) * (s.x() - r.x());
  const double in_y = (q.y() - p.y()) * (s.y() - r.y());
  const double value = in_x + in_y;
  if (std::abs(value) > exact::kLargestError * (std::abs(in_x) + std::abs(in_y))) [[likely]]
    return value;
  const int sign = exact::sign_of_dot(p, q, r, s);
  return sign == 0 ? 0.0 : std::copysign(value, sign) + sign * 1e-300;
}

}  // namespace scree
