#include "dem/hard/events/rebasing.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/flight/clock_precision.hpp"

namespace scree::rebasing_test {

using namespace scree::hard;

namespace {

const Vec2 kNoGravity = Vec2::Zero();
constexpr double kMaxPath = 60.0;  // [m]

std::vector<FlyingDisk> flying_at(const std::vector<Vec2>& velocities) {
  std::vector<FlyingDisk> disks;
  for (const Vec2& velocity : velocities) disks.push_back({{Vec2::Zero(), velocity, 0.0, 0.5}, 1.0, {0, 0}});
  return disks;
}

}  // namespace

TEST_CASE("the deadline is when the fastest disk has flown as far as it may") {
  Rebasing rebasing;
  rebasing.plan(flying_at({{1.0, 0.0}, {3.0, 4.0}, {0.0, -2.0}}), 1000, kMaxPath, kNoGravity);
  CHECK(rebasing.deadline() == 12.0);
  rebasing.plan(flying_at({{0.0, 0.0}}), 1000, kMaxPath, kNoGravity);
  CHECK(rebasing.deadline() == kNever);
}

TEST_CASE("only a disk faster than all before makes the deadline earlier; it never becomes later") {
  Rebasing rebasing;
  rebasing.plan(flying_at({{3.0, 4.0}}), 1000, kMaxPath, kNoGravity);
  rebasing.update_deadline(4.0 * 4.0, 1.0);
  CHECK(rebasing.deadline() == 12.0);
  rebasing.update_deadline(10.0 * 10.0, 1.0);
  CHECK(rebasing.deadline() == 7.0);
  rebasing.update_deadline(12.0 * 12.0, 6.0);  // it would be at 11 s
  CHECK(rebasing.deadline() == 7.0);
}

TEST_CASE("falling disks have a deadline even at rest") {
  Rebasing rebasing;
  rebasing.plan(flying_at({{0.0, 0.0}}), 1000, kMaxPath, {0.0, -15.0});
  CHECK(rebasing.deadline() == 2.0);
  CHECK(0.5 * 15.0 * std::pow(rebasing.deadline(), 2) == 0.5 * kMaxPath);  // how far they fall
}

TEST_CASE("a disk that is added counts from the time when it begins") {
  Rebasing rebasing;
  rebasing.plan({}, 1000, kMaxPath, kNoGravity);
  CHECK(rebasing.deadline() == kNever);
  rebasing.add(25.0, 3.0, kMaxPath, kNoGravity);
  CHECK(rebasing.deadline() == 15.0);
  rebasing.add(1.0, 4.0, 0.1 * kMaxPath, kNoGravity);  // slow, but small
  CHECK(rebasing.deadline() == 10.0);
  rebasing.suspend();
  CHECK(rebasing.deadline() == kNever);
}

TEST_CASE("the clock is to be rebased after so many changes of velocity, and then shows 0") {
  Rebasing rebasing;
  rebasing.plan(flying_at({{1.0, 0.0}}), 3, kMaxPath, kNoGravity);
  CHECK_FALSE(rebasing.count_change());
  CHECK_FALSE(rebasing.count_change());
  CHECK(rebasing.count_change());
  rebasing.rebase_clock(2.5);
  CHECK(rebasing.changes() == 0);
  CHECK(rebasing.clock().epoch() == 2.5);
  CHECK(rebasing.clock().at(4.0) == 1.5);
  CHECK_FALSE(rebasing.count_change());
}

TEST_CASE("a path that ends in the domain is the same for disks that fly alike, however far") {
  const Domain domain{{0.0, 0.0}, {0.7, 1.0}, {true, false}};
  const Vec2 apart(0.1, 0.0);
  int far = 0;
  for (double path = 0.01; path < 1e6; path *= 3.7) {
    const Vec2 a = end_of_path(domain, {0.05, 0.5}, {path, 0.0});
    const Vec2 b = end_of_path(domain, Vec2(0.05, 0.5) + apart, {path, 0.0});
    CHECK(a.x() >= 0.0);
    CHECK(a.x() < 0.7);
    const double around = std::abs((b - a - apart).x());
    CHECK(std::min(around, std::abs(around - 0.7)) < 1e-15);
    far += path > 1.0 ? 1 : 0;
  }
  CHECK(far > 8);
}

}  // namespace scree::rebasing_test
