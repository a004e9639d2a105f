#include "dem/hard/boxes/exit_calendar.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::exit_calendar_test {

using namespace scree::hard;
using test::Dice;

TEST_CASE("every disk is taken before it leaves its box, whatever is planned anew meanwhile") {
  for (const double speed : {0.1, 1.0, 30.0, 1e4}) {  // of disks, over that for which the buckets are chosen
    CAPTURE(speed);
    Dice dice(5);
    constexpr Index kDisks = 40;
    ExitCalendar calendar;
    std::vector<double> exit(kDisks);
    double now = 3.0;
    const auto plan_all = [&] {
      calendar.begin(kDisks, now, 0.5, 1.0);
      for (Index i = 0; i < kDisks; ++i) calendar.plan(i, exit[i]);
    };
    const auto some_time = [&] { return now + dice.between(0.001, 1.0) / speed; };
    for (double& time : exit) time = some_time();
    plan_all();
    std::size_t taken = 0;
    bool in_time = true;
    std::size_t renewed = 0;
    for (int k = 0; k < 20000; ++k) {
      const Index changed = dice.below(kDisks);  // takes another course
      exit[changed] = some_time();
      if (exit[changed] < calendar.planned(changed)) calendar.plan(changed, exit[changed]);
      now = calendar.due();
      for (const Index i : std::vector<Index>(calendar.take())) {
        ++taken;
        if (exit[i] < calendar.end_of_bucket()) exit[i] = some_time();  // it leaves now
        calendar.plan(i, exit[i]);
      }
      for (const double time : exit)
        in_time = in_time && time >= now * (1.0 - 4e-16);  // rounding, for which boxes have slack
      if (!calendar.is_used_up()) continue;
      ++renewed;
      plan_all();
    }
    CHECK(in_time);
    CHECK(taken > 100);
    CHECK(renewed > 10);
  }
}

TEST_CASE("so it is after going back, if what was taken or took another course since then is planned anew") {
  for (const double speed : {0.1, 1.0, 30.0}) {
    CAPTURE(speed);
    Dice dice(7);
    constexpr Index kDisks = 40;
    ExitCalendar calendar;
    std::vector<double> exit(kDisks);
    double now = 3.0;
    const auto plan_all = [&] {
      calendar.begin(kDisks, now, 0.5, 1.0);
      for (Index i = 0; i < kDisks; ++i) calendar.plan(i, exit[i]);
    };
    const auto some_time = [&] { return now + dice.between(0.001, 1.0) / speed; };
    for (double& time : exit) time = some_time();
    plan_all();
    bool in_time = true;
    int went_back = 0;
    for (int k = 0; k < 2000; ++k) {
      const double then = now;
      const std::vector<double> exit_then = exit;
      std::vector<Index> undone;
      for (Index steps = dice.below(60); steps > 0; --steps) {
        now = calendar.due();
        for (const Index i : std::vector<Index>(calendar.take())) {
          undone.push_back(i);
          if (exit[i] < calendar.end_of_bucket()) exit[i] = some_time();
          calendar.plan(i, exit[i]);
        }
        for (const double time : exit) in_time = in_time && time >= now * (1.0 - 4e-16);
        if (calendar.is_used_up()) plan_all();
      }
      if (dice.below(2) == 0) continue;
      ++went_back;
      now = then;
      calendar.rewind(now);
      for (const Index i : undone) {
        exit[i] = exit_then[i];
        if (exit[i] < calendar.planned(i)) calendar.plan(i, exit[i]);
      }
    }
    CHECK(in_time);
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
