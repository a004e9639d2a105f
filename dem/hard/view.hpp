#pragma once

#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/space.hpp"

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

  /// What lengths of radii and forms are multiplied by.
  double size() const { return compression.growth().scale_at(now); }
  double radius(Index i) const { return hard::radius(disks.flight(i), compression.growth(), now); }
  Vec2 position(Index i) const { return space.position_at(disks.flight(i), now); }
};

}  // namespace scree::hard
