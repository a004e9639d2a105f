#pragma once

#include <array>

#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/outcome.hpp"

namespace scree::hard {

/// An event that changed velocities, with all that is needed to repeat it on disks that fly as they did before it.
struct Change {
  Event event;
  Index disk;              ///< whose event it was; in a collision, the other one is its partner
  Image box_image_offset;  ///< of `disk`, to which the image of a wall refers
  Outcome outcome;
  std::array<Disks::Motion, 2> after;  ///< of `disk` and its partner

  bool has_partner() const { return event.kind() == EventKind::collision; }
  Index partner() const { return event.partner(disk); }
};

}  // namespace scree::hard
