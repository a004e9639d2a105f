#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace scree::hard {

/// Notices that a run makes no progress: inelastic collapse, a disk wedged between walls or crushed by them, or one
/// that is far too fast. A slow bed makes progress: its collisions take a contact duration or so. Growing disks end by
/// their pressure. Answers are what is wrong, for a person; nothing if all is well.
class Watchdog {
 public:
  /// The time that the run is to reach [s].
  void aim_at(double time) { target_ = time; }

  /// What happened since the clock was rebased last.
  struct Epoch {
    std::uint64_t changes;    ///< of velocities
    double duration;          ///< [s]
    double present;           ///< time at its end [s]
    std::size_t disks;        ///< how many there are
    double contact_duration;  ///< of the TC model, 0: none [s]
    bool grows;               ///< disks do
    std::string last;         ///< disk to change its velocity, with its speed
  };
  /// Before the clock is rebased.
  std::optional<std::string> check_epoch(const Epoch& epoch);

  /// Whether box exits are to be checked now that there were so many.
  static bool is_check_due(std::uint64_t box_exits) { return box_exits % kBoxExitsBetweenChecks == 0; }
  /// A disk so fast that the run never ends may hit nothing. @param present [s] @param last to leave its box
  std::optional<std::string> check_box_exits(double present, std::size_t disks, const std::string& last);
  /// After loading: what was not saved.
  void resume(double present) { box_exits_checked_at_ = present; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.changes_, self.duration_);
  }

 private:
  static constexpr std::uint64_t kBoxExitsBetweenChecks = 1 << 18;

  std::optional<std::string> check_event_rate(std::uint64_t events, const char* what, double duration, double present,
                                              std::size_t disks, const std::string& last) const;

  std::uint64_t changes_ = 0;          // of velocities, since they were checked
  double duration_ = 0.0;              // that they took [s]
  double target_ = 0.0;                // [s]
  double box_exits_checked_at_ = 0.0;  // [s]
};

}  // namespace scree::hard
