#pragma once

#include <cstdint>
#include <vector>

#include "dem/hard/events/strips.hpp"
#include "dem/hard/flight/event.hpp"

namespace scree::hard {

/// What a simulation needs if it is a part of another one: dem/hard/threads/windows.hpp.
///
/// Copies of others' disks matter the less the later it is and the further away they are from the part's own disks: in
/// the time that is left, what they do cannot get there. Then they fly on as they do, and meet only disks that matter.
struct Part {
  int axis = 0;                               ///< along which the whole is divided
  Stretch inner;                              ///< disks whose boxes' centres are there need not be watched [m]
  std::vector<std::uint8_t> matters_forever;  ///< by disk: most of them; a byte, since each event reads it
  std::vector<double> matters_until;          ///< by disk; else on the clock [s]
  std::vector<Index> idle;                    ///< disks that did not have an event, or box, since they did not matter
  std::vector<Index> moved;                   ///< disks that got another box
  std::vector<Index> strayed;                 ///< and it is outside `inner`

  void let_matter(Index i, double until) {
    matters_forever[i] = until == kNever ? 1 : 0;
    matters_until[i] = until;
  }
  bool matters_at(Index i, double time) const { return matters_forever[i] != 0 || time <= matters_until[i]; }
  /// Whether disk i need not have another box any more.
  bool lets_be(Index i, double now) {
    if (matters_at(i, now)) return false;
    idle.push_back(i);
    return true;
  }
  bool matters(Index i, const Event& event) const {
    return matters_at(i, event.time) ||
           (event.kind() == EventKind::collision && matters_at(event.partner(i), event.time));
  }
  bool is_inner(const Vec2& box) const { return box[axis] >= inner.lo && box[axis] <= inner.hi; }
  void note_box(Index i, const Vec2& centre) {
    moved.push_back(i);
    if (!is_inner(centre)) strayed.push_back(i);
  }
};

}  // namespace scree::hard
