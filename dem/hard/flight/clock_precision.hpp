#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dem/hard/flight/prediction.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
#include "geometry/tolerances.hpp"

/// Flights begin anew, inside the domain, where a velocity changes and when the clock is rebased. What rounding does to
/// them between and by that.
namespace scree::hard {

inline double largest_coordinate(const Domain& domain) {
  return std::max(domain.lo.cwiseAbs().maxCoeff(), domain.hi.cwiseAbs().maxCoeff());
}

/// What rounding may do to a distance between disks, of which the smaller has this diameter [m].
inline double tolerance(const Domain& domain, double diameter) {
  return std::max(1e-12 * diameter, kDistanceRounding * largest_coordinate(domain));
}

/// After how many changes of velocity the clock is rebased: often enough that the rounding of times stays small beside
/// the time between collisions, seldom enough to cost nothing.
inline std::uint64_t changes_until_rebase(std::size_t disks) {
  return std::max<std::uint64_t>(1000, 32 * disks);
}

/// How far a disk may fly until the clock is rebased [m]. Between two disks, the rounding of their displacements and of
/// the time on the clock is at most 2.5 epsilon of that: well below the tolerance.
inline double max_path(const Domain& domain, double smallest_diameter) {
  return tolerance(domain, smallest_diameter) / (4.0 * std::numeric_limits<double>::epsilon());
}

/// How long disks may fall until the clock is rebased [s]: half of the longest path.
inline double max_fall_time(double max_path, const Vec2& gravity) {
  return gravity.isZero() ? kNever : std::sqrt(max_path / gravity.norm());
}

/// Where a displacement from `begin` ends, inside the domain. A long one is rounded first, so that adding it and taking
/// the periods away is exact: disks that fly alike, and are all rewritten at once, keep their relative positions,
/// however far they fly.
inline Vec2 end_of_path(const Domain& domain, const Vec2& begin, const Vec2& displacement) {
  const Periodic periodic(domain);
  const Image outside = periodic.periods_outside(begin + displacement);
  const double coordinate = largest_coordinate(domain);
  if (displacement.norm() < 0.5 * coordinate) return (begin + displacement) - periodic.shift(outside);
  const double step = 2.0 * std::ldexp(std::numeric_limits<double>::epsilon(), std::ilogb(coordinate));
  const auto wrapped = [&](int axis) {
    const double in_steps = step * std::nearbyint(displacement[axis] / step);
    return std::fma(-outside[static_cast<std::size_t>(axis)], periodic.period()[axis], in_steps);
  };
  return begin + Vec2(wrapped(0), wrapped(1));
}

}  // namespace scree::hard
