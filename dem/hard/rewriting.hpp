#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dem/hard/prediction.hpp"
#include "dem/scene.hpp"

/// Flights are rewritten where a velocity changes and when the clock is set back: they begin anew, inside the domain.
/// What rounding does to them between and by that.
namespace scree::hard {

inline double largest_coordinate(const Domain& domain) {
  return std::max(domain.lo.cwiseAbs().maxCoeff(), domain.hi.cwiseAbs().maxCoeff());
}

/// What rounding may do to a distance between disks, of which the smaller has this diameter [m].
inline double tolerance(const Domain& domain, double diameter) {
  return std::max(1e-12 * diameter, 8.0 * std::numeric_limits<double>::epsilon() * largest_coordinate(domain));
}

/// After how many changes of velocity the clock is set back: often enough that the rounding of times stays small beside
/// the time between collisions, seldom enough to cost nothing.
inline std::uint64_t changes_until_set_back(std::size_t disks) {
  return std::max<std::uint64_t>(1000, 32 * disks);
}

/// How far a disk may fly until the clock is set back [m]. The rounding of its way and of the time, on which the clock
/// shows what it took, is 2.5 epsilon of that at most between two disks: well below the tolerance.
inline double longest_way(const Domain& domain, double smallest_diameter) {
  return tolerance(domain, smallest_diameter) / (4.0 * std::numeric_limits<double>::epsilon());
}

/// How long disks may fall until the clock is set back [s]: half of the longest way.
inline double longest_fall(double longest_way, const Vec2& gravity) {
  return gravity.isZero() ? kNever : std::sqrt(longest_way / gravity.norm());
}

/// Whole periods by which a position lies beyond the domain; 0 along axes that are not periodic.
inline std::array<std::int32_t, 2> periods_outside(const Domain& domain, const Vec2& position) {
  const auto along = [&](bool periodic, int axis) {
    const double x = position[axis];
    const double lo = domain.lo[axis];
    const double hi = domain.hi[axis];
    if (!periodic || (x >= lo && x < hi)) return 0;
    return static_cast<int>(std::floor((x - lo) / (hi - lo)));
  };
  return {along(domain.periodic[0], 0), along(domain.periodic[1], 1)};
}

/// Where a way ends, inside the domain. A long one is rounded first, so that adding it and taking the periods away is
/// exact: disks that fly alike, and are all rewritten at once, stay as they are beside each other, however far they
/// fly.
inline Vec2 end_of_way(const Domain& domain, const Vec2& begin, const Vec2& way) {
  const Vec2 size = domain.hi - domain.lo;
  const auto [x, y] = periods_outside(domain, begin + way);
  const double coordinate = largest_coordinate(domain);
  if (way.norm() < 0.5 * coordinate) return (begin + way) - Vec2(x * size.x(), y * size.y());
  const double step = 2.0 * std::ldexp(std::numeric_limits<double>::epsilon(), std::ilogb(coordinate));
  const auto in_steps = [&](double length) { return step * std::nearbyint(length / step); };
  return begin + Vec2(std::fma(-x, size.x(), in_steps(way.x())), std::fma(-y, size.y(), in_steps(way.y())));
}

}  // namespace scree::hard
