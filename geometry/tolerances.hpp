#pragma once

#include <limits>

/// Tolerances shared by several files, in geometry and above. A tolerance of a single algorithm is next to that
/// algorithm. Tolerances of lengths are relative to the largest coordinate involved.

namespace scree {

/// Bound of the error of a difference of two coordinates, each of which is itself calculated: 9e-16 m at 1 m from the
/// origin.
inline constexpr double kDifferenceRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// A distance or a thickness that is a smaller fraction of the largest coordinate cannot be distinguished from zero,
/// since it may be one or two roundings. 1.8e-17 m for a grain of 1 cm at the origin, 1.8e-15 m at 1 m from it.
inline constexpr double kDistanceRounding = 8.0 * std::numeric_limits<double>::epsilon();

/// More than a few dozen roundings, relative to the numbers involved. A bound that is larger by this fraction is on the
/// safe side: 1e-16 m for two grains of 1 cm.
inline constexpr double kDozensOfRoundings = 1e-14;

/// A sum of chord vectors shorter than this fraction of the overlap's extent counts as zero: its force would act at a
/// distance of more than the inverse of this fraction, in extents. 1e-8 m for an overlap of 1 cm.
inline constexpr double kVanishedChord = 1e-6;

namespace exact {
/// Bound of the rounding error of a sum of two products of differences, relative to the sum of their magnitudes: (3 +
/// 16 u) u, u = 2^-53. Source: J. R. Shewchuk, Discrete Comput. Geom. 18 (1997) 305.
inline constexpr double kLargestError = 3.3306690738754716e-16;

/// Bound of the rounding error of a cross product of differences of points, relative to the square of the largest
/// coordinate.
inline constexpr double kCrossError = 9.0 * kLargestError;

/// Added to a value with its exact sign, so that rounding cannot make the value zero: smaller than any product of
/// coordinates that the predicates allow.
inline constexpr double kLeastMagnitude = 1e-300;
}  // namespace exact

}  // namespace scree
