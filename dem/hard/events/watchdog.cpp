#include "dem/hard/events/watchdog.hpp"

#include <cmath>

#include <fmt/format.h>

namespace scree::hard {

std::optional<std::string> Watchdog::check_epoch(const Epoch& epoch) {
  constexpr std::uint64_t kChangesOfADisk = 100;
  constexpr double kStuck = 1e-6;  // contact durations
  if (epoch.duration == 0.0 && epoch.grows) {
    return fmt::format(
        "time stands still: {} collisions in no time, the last one of {}: the disks have grown until they fill the "
        "space "
        "between the sides; let growth.packing_fraction end their growth before",
        epoch.changes, epoch.last);
  }
  if (epoch.duration == 0.0) {
    return fmt::format(
        "time stands still: {} collisions in no time, the last one of {} (inelastic collapse, or a disk wedged between "
        "walls); raise the restitution, or give a contact duration or a longer one",
        epoch.changes, epoch.last);
  }
  changes_ += epoch.changes;
  duration_ += epoch.duration;
  if (changes_ < kChangesOfADisk * epoch.disks) return {};
  if (duration_ < kStuck * epoch.contact_duration) {
    return fmt::format(
        "the run is stuck: the last {} collisions, the last one of {}, took less than a millionth of the contact "
        "duration; check for disks wedged between walls, or shorten the contact duration",
        changes_, epoch.last);
  }
  std::optional<std::string> problem;
  if (!epoch.grows) {
    problem = check_event_rate(changes_, "changes of velocity", duration_, epoch.present, epoch.disks, epoch.last);
  }
  changes_ = 0;
  duration_ = 0.0;
  return problem;
}

std::optional<std::string> Watchdog::check_box_exits(double present, std::size_t disks, const std::string& last) {
  const double duration = present - box_exits_checked_at_;
  box_exits_checked_at_ = present;
  return check_event_rate(kBoxExitsBetweenChecks, "box exits", duration, present, disks, last);
}

/// At the pace of the last events, the target must not be 1e12 events a disk away: weeks for one disk, years for a
/// hundred.
std::optional<std::string> Watchdog::check_event_rate(std::uint64_t events, const char* what, double duration,
                                                      double present, std::size_t disks,
                                                      const std::string& last) const {
  constexpr double kTooMany = 1e12;
  const double left = target_ - present;
  if (!std::isfinite(left)) return {};
  if (duration * kTooMany * static_cast<double>(disks) >= static_cast<double>(events) * left) return {};
  return fmt::format(
      "time stands still, or nearly so: the last {} {} took {:.3g} s, the last one was that of {}; check for a disk or "
      "a wall that is too fast, for walls that close in on a disk, and for inelastic collapse, against which a higher "
      "restitution or a contact duration helps",
      events, what, duration, last);
}

}  // namespace scree::hard
