#pragma once

#include <algorithm>

namespace scree::hard::reversible {

/// Excess of the circle on which a coordinate is shifted over the coordinate's range [0, 1], at either end: more
/// than the rounding of a coordinate (about 1e-12 in the narrowest ranges, at mass ratios of 1e6), so that a coordinate
/// at an end of its range, a grazing contact, comes back to that end and not to the other one. All that it costs is
/// that a fraction 3e-11 of the states after a collision has no state before it.
inline constexpr double kSlack = 0x1p-36;

/// (x + g) mod 1, reversibly: x in [0, 1] is placed on a circle of circumference 1 + 2 kSlack, moved along it by the
/// fraction g of the circumference, and the whole circle is then mapped to [0, 1).
/// If g is uniform in [0, 1), so is the result, for each x.
inline double shift(double x, double g) {
  constexpr double kRound = 1.0 + 2.0 * kSlack;
  const double y = x + kSlack + g * kRound;
  return (y < kRound ? y : y - kRound) / kRound;
}

/// The x of which shift(x, g) has made y.
inline double shift_back(double y, double g) {
  constexpr double kRound = 1.0 + 2.0 * kSlack;
  const double x = y * kRound - g * kRound;
  return std::clamp((x < 0.0 ? x + kRound : x) - kSlack, 0.0, 1.0);
}

}  // namespace scree::hard::reversible
