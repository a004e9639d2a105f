#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dem/hard/exact/integers.hpp"
#include "dem/scene/domain.hpp"
#include "geometry/vec.hpp"

namespace scree::hard::exact {

constexpr int kVelocityBits = 27;  ///< of the thermal speed, unless another number is asked for
constexpr std::int64_t kMostTicks = std::int64_t{1}
                                    << 52;  ///< of a run; doubles hold all of them, and events are sorted by doubles

/// What whole numbers mean: the units of length and time, both powers of two, and what follows from them. The longer
/// side of the domain has 2^59 to 2^60 units. In a tick a disk of thermal speed (the root of the mean square) goes at
/// most 2^bits units, at least half of that.
struct Grid {
  Vec2 origin = Vec2::Zero();  ///< the domain's lower corner [m]
  double unit = 1.0;           ///< [m]
  double tick = 1.0;           ///< [s]
  Vector size = {0, 0};        ///< of the domain [units]
  std::array<bool, 2> periodic = {false, false};
  /// No disk gets faster than that [units a tick]. It is six times the thermal speed, or half as much again as the
  /// fastest disk at the start, if not all energy together gives one disk less.
  std::int64_t fastest = 0;

  std::int64_t length(double metres) const;
  Vector position(const Vec2& metres) const;
  Vector velocity(const Vec2& metres_a_second) const;
  /// The first tick not before a time [s].
  std::int64_t ticks(double seconds) const;

  double metres(std::int64_t units) const { return static_cast<double>(units) * unit; }
  Vec2 metres(const Vector& position) const { return origin + Vec2(metres(position[0]), metres(position[1])); }
  Vec2 metres_a_second(const Vector& velocity) const { return Vec2(metres(velocity[0]), metres(velocity[1])) / tick; }
  double seconds(std::int64_t ticks) const { return static_cast<double>(ticks) * tick; }

  /// A place moved into the domain, and by how many periods.
  struct Wrapped {
    Vector position;
    std::array<std::int32_t, 2> periods;
  };
  Wrapped wrapped(const Vector& position) const {
    const bool is_inside = static_cast<bool>(static_cast<int>(is_within_period(position, 0)) &
                                             static_cast<int>(is_within_period(position, 1)));
    return is_inside ? Wrapped{position, {0, 0}} : wrapped_from_outside(position);
  }
  /// From b to a, the shortest way across periodic sides. @pre both are inside the domain
  Vector distance(const Vector& a, const Vector& b) const {
    Vector r = a - b;
    for (const std::size_t axis : {0u, 1u}) {
      if (!periodic[axis]) continue;
      const std::int64_t half = size[axis] >> 1;
      if (r[axis] > half) r[axis] -= size[axis];
      if (r[axis] < -half) r[axis] += size[axis];
    }
    return r;
  }

 private:
  bool is_within_period(const Vector& position, std::size_t axis) const {
    return !periodic[axis] || static_cast<std::uint64_t>(position[axis]) < static_cast<std::uint64_t>(size[axis]);
  }
  Wrapped wrapped_from_outside(Vector position) const;
};

/// The grid of disks that start with these velocities [m/s] and run until `end` [s].
/// @throws InvalidScene if the run has more than kMostTicks ticks
Grid choose_grid(const Domain& domain, std::span<const Vec2> velocities, double end, int bits = kVelocityBits);

/// Disks are smaller by that [units]: none is so near to another at the start that they might overlap within a tick.
inline std::int64_t shrinkage(const Grid& grid) {
  constexpr std::int64_t kRounding = std::int64_t{1} << 12;  // of positions in doubles
  return 2 * grid.fastest + kRounding;
}

}  // namespace scree::hard::exact
