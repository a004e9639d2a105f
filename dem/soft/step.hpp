#pragma once

#include <span>
#include <vector>

#include "dem/soft/drives/wall_drives.hpp"
#include "dem/soft/rooms.hpp"
#include "dem/soft/stage_times.hpp"
#include "dem/soft/tally.hpp"

namespace scree::soft {

/// The processes that advance other parts of the same run. A run alone has none: it has all parts.
class Neighbours {
 public:
  virtual ~Neighbours() = default;
  /// If the scene measures: what the contacts pass on in this step.
  virtual void record(const Rooms& rooms) = 0;
  /// Sums over all contacts and grains. @param mine of its own
  virtual CellTally sum(const CellTally& mine) { return mine; }
  /// What contacts do to driven walls. @param loads of its own contacts, become those of all, in the order of keys
  virtual void join(std::vector<PairKey>&& /*keys*/, std::vector<ContactLoad>& /*loads*/) {}
  /// The motion of ghosts is as predicted, and is about to be corrected with the few contacts that are here.
  virtual void keep_ghosts(Rooms&) {}
  /// The motion of own bodies is corrected: that of ghosts gets the forces that their owners have.
  virtual void correct_ghosts(Rooms&) {}
};

/// Moves a part of a run, or all of it, on by a step: the order of stages, the same for a run alone and for ranks.
/// Books nothing: what the step took and gave is in the tally. On several threads.
/// @param own one flag a body: of whose contacts as a, and of which grains, it gives sums; pairs of two bodies that are
/// not
///        own are left out. All are own if there are none
/// @param keeps_regions whether those of contacts are there after the step; otherwise they may be (Contacts::region)
Tally step(Rooms& rooms, std::span<const char> own, bool keeps_regions, Neighbours& others, StageWatch& watch);

}  // namespace scree::soft
