#pragma once

#include "dem/hard/compression.hpp"
#include "dem/hard/disk_boxes.hpp"
#include "dem/hard/disks.hpp"
#include "dem/hard/space.hpp"
#include "dem/hard/walls.hpp"
#include "dem/hard/wells.hpp"

namespace scree::hard {

/// Const views of the rooms of a simulation at one time, for output, measurements and the audit.
struct View {
  const Space& space;
  const Disks& disks;
  const DiskBoxes& boxes;
  const Walls& walls;
  const Wells& wells;
  const Compression& compression;
  double time;  ///< [s]
  double now;   ///< the same on the clock [s]

  double radius(Index i) const { return hard::radius(disks.flight(i), compression.growth(), now); }
  Vec2 position(Index i) const { return space.position_at(disks.flight(i), now); }
};

}  // namespace scree::hard
