#pragma once

#include <cstddef>

#include "dem/hard/world.hpp"

/// Boxes, the calendar of when disks leave them, and all events: made anew from flights, which they change in nothing.
namespace scree::hard {

/// Boxes for all disks where they are now; only then the first predictions. @param capacity disks for which there is
/// room @pre no disk has left
/// @throws PhysicsError if a disk is too wide, or a cell too fast
/// Cost: O(N log N)
template <FindsNeighbours B, EventQueue Q, class K>
void place_boxes(World<B, Q, K>& world, std::size_t capacity);

/// place_boxes, if there are none.
template <FindsNeighbours B, EventQueue Q, class K>
void require_boxes(World<B, Q, K>& world) {
  if (world.has_boxes()) return;
  world.now = world.now_on_clock();
  place_boxes(world, world.disks.size());
}

/// Until something needs them again.
template <FindsNeighbours B, EventQueue Q, class K>
void give_up_boxes(World<B, Q, K>& world) {
  world.neighbourhood = NeighbourhoodBy<B>(world.space.domain, world.neighbourhood.boxes().margin());
  world.queue = Q();
  world.exits = ExitCalendar();
}

/// Discards the events of all disks, as in Fig. 6.1 at the beginning. A run that was stopped on the way is at the time
/// of its last event, rounded: so that what comes next comes in its order, advancements come before.
template <FindsNeighbours B, EventQueue Q, class K>
void invalidate_events(World<B, Q, K>& world);

/// A fresh calendar of when each disk leaves its box.
template <FindsNeighbours B, EventQueue Q, class K>
void plan_exits(World<B, Q, K>& world);

/// Disk i leaves its box when its flight, which may have changed, leads out of it.
template <FindsNeighbours B, EventQueue Q, class K, class P>
void plan_exit(World<B, Q, K>& world, Index i, const P& predictor) {
  if (predictor.stays_in_box(i, world.now, world.exits.planned(i))) return;
  world.exits.plan(i, predictor.box_exit_time(i, world.now));
}

/// Where images of a cell that deforms stand from now on: in the middle of where they will be until they are moved.
template <FindsNeighbours B, EventQueue Q, class K>
void place_images(World<B, Q, K>& world);

}  // namespace scree::hard
