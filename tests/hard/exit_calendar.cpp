#include "dem/hard/boxes/exit_calendar.hpp"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::exit_calendar_test {

using namespace scree::hard;
using test::Dice;

namespace {

constexpr Index kDisks = 40;

/// Disks that leave their boxes at random, and a calendar of when.
struct Leaving {
  Dice dice;
  double speed;  ///< over that for which the buckets are chosen
  double now = 3.0;
  std::vector<double> exit = std::vector<double>(kDisks);
  ExitCalendar calendar;
  bool in_time = true;

  Leaving(std::uint64_t seed, double disks_speed) : dice(seed), speed(disks_speed) {
    for (double& time : exit) time = some_time();
    plan_all();
  }
  double some_time() { return now + dice.between(0.001, 1.0) / speed; }
  void plan_all() {
    calendar.begin(kDisks, now, 0.5, 1.0);
    for (Index i = 0; i < kDisks; ++i) calendar.plan(i, exit[i]);
  }
  /// @return who is due; all are planned anew
  std::vector<Index> take() {
    now = calendar.due();
    const std::vector<Index> taken = calendar.take();
    for (const Index i : taken) {
      if (exit[i] < calendar.end_of_bucket()) exit[i] = some_time();  // it leaves now
      calendar.plan(i, exit[i]);
    }
    for (const double time : exit)
      in_time = in_time && time >= now * (1.0 - 4e-16);  // rounding, for which boxes have slack
    return taken;
  }
  void takes_another_course(Index i, double time) {
    exit[i] = time;
    if (time < calendar.planned(i)) calendar.plan(i, time);
  }
};

}  // namespace

TEST_CASE("every disk is taken before it leaves its box, whatever is planned anew meanwhile") {
  for (const double speed : {0.1, 1.0, 30.0, 1e4}) {
    CAPTURE(speed);
    Leaving disks(5, speed);
    std::size_t taken = 0;
    std::size_t renewed = 0;
    for (int k = 0; k < 20000; ++k) {
      const Index changed = disks.dice.below(kDisks);
      disks.takes_another_course(changed, disks.some_time());
      taken += disks.take().size();
      if (!disks.calendar.is_used_up()) continue;
      ++renewed;
      disks.plan_all();
    }
    CHECK(disks.in_time);
    CHECK(taken > 100);
    CHECK(renewed > 10);
  }
}

TEST_CASE("so it is after going back, if what was taken since then is planned anew") {
  for (const double speed : {0.1, 1.0, 30.0}) {
    CAPTURE(speed);
    Leaving disks(7, speed);
    int went_back = 0;
    for (int k = 0; k < 2000; ++k) {
      const double then = disks.now;
      const std::vector<double> exit_then = disks.exit;
      std::vector<Index> undone;
      for (Index steps = disks.dice.below(60); steps > 0; --steps) {
        for (const Index i : disks.take()) undone.push_back(i);
        if (disks.calendar.is_used_up()) disks.plan_all();
      }
      if (disks.dice.below(2) == 0) continue;
      ++went_back;
      disks.now = then;
      disks.calendar.rewind(then);
      for (const Index i : undone) disks.takes_another_course(i, exit_then[i]);
    }
    CHECK(disks.in_time);
    CHECK(went_back > 100);
  }
}

TEST_CASE("a disk that is forgotten is not taken, planned with others or alone") {
  ExitCalendar calendar;
  calendar.begin(3, 0.0, 0.5, 1.0);
  calendar.plan(0, 0.0001);  // in the bucket that has begun
  calendar.plan(1, 0.1);
  calendar.plan(2, 0.1);
  calendar.forget(0);
  calendar.forget(1);
  std::vector<Index> taken;
  while (!calendar.is_used_up() && calendar.due() < 1.0) {
    for (const Index i : calendar.take()) taken.push_back(i);
  }
  CHECK(taken == std::vector<Index>{2});
}

TEST_CASE("disks at rest are never due") {
  ExitCalendar calendar;
  calendar.begin(2, 1.0, 0.5, 0.0);
  calendar.plan(0, kNever);
  CHECK(calendar.due() == kNever);
  calendar.plan(1, 2.5);  // something has hit it
  CHECK(calendar.due() == 2.5);
  CHECK(calendar.take() == std::vector<Index>{1});
  CHECK(calendar.due() == kNever);
}

}  // namespace scree::exit_calendar_test
