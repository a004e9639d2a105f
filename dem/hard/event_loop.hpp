#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dem/hard/world.hpp"

namespace scree::hard {

/// Makes events happen, in their order, until `time` [s], or so many; the time is then that of the last one, before
/// `time`. Makes boxes and events first, if there are none.
///
/// The algorithm is Lubachevsky's with delayed update (1991, Fig. 6.1). Each disk has an old event, the flight it is
/// on, and a new one, the earliest that is known to end it; both partners of a collision have it as their new event.
/// The new event of a disk that was processed is found among its partners, except those that have an earlier one. The
/// partner is taken away from a third disk, whose event becomes an advancement: then its next event is found anew.
///
/// Only events that change a velocity, and the rebasing of the clock, after a fixed number of them or when a disk may
/// have flown too far, rewrite a disk's flight, and predictions are functions of flights alone. So the trajectory is
/// the same to the last bit for any broadphase, queue, margin and output interval, and across save and load.
///
/// Grains of any kind are called disks here; their radii are those of their bounding circles.
///
/// Cost an event: O(1) with BucketQueue, O(log N) with ImplicitHeap, and the broadphase's move when a disk leaves its
/// box.
/// @throws PhysicsError if time stands still (Watchdog), or if disks are too fast for the clock. The time is then that
///         of the last event.
template <FindsNeighbours B, EventQueue Q, class K>
void advance(World<B, Q, K>& world, double time, std::uint64_t at_most = ~std::uint64_t{0});

/// The time [s] before which an event would be the next: so many were allowed, and there are more until then.
template <FindsNeighbours B, EventQueue Q, class K>
void stop_before(World<B, Q, K>& world, double time) {
  world.time = std::max(world.time, std::min(world.present(), std::nextafter(time, -kNever)));
}

}  // namespace scree::hard
