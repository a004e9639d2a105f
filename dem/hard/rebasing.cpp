#include "dem/hard/rebasing.hpp"

#include "dem/hard/clock_precision.hpp"

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

}  // namespace scree::hard
