#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "dem/hard/exact/grid.hpp"
#include "dem/hard/exact/integers.hpp"

/// What changes velocities in one tick, as a map G of the velocities V with which disks came to their positions X to
/// the velocities W = -V' with which they would go back, V' being those with which they go on. Let a set of velocities
/// be possible if the disks come from positions at which none overlaps and all are inside: X - V. Then
///
///   G maps possible velocities to possible ones, and G(G(V)) = V.
///
/// The first means that X + V' is as sound as X - V was, so that this can go on; the second that disks that are sent
/// back with -V' leave with -V: reversed velocities retrace the tick.
///
/// Disks that are so near to each other that they might overlap within a tick, whatever their velocities below
/// Grid::fastest, are one cluster. Clusters follow from the positions alone, so both ways they are the same, and
/// nothing that happens in one concerns another. In a cluster V' is
///
/// - V, if X + V is sound;
/// - of a disk alone: V with the component reversed that would take it out of the domain;
/// - of two disks away from sides: the mirror image of v in the tangent, v being their relative velocity. Its negative
///   w is v mirrored in the normal (reflection.hpp), an involution. If r + w overlaps as r + v does, both ways a
///   collision is due. Else, or if a disk would get too fast, the disks exchange their velocities: w = v, an
///   involution, too. Either way the sum of both velocities is kept;
/// - else -V: all disks of the cluster go back where they came from. This costs momentum, and is counted.
namespace scree::hard::exact {

struct Disk {
  Vector position;      ///< inside the domain [units]
  Vector velocity;      ///< [units a tick]
  std::int64_t radius;  ///< [units]
};
using Cluster = std::vector<Disk>;

/// Whether two disks may overlap after a tick, whatever their velocities.
inline bool are_near(const Grid& grid, const Vector& distance, std::int64_t contact) {
  const std::int64_t reach = contact + 2 * grid.fastest;
  return squared(distance) < product(reach, reach);
}

inline bool is_too_fast(const Grid& grid, const Vector& velocity) {
  return squared(velocity) > product(grid.fastest, grid.fastest);
}
/// Whether a disk may leave the domain within a tick, whatever its velocity.
bool is_near_side(const Grid& grid, const Disk& disk);

struct Encounter {
  enum class Kind : std::uint8_t { none, side, collision, exchange, retrace };
  Kind kind = Kind::none;
  Vector distance = {0, 0};  ///< collision, exchange: from the second disk to the first
  /// Collision, exchange, side: what the first disk's velocity gained. Retrace: all velocities of the cluster together.
  Vector change = {0, 0};
  bool has_lost = false;  ///< restitution took energy (loss.hpp)
  Int128 lost = 0;        ///< how much: what the squares of both velocities lost together [units^2 / ticks^2]
};

/// The map of one tick for a cluster: writes V' over V.
/// @param disks in the order of their numbers, from which the sign of distances follows
Encounter pass_tick(const Grid& grid, Cluster& disks);

/// How often what happened, and what it cost. Counts down while time runs backward.
struct Tally {
  std::int64_t collisions = 0;  ///< of two disks, those that exchanged velocities included
  std::int64_t exchanges = 0;
  std::int64_t side_hits = 0;
  std::int64_t retraces = 0;       ///< clusters that went back
  Vector momentum = {0, 0};        ///< that they cost, over the mass of a disk: vector sum [units a tick]
  std::int64_t momentum_size = 0;  ///< sum of the magnitudes of its components
  std::int64_t losses = 0;         ///< collisions that lost energy
  Int128 lost = 0;                 ///< by all of them: of the sum of squared velocities [units^2 / ticks^2]

  void count(const Encounter& encounter, std::int64_t sign);
  /// After loading: so that counting on does not overflow. @throws InvalidState
  void require_sound() const;
  bool operator==(const Tally&) const = default;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    auto upper = static_cast<std::int64_t>(self.lost >> 64);
    auto lower = static_cast<std::uint64_t>(self.lost);
    archive(self.collisions, self.exchanges, self.side_hits, self.retraces, self.momentum, self.momentum_size,
            self.losses, upper, lower);
    if constexpr (!std::is_const_v<Self>) self.lost = static_cast<Int128>(upper) * (Int128{1} << 64) + lower;
  }
};

}  // namespace scree::hard::exact
