#pragma once

#include "geometry/wide.hpp"

/// The area that a chord cuts off a disk, where little is cut off. A template in the kind of its numbers: one double,
/// or W numbers side by side (geometry/wide.hpp).
namespace scree {

/// A segment is shallow up to this tangent of a quarter of the angle of its chord at the disk's centre.
inline constexpr double kShallowSegment = 0.125;

/// As a series, 16 r^2 t^3 (1/3 - 3 t^2/5 + 6 t^4/7 - 10 t^6/9 ...): the closed form is a difference that cancels, and
/// its arc tangent costs more than all the rest. The first omitted term is below 1e-17 of the sum.
/// @param t tangent of a quarter of the chord's angle, at most kShallowSegment
template <class Number>
SCREE_WIDE Number shallow_segment(const Number& radius, const Number& t) {
  const Number q = t * t;
  constexpr auto term = [](int k) { return (k + 1) * (k + 2) / (2.0 * (2 * k + 3)); };
  Number series = term(9);
  for (int k = 8; k >= 0; --k) series = Number(term(k)) - q * series;
  return Number(16.0) * radius * radius * t * q * series;
}

}  // namespace scree
