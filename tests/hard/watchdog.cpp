#include "dem/hard/events/watchdog.hpp"

#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace scree::watchdog_test {

using namespace scree::hard;

namespace {

/// 1000 changes of velocity of ten disks, 1 ms in all.
Watchdog::Epoch epoch() {
  return {.changes = 1000,
          .duration = 1e-3,
          .present = 5.0,
          .disks = 10,
          .contact_duration = 0.0,
          .grows = false,
          .last = "disk 7, at 3 m/s"};
}

bool tells(const std::optional<std::string>& problem, const char* what) {
  return problem && problem->find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("collisions in no time are told at once, with the last disk") {
  Watchdog watchdog;
  Watchdog::Epoch still = epoch();
  still.changes = 3;
  still.duration = 0.0;
  CHECK(tells(watchdog.check_epoch(still), "time stands still: 3 collisions in no time"));
  CHECK(tells(watchdog.check_epoch(still), "disk 7"));
  still.duration = 1e-300;
  CHECK_FALSE(watchdog.check_epoch(still));
}

TEST_CASE("disks that grow until they fill the space get other advice") {
  Watchdog watchdog;
  Watchdog::Epoch still = epoch();
  still.duration = 0.0;
  still.grows = true;
  CHECK(tells(watchdog.check_epoch(still), "let growth.packing_fraction end their growth"));
  CHECK_FALSE(tells(watchdog.check_epoch(still), "restitution"));
}

TEST_CASE("a hundred changes a disk that take less than a millionth of the contact duration are told") {
  Watchdog watchdog;
  Watchdog::Epoch stuck = epoch();
  stuck.contact_duration = 999.0;
  CHECK_FALSE(watchdog.check_epoch(stuck));
  stuck.contact_duration = 1001.0;
  CHECK(tells(watchdog.check_epoch(stuck), "the run is stuck"));
}

TEST_CASE("changes of several epochs are added until there are a hundred a disk") {
  Watchdog watchdog;
  Watchdog::Epoch stuck = epoch();
  stuck.changes = 400;
  stuck.contact_duration = 1e6;
  CHECK_FALSE(watchdog.check_epoch(stuck));
  CHECK_FALSE(watchdog.check_epoch(stuck));
  CHECK(tells(watchdog.check_epoch(stuck), "the last 1200 collisions"));
}

TEST_CASE("a run that would take 1e12 events a disk is told, unless disks grow") {
  Watchdog watchdog;
  Watchdog::Epoch slow = epoch();  // 1e-6 s an event; 1e13 events are 1e7 s
  watchdog.aim_at(5.0 + 0.99e7);
  CHECK_FALSE(watchdog.check_epoch(slow));
  watchdog.aim_at(5.0 + 1.01e7);
  CHECK(tells(watchdog.check_epoch(slow), "1000 changes of velocity took 0.001 s"));
  slow.grows = true;
  CHECK_FALSE(watchdog.check_epoch(slow));
  slow.grows = false;
  watchdog.aim_at(std::numeric_limits<double>::infinity());  // there is no end to be reached
  CHECK_FALSE(watchdog.check_epoch(slow));
}

TEST_CASE("box exits are checked now and then, for disks so fast that they hit nothing") {
  constexpr std::uint64_t kBetween = 1 << 18;
  CHECK(Watchdog::is_check_due(3 * kBetween));
  CHECK_FALSE(Watchdog::is_check_due(3 * kBetween + 1));
  Watchdog watchdog;
  watchdog.aim_at(1e8);
  const double tick = kBetween * 1e-4;  // s: 1e12 of these exits take 1e8 s
  CHECK(tells(watchdog.check_box_exits(0.99 * tick, 1, "disk 3"), "box exits took"));
  CHECK_FALSE(watchdog.check_box_exits(2.0 * tick, 1, "disk 3"));
  CHECK(tells(watchdog.check_box_exits(2.1 * tick, 1, "disk 3"), "disk 3"));
  watchdog.resume(0.0);
  CHECK_FALSE(watchdog.check_box_exits(1.01 * tick, 1, "disk 3"));
}

}  // namespace scree::watchdog_test
