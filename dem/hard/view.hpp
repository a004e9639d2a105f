#pragma once

#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/space.hpp"
#include "geometry/contact_shape.hpp"

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

  /// What its radius and form are multiplied by.
  double size(Index i) const { return compression.size(disks, i, now); }
  double radius(Index i) const { return compression.radius(disks, i, now); }
  /// Its form as large as it is. @pre grains have forms
  ContactShape shape(Index i) const { return disks.forms()[i].shape.scaled(size(i)); }
  Vec2 position(Index i) const { return space.position_at(disks.flight(i), now); }
};

}  // namespace scree::hard
