#include "dem/hard/events/rebasing.hpp"

#include <cmath>

#include "dem/hard/flight/clock_precision.hpp"

namespace scree::hard {

void Rebasing::plan(std::span<const FlyingDisk> disks, std::uint64_t changes, double max_path, const Vec2& gravity) {
  changes_to_rebase_ = changes;
  max_path_ = max_path;
  max_speed_squared_ = 0.0;
  deadline_ = disks.empty() ? kNever : max_fall_time(max_path, gravity);
  for (const FlyingDisk& disk : disks) update_deadline(disk.flight.velocity.squaredNorm(), 0.0);
}

void Rebasing::add(double speed_squared, double now, double max_path, const Vec2& gravity) {
  max_path_ = max_path;
  max_speed_squared_ = 0.0;
  deadline_ = std::min(deadline_, now + max_fall_time(max_path, gravity));
  update_deadline(speed_squared, now);
}

/// No flight is longer than a disk may fly until the deadline. Falling, and turned round then, it may be twice as fast.
/// Without this the boxes and fields of a disk of any speed would be passed one by one, for ever.
void Rebasing::require_sound(const Disks& disks, double time, double longest_path, const Vec2& gravity) const {
  constexpr double kRounding = 1e-12;
  const double now = clock_.at(time);
  require_state(std::isfinite(now) && clock_.at(0.0) <= 0.0 && now >= -kRounding * time, "the clock");
  require_state(!std::isnan(deadline_) && changes_ <= changes_to_rebase_, "when the clock is to be rebased");
  const double longest_fall = max_fall_time(longest_path, gravity);
  for (Index i = 0; i < disks.size(); ++i) {
    if (disks.has_left(i)) continue;
    const Flight& flight = disks.flight(i);
    const double speed = flight.velocity.stableNorm();
    for (const double end : {deadline_, now}) {
      const double duration = std::abs(end - flight.time);
      require_state(duration <= 2.0 * longest_fall && (speed == 0.0 || speed * duration <= 4.0 * longest_path),
                    "the flight of a disk");
    }
  }
}

}  // namespace scree::hard
