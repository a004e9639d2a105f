#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "dem/archive.hpp"
#include "dem/clock.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// The clock, and when it is rebased, so that it shows 0 again: after a number of changes of velocity, or before a disk
/// has flown so far that digits are lost. Both follow from the trajectory alone.
class Rebasing {
 public:
  const Clock& clock() const { return clock_; }
  /// Latest time of the next rebasing, on the clock [s].
  double deadline() const { return deadline_; }
  /// Number of changes of velocity since the clock was rebased.
  std::uint64_t changes() const { return changes_; }
  /// The clock is rebased after so many of them.
  std::uint64_t changes_to_rebase() const { return changes_to_rebase_; }
  /// Counts a change of velocity. @return whether the clock is to be rebased now
  bool count_change() { return ++changes_ >= changes_to_rebase_; }

  /// The clock shows 0 instead of `now`.
  void rebase_clock(double now) {
    clock_.set_back(now);
    changes_ = 0;
  }
  /// For these disks, whose flights begin now, when the clock shows 0.
  /// @param changes of velocity until the clock is rebased @param max_path that any disk may fly until then [m]
  void plan(std::span<const FlyingDisk> disks, std::uint64_t changes, double max_path, const Vec2& gravity);
  /// The clock is rebased then at the latest [s].
  void end_by(double time) { deadline_ = std::min(deadline_, time); }
  /// A disk flies on from now at a speed whose square is this [m^2/s^2]. Others that were as fast before have an
  /// earlier deadline.
  void update_deadline(double speed_squared, double now) {
    if (speed_squared <= max_speed_squared_) return;
    max_speed_squared_ = std::min(speed_squared, std::numeric_limits<double>::max());
    deadline_ = std::min(deadline_, now + max_path_ / std::sqrt(max_speed_squared_));
  }
  /// What fast disks ask for. That of several is the same in whatever order they are taken in.
  struct Haste {
    double deadline = kNever;        ///< [s]
    double max_speed_squared = 0.0;  ///< [m^2/s^2]

    void include(const Haste& other) {
      deadline = std::min(deadline, other.deadline);
      max_speed_squared = std::max(max_speed_squared, other.max_speed_squared);
    }
  };
  /// Of a disk that flies on at this speed from then on: none if others were as fast before.
  Haste haste_of(double speed_squared, double then) const {
    if (speed_squared <= max_speed_squared_) return {};
    const double squared = std::min(speed_squared, std::numeric_limits<double>::max());
    return {then + max_path_ / std::sqrt(squared), squared};
  }
  /// As if each of these changes of velocity, fewer than changes_to_rebase(), had been counted and its disks' deadline
  /// updated.
  void count_changes(std::uint64_t changes, const Haste& of_disks) {
    changes_ += changes;
    deadline_ = std::min(deadline_, of_disks.deadline);
    max_speed_squared_ = std::max(max_speed_squared_, of_disks.max_speed_squared);
  }
  /// A disk that was added begins to fly now. @param max_path of any disk from now on [m]
  void add(double speed_squared, double now, double max_path, const Vec2& gravity);
  /// Whether a disk has been faster than any that the deadline of another clock takes into account.
  bool has_seen_faster_than(const Rebasing& other) const { return max_speed_squared_ > other.max_speed_squared_; }
  /// Begins to look for such disks.
  void look_from(const Rebasing& other) { max_speed_squared_ = other.max_speed_squared_; }
  /// It is rebased by others only.
  void leave_to_others() {
    changes_to_rebase_ = std::numeric_limits<std::uint64_t>::max();
    deadline_ = kNever;
    max_path_ = kNever;
  }
  /// No disk is left.
  void suspend() { deadline_ = kNever; }
  /// After loading: what was not saved. @param max_path of any disk [m]
  void resume(double max_path) {
    max_path_ = max_path;
    max_speed_squared_ = 0.0;
  }

  /// After loading. @param time of the simulation [s] @param longest_path of any disk [m] @throws InvalidState
  void require_sound(const Disks& disks, double time, double longest_path, const Vec2& gravity) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.changes_, self.changes_to_rebase_, self.deadline_);
    Clock::visit(archive, self.clock_);
  }

 private:
  Clock clock_;
  std::uint64_t changes_ = 0;
  std::uint64_t changes_to_rebase_ = 0;
  double deadline_ = kNever;        // [s]
  double max_path_ = kNever;        // [m]
  double max_speed_squared_ = 0.0;  // that the deadline has taken into account [m^2/s^2]
};

}  // namespace scree::hard
