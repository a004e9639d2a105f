#pragma once

/// Tolerances of the hard mode that several files share. See geometry/tolerances.hpp.
namespace scree::hard {

/// If less than this part of b^2 is left of the discriminant b^2 - a c of a pair's quadratic equation, too many digits
/// are lost: disks further apart than 3e4 contact distances, or that just touch. Up to there rounding makes a gap of at
/// most 3e-7 contact distances.
inline constexpr double kLeastDiscriminant = 1e-9;

}  // namespace scree::hard
