#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "dem/hard/exact/integers.hpp"

namespace scree::hard::exact {

constexpr std::int64_t kNoTick = INT64_MAX;

/// Whether the centres at a distance r are nearer than `contact`: the disks overlap.
inline bool overlap(const Vector& r, std::int64_t contact) {
  return squared(r) < product(contact, contact);
}

constexpr double kNeverTouches = std::numeric_limits<double>::infinity();  // [ticks]

/// How many ticks at least a pair flies until it overlaps, by doubles, rounding allowed for; kNeverTouches if it never
/// does.
///
/// Roundings are below 2^-53 of a product, and below 2^10 units of the gap between the disks.
struct Approach {
  double ticks;   ///< a bound from below
  bool is_clear;  ///< false: whether the pair approaches at all is not clear
};

[[gnu::always_inline]] inline Approach approach(const Vector& r, const Vector& v, std::int64_t contact) {
  constexpr double kProduct = 0x1p-50;  // rounding of a sum of two products, as a share of both
  constexpr double kSquares = 0x1p-46;  // of the discriminant, as a share of its terms
  constexpr double kGap = 0x1p10;       // of the gap [units]
  const double rx = static_cast<double>(r[0]), ry = static_cast<double>(r[1]);
  const double vx = static_cast<double>(v[0]), vy = static_cast<double>(v[1]);
  const double s = static_cast<double>(contact);
  const double x = rx * vx, y = ry * vy;
  const double b = -(x + y);
  const double rounding = kProduct * (std::abs(x) + std::abs(y));
  if (b < -rounding) return {kNeverTouches, true};
  const double square = rx * rx + ry * ry;
  const double a = vx * vx + vy * vy;
  const double c = square - s * s;
  // They miss each other: a test without roots, for most.
  const double b_squared = b * b;
  const double terms = kSquares * (b_squared + a * square);
  const double discriminant = b_squared - a * c + terms;
  if (discriminant < 0.0) return {kNeverTouches, true};
  const double distance = std::sqrt(square);
  const double gap = distance - s - kGap;
  if (gap <= 0.0 || b <= rounding) return {0.0, b > rounding};
  return {gap * (distance + s) / (b + rounding + std::sqrt(discriminant)), true};
}

/// How many ticks a pair flies until the last one before it overlaps: the least t >= 0 with r + (t + 1) v inside and r
/// + t v outside. kNoTick if it never overlaps at a whole tick, or if t > latest.
///
/// The answer is exact: doubles only guess where the search begins.
///
/// @param r distance of the centres now, outside [units] @param v its change in a tick @param contact at which they
///        touch [units]
/// @pre |r| < 2^61
/// Cost: most pairs are dismissed by some 30 operations of doubles; else some ten products of 64 bits, rarely more
std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest);

/// ticks_to_contact where the bound is known. @param guess approach(r, v, contact)
std::int64_t ticks_to_contact(const Vector& r, const Vector& v, std::int64_t contact, std::int64_t latest,
                              const Approach& guess);

/// Ticks until one coordinate reaches one of two bounds. @pre lowest <= x <= highest
inline std::int64_t ticks_to_bound(std::int64_t x, std::int64_t v, std::int64_t lowest, std::int64_t highest) {
  if (v > 0) return (highest - x) / v;
  if (v < 0) return (x - lowest) / -v;
  return kNoTick;
}

}  // namespace scree::hard::exact
