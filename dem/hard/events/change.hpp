#pragma once

#include <array>
#include <cstddef>

#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/outcome.hpp"

namespace scree::hard {

/// An event that changed velocities, with all that is needed to repeat it on disks that fly as they did before it, but
/// for its outcome.
struct Change {
  Event event;
  Index disk;                          ///< whose event it was; in a collision, the other one is its partner
  Image box_image_offset;              ///< of `disk`, to which the image of a wall refers
  std::array<Disks::Motion, 2> after;  ///< of `disk` and its partner

  bool has_partner() const { return event.kind() == EventKind::collision; }
  Index partner() const { return event.partner(disk); }
};

/// The outcome of a change that moved energy, or is measured; most are neither.
struct KeptOutcome {
  std::size_t change;  ///< its number
  Outcome outcome;
};

/// A change, and its outcome if that was kept.
struct KeptChange {
  const Change* change;
  const Outcome* outcome;
};

}  // namespace scree::hard
