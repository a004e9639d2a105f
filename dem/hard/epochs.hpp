#pragma once

#include <algorithm>

#include "dem/hard/flight/clock_precision.hpp"
#include "dem/hard/world.hpp"

/// Events of all disks: the clock is rebased, growth ends or outgrows the boxes, images of a cell are moved. An epoch
/// is the time between two rebasings.
namespace scree::hard {

/// When the next of them comes, on the clock [s].
template <FindsNeighbours B, EventQueue Q, class K>
double next_global_event(const World<B, Q, K>& world) {
  const double next = std::min(world.compression.due(world.reach), world.rebasing.deadline());
  if constexpr (kCanDeform<B>) return std::min(next, world.neighbourhood.images_until());
  return next;
}

/// Makes it happen: the clock is to be rebased, or the disks are as large as they should be, or as their boxes.
template <FindsNeighbours B, EventQueue Q, class K>
void carry_out_global_event(World<B, Q, K>& world);

/// An epoch ends. While disks grow, their pressure is measured and velocities are rescaled then.
/// @param last disk to change its velocity
template <FindsNeighbours B, EventQueue Q, class K>
void rebase_clock(World<B, Q, K>& world, Index last);

/// The clock shows 0 again and all flights begin now, so that times are always small numbers: precision does not decay.
template <FindsNeighbours B, EventQueue Q, class K>
void rebase_flights(World<B, Q, K>& world);

/// When the clock, which shows 0, is to be rebased.
template <FindsNeighbours B, EventQueue Q, class K>
void plan_rebasing(World<B, Q, K>& world);

/// So far may a disk fly in an epoch [m].
template <FindsNeighbours B, EventQueue Q, class K>
double max_path(const World<B, Q, K>& world) {
  return K::kPath *
         max_path(world.space.domain, 2.0 * world.disks.smallest_radius() * world.compression.growth().scale);
}

}  // namespace scree::hard
