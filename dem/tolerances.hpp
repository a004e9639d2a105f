#pragma once

/// Tolerances shared by both modes, or by dem and the program. Those of one mode are in its folder, those of lengths in
/// geometry/tolerances.hpp.

namespace scree {

/// Two times are equal if they differ by a smaller fraction of the interval in which they are counted, the time step or
/// the output interval. A time of n intervals has a rounding error of n epsilon intervals: 1e-9 after five million.
/// Beyond that one step too many may be taken, which does no harm.
inline constexpr double kSameTime = 1e-9;

/// An energy has no significant digits below this fraction of the potential energies of which it is the difference: the
/// rounding error of the sum of a million potentials of either sign is at most 1e-10 of the sum of their magnitudes.
inline constexpr double kEnergyDigits = 1e-9;

}  // namespace scree
