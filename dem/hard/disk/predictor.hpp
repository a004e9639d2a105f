#pragma once

#include <span>
#include <vector>

#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/boxes/event_queue.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/hard/lanes/kernels.hpp"

namespace scree::hard {

/// The next event of one disk, from const views of what it depends on: Lubachevsky 1991, Fig. 6.1, lines 14 and 15.
///
/// Its time is a function of the flights alone: predicted at any moment it has the same bits.
struct Predictor {
  const Space& space;
  const Disks& disks;
  const DiskBoxes& boxes;
  const Walls& walls;
  const Wells& wells;
  const Compression& compression;
  const std::vector<QueuedEvent>&
      events;  ///< of all disks, by index: a partner that has an earlier one is not available
  const lanes::Kernels& kernels = lanes::kernels();

  /// The earliest of: sides, walls, and collisions with partners that have nothing earlier; kNever if there is nothing.
  /// Cost: O(partners + walls in reach). No allocation.
  Event next_event(Index i) const;
  /// The earliest of the event that disk i has, walls, and collisions with these partners: what comes next when its box
  /// has moved and it has got them as new partners.
  Event next_event_with(Index i, std::span<const Partner> newcomers) const;
  /// What comes next to disk i if there is no other one: line 15.
  Event next_of_disk_alone(Index i) const;
  /// The least of `best` and the collisions with these partners that have nothing earlier, where two times are equal,
  /// or digits are lost.
  Event next_by_rank(Index i, std::span<const Partner> partners, Event best) const;
  /// The event that a kernel found among these partners, or `best` if it found none before that.
  Event event_of(const lanes::Soonest& next, Index i, std::span<const Partner> partners, const Event& best) const {
    if (next.place == lanes::kNoPartner) return best;
    if (next.place == lanes::kUnclear) [[unlikely]]
      return next_by_rank(i, partners, best);
    const Partner partner = partners[next.place];
    return Event::collision(next.time, i, partner.disk(), partner.image());
  }
  /// When the disk leaves its box. @param now on the clock [s]
  double box_exit_time(Index i, double now) const;
  /// True only if the disk is inside its box from `now` on until `time`.
  bool stays_in_box(Index i, double now, double time) const;
};

}  // namespace scree::hard
