#include "dem/hard/exact/tick_map.hpp"

#include <cstdlib>

#include "dem/archive.hpp"
#include "dem/hard/exact/contact.hpp"
#include "dem/hard/exact/reflection.hpp"

namespace scree::hard::exact {

namespace {

bool is_outside(const Grid& grid, const Disk& disk, std::size_t axis, std::int64_t way) {
  const std::int64_t x = disk.position[axis] + way;
  return !grid.periodic[axis] && (x < disk.radius || x > grid.size[axis] - disk.radius);
}

/// Whether the disks can go on as they are.
bool is_sound(const Grid& grid, const Cluster& disks) {
  for (std::size_t k = 0; k < disks.size(); ++k) {
    const Disk& a = disks[k];
    for (const std::size_t axis : {0u, 1u}) {
      if (is_outside(grid, a, axis, a.velocity[axis])) return false;
    }
    for (std::size_t l = 0; l < k; ++l) {
      const Disk& b = disks[l];
      if (overlap(grid.distance(a.position, b.position) + a.velocity - b.velocity, a.radius + b.radius)) return false;
    }
  }
  return true;
}

Encounter pass_sides(const Grid& grid, Disk& disk) {
  Encounter result;
  const Vector before = disk.velocity;
  for (const std::size_t axis : {0u, 1u}) {
    if (!is_outside(grid, disk, axis, disk.velocity[axis])) continue;
    disk.velocity[axis] = -disk.velocity[axis];
    result.kind = Encounter::Kind::side;
  }
  result.change = disk.velocity - before;
  return result;
}

/// @pre they would overlap
Encounter pass_pair(const Grid& grid, Disk& a, Disk& b) {
  Encounter result{.kind = Encounter::Kind::collision, .distance = grid.distance(a.position, b.position)};
  const Vector v = a.velocity - b.velocity;
  const Vector w = mirrored(result.distance, v);
  const auto change_to = [&](const Vector& reversed) {
    const Vector twice = -reversed - v;  // even, since both have the same parity
    return Vector{twice[0] / 2, twice[1] / 2};
  };
  result.change = change_to(w);
  const bool goes_back = overlap(result.distance + w, a.radius + b.radius);
  if (!goes_back || is_too_fast(grid, a.velocity + result.change) || is_too_fast(grid, b.velocity - result.change)) {
    result.kind = Encounter::Kind::exchange;
    result.change = change_to(v);
  }
  a.velocity = a.velocity + result.change;
  b.velocity = b.velocity - result.change;
  return result;
}

}  // namespace

bool is_near_side(const Grid& grid, const Disk& disk) {
  for (const std::size_t axis : {0u, 1u}) {
    if (is_outside(grid, disk, axis, grid.fastest) || is_outside(grid, disk, axis, -grid.fastest)) return true;
  }
  return false;
}

Encounter pass_tick(const Grid& grid, Cluster& disks) {
  if (disks.size() == 1) return pass_sides(grid, disks[0]);
  if (is_sound(grid, disks)) return {};
  if (disks.size() == 2 && !is_near_side(grid, disks[0]) && !is_near_side(grid, disks[1])) {
    return pass_pair(grid, disks[0], disks[1]);
  }
  Encounter result{.kind = Encounter::Kind::retrace};
  for (Disk& disk : disks) {
    result.change = result.change - disk.velocity * 2;
    disk.velocity = -disk.velocity;
  }
  return result;
}

void Tally::require_sound() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  for (const std::int64_t count : {collisions, exchanges, side_hits, retraces, momentum_size, losses}) {
    require_state(count >= 0 && count < kMost, "the number of collisions");
  }
  for (const std::int64_t component : momentum) {
    require_state(-kMost < component && component < kMost, "the momentum of clusters");
  }
  constexpr Int128 kMostEnergy = static_cast<Int128>(kMost) << 62;
  require_state(-kMostEnergy < lost && lost < kMostEnergy, "the energy that was lost");
}

void Tally::count(const Encounter& encounter, std::int64_t sign) {
  switch (encounter.kind) {
    case Encounter::Kind::none:
      return;
    case Encounter::Kind::side:
      side_hits += sign;
      return;
    case Encounter::Kind::exchange:
      exchanges += sign;
      collisions += sign;
      return;
    case Encounter::Kind::collision:
      collisions += sign;
      losses += encounter.has_lost ? sign : 0;
      lost += encounter.lost * sign;
      return;
    case Encounter::Kind::retrace:
      retraces += sign;
      momentum = momentum + encounter.change * sign;
      momentum_size += sign * (std::abs(encounter.change[0]) + std::abs(encounter.change[1]));
  }
}

}  // namespace scree::hard::exact
