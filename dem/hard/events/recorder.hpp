#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "dem/hard/events/change.hpp"
#include "dem/hard/events/helfand_moments.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/cell.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/outcome.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/state.hpp"
#include "dem/transfers.hpp"

namespace scree::hard {

/// Hands on to the measurements what events did, or keeps it as it is. It changes nothing that feeds back into the
/// motion.
class Recorder {
 public:
  explicit Recorder(const Setup& setup);
  /// One that keeps all changes, and measures nothing. @param all_outcomes  or those alone that moved energy
  static Recorder of_changes(bool all_outcomes);

  bool records() const { return records_; }
  const Transfers& transfers() const { return transfers_; }
  /// @param i whose event it was
  void record(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls, const Space& space,
              Disks& disks) {
    if (records_) record_event(i, event, outcome, now, walls, space, disks);
  }

  /// Whether collisions are listed, or Helfand's moments taken.
  bool asks_when() const { return lists_ || moments_; }
  /// @param time of the event [s]
  void record_when(Index i, const Event& event, const Outcome& outcome, double time, const Disks& disks);
  std::vector<Collision> take_collisions() { return std::exchange(collisions_, {}); }

  /// Nothing unless they are measured.
  std::optional<HelfandMoments>& moments() { return moments_; }
  const std::optional<HelfandMoments>& moments() const { return moments_; }

  /// Sums over flights that are over and over collisions in a cell that deforms, whether or not anything is measured.
  CellSums& cell_sums() { return cell_sums_; }
  const CellSums& cell_sums() const { return cell_sums_; }

  std::vector<Change>& changes() { return changes_; }
  const std::vector<Change>& changes() const { return changes_; }
  /// Of some of them, in their order.
  std::vector<KeptOutcome>& outcomes() { return outcomes_; }
  const std::vector<KeptOutcome>& outcomes() const { return outcomes_; }

  /// After loading. @param fresh  the sums as they were at the start @throws InvalidState
  void require_sound(const Transfers& fresh) const {
    transfers_.require_sound(fresh);
    if (moments_) moments_->require_sound();
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    Transfers::visit(archive, self.transfers_);
    if (self.moments_) HelfandMoments::visit(archive, *self.moments_);
  }

 private:
  Recorder() = default;
  void record_event(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls,
                    const Space& space, Disks& disks);
  void keep_change(Index i, const Event& event, const Outcome& outcome, const Disks& disks);
  void record_transfer(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls,
                       const Space& space, Disks& disks);
  void record_free_flight(Index i, double now, Disks& disks);
  void list(Index i, const Event& event, const Outcome& outcome, double time, const Disks& disks);

  bool records_ = true;
  bool keeps_changes_ = true;
  bool keeps_all_outcomes_ = false;
  bool measures_free_flights_ = false;
  bool lists_ = false;
  double lists_from_ = 0.0;  // [s]
  Transfers transfers_;
  std::optional<HelfandMoments> moments_;
  std::vector<Collision> collisions_;  // since they were taken
  std::vector<Change> changes_;
  std::vector<KeptOutcome> outcomes_;
  CellSums cell_sums_;
};

}  // namespace scree::hard
