#pragma once

#include <vector>

#include "dem/hard/compression.hpp"
#include "dem/hard/disk_boxes.hpp"
#include "dem/hard/disks.hpp"
#include "dem/hard/event.hpp"
#include "dem/hard/space.hpp"
#include "dem/hard/walls.hpp"
#include "dem/hard/wells.hpp"

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
  const std::vector<Event>& events;  ///< of all disks, by index: a partner that has an earlier one is not available

  /// The earliest of: leaving the box, sides, walls, and collisions with partners that have nothing earlier.
  /// @param now on the clock [s]
  /// Cost: O(partners + walls in reach). No allocation.
  Event next_event(Index i, double now) const;
  /// When the disk leaves its box, on the clock [s].
  double box_exit_time(Index i, double now) const;
};

}  // namespace scree::hard
