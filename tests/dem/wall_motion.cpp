#include "dem/wall_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::wall_motion_test {

namespace {

Wall paddle() {
  Wall wall;
  wall.polygon = {{1.0, 0.0}, {2.0, 0.0}, {2.0, 0.1}, {1.0, 0.1}};
  wall.velocity = {0.3, -0.2};
  wall.angular_velocity = 1.5;
  wall.pivot = {1.0, 0.05};
  wall.oscillation = {.amplitude = {0.02, 0.05}, .frequency = 3.0, .phase = 0.7};
  return wall;
}

Vec2 position(const WallMotion& motion, double t, const Vec2& corner) {
  return motion.at(t).position_of(corner - motion.origin());
}

}  // namespace

TEST_CASE("a wall moves, oscillates and rotates about its pivot, which moves with it") {
  const Wall wall = paddle();
  const WallMotion motion(wall);
  for (const double t : {0.0, 0.013, 0.4, 7.1}) {
    CAPTURE(t);
    const double swing = std::sin(2.0 * std::numbers::pi * 3.0 * t + 0.7);
    const Vec2 pivot = wall.pivot + t * wall.velocity + swing * wall.oscillation.amplitude;
    CHECK((position(motion, t, wall.pivot) - pivot).norm() < 1e-13);  // m
    const Vec2 arm = wall.polygon[2] - wall.pivot;
    const Vec2 turned = Eigen::Rotation2Dd(1.5 * t) * arm;
    CHECK((position(motion, t, wall.polygon[2]) - (pivot + turned)).norm() < 1e-13);  // m
    CHECK(std::abs(motion.at(t).angle - 1.5 * t) < 1e-14);                            // rad
  }
}

TEST_CASE("velocity and acceleration are the derivatives of the position") {
  const WallMotion motion(paddle());
  constexpr double kStep = 1e-4;  // s
  for (const double t : {0.0, 0.3, 2.0}) {
    CAPTURE(t);
    const auto before = motion.at(t - kStep);
    const auto now = motion.at(t);
    const auto after = motion.at(t + kStep);
    CHECK(((after.position - before.position) / (2.0 * kStep) - now.velocity).norm() < 1e-5);      // m/s
    CHECK(((after.velocity - before.velocity) / (2.0 * kStep) - now.acceleration).norm() < 1e-3);  // m/s^2
  }
}

TEST_CASE("a wall at rest keeps its position to the last bit") {
  Wall wall;
  wall.polygon = {{0.1, 0.3}, {0.7, 0.3}, {0.7, 0.9}};
  const WallMotion motion(wall);
  CHECK(!motion.turns());
  CHECK(!motion.oscillates());
  CHECK(position(motion, 1e9, wall.polygon[1]) == wall.polygon[1]);
  CHECK(motion.max_speed(10.0) == 0.0);
}

TEST_CASE("along its axis a belt stays where it is and its surface moves") {
  Wall wall = paddle();
  wall.angular_velocity = 0.0;
  const WallMotion belt(wall, {true, false});
  const WallMotion free(wall);
  for (const double t : {0.1, 3.0}) {
    CHECK(belt.at(t).position.x() == 0.0);
    CHECK(belt.at(t).position.y() == free.at(t).position.y());
    CHECK(Vec2(belt.at(t).velocity + belt.at(t).surface) == free.at(t).velocity);
  }
}

TEST_CASE("no point is faster than the greatest speed, and some points nearly reach it") {
  const Wall wall = paddle();
  const WallMotion motion(wall);
  double extent = 0.0;
  for (const Vec2& corner : wall.polygon) extent = std::max(extent, (corner - motion.origin()).norm());
  const double bound = motion.max_speed(extent);
  double fastest = 0.0;
  for (double t = 0.0; t < 20.0; t += 1e-3) {
    const auto now = motion.at(t);
    for (const Vec2& corner : wall.polygon) {
      const Vec2 arm = now.rotation * (corner - motion.origin());
      fastest = std::max(fastest, (now.velocity + motion.angular_velocity() * perp(arm)).norm());
    }
  }
  CHECK(fastest <= bound);
  CHECK(fastest > 0.9 * bound);
}

TEST_CASE("after the clock is rebased, the motion is the same") {
  WallMotion motion(paddle());
  const WallMotion reference(paddle());
  Clock clock;
  for (int k = 0; k < 1000; ++k) clock.set_back(0.137);
  motion.set_clock(clock);
  const double t = 137.05;                                                             // s
  CHECK((motion.at(clock.at(t)).position - reference.at(t).position).norm() < 1e-12);  // m
  CHECK((motion.at(clock.at(t)).velocity - reference.at(t).velocity).norm() < 1e-10);  // m/s
  const double turns = (motion.at(clock.at(t)).angle - reference.at(t).angle) / (2.0 * std::numbers::pi);
  CHECK(std::abs(turns - std::round(turns)) < 1e-12);
}

namespace {

/// Trains of taps of all kinds, one of them cut short by the next.
std::vector<Taps> random_taps(test::Dice& dice) {
  std::vector<Taps> trains;
  double time = dice.between(0.0, 1.0);
  const int count = 1 + static_cast<int>(dice.between(0.0, 4.0));
  for (int k = 0; k < count; ++k) {
    Taps taps{.from = time, .amplitude = {0.0, dice.between(0.01, 0.1)}, .frequency = dice.between(1.0, 20.0)};
    time += taps.duration() + dice.between(0.0, 3.0);
    if (dice.between(0.0, 1.0) < 0.7) taps.every = taps.duration() * dice.between(1.0, 3.0);
    if (dice.between(0.0, 1.0) < 0.3) taps.until = taps.from + dice.between(0.01, 4.0);
    trains.push_back(taps);
  }
  return trains;
}

/// All taps that begin before a time, one by one. @return begin, end
std::vector<std::array<double, 2>> all_taps(const std::vector<Taps>& trains, double until) {
  std::vector<std::array<double, 2>> all;
  for (std::size_t k = 0; k < trains.size(); ++k) {
    const Taps& taps = trains[k];
    for (int n = 0; n == 0 || taps.every; ++n) {
      const double begin = taps.from + n * taps.every.value_or(0.0);
      if (begin > until || (taps.until && begin >= *taps.until)) break;
      if (k + 1 < trains.size() && begin + taps.duration() > trains[k + 1].from) break;
      all.push_back({begin, begin + taps.duration()});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("taps are where a list of all of them has them, and the wall rests between") {
  test::Dice dice(3);
  int taps_seen = 0;
  int rests_seen = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Wall wall = paddle();
    wall.velocity.setZero();
    wall.angular_velocity = 0.0;
    wall.oscillation = {};
    wall.taps = random_taps(dice);
    WallMotion motion(wall);
    Clock clock;
    if (trial % 2 == 1) clock.set_back(dice.between(0.0, 3.0));
    motion.set_clock(clock);
    const auto all = all_taps(wall.taps, 30.0);
    for (int k = 0; k < 100; ++k) {
      const double t = dice.between(0.0, 20.0);
      const WallMotion::Tap tap = motion.tap_at(clock.at(t));
      CHECK(tap.begin <= clock.at(t));
      CHECK(tap.end > clock.at(t));
      const auto now = std::ranges::find_if(all, [&](const auto& one) { return one[0] <= t && t < one[1]; });
      REQUIRE((tap.taps != nullptr) == (now != all.end()));
      const auto next = std::ranges::find_if(all, [&](const auto& one) { return one[0] > t; });
      const double ends = now != all.end() ? (*now)[1] : next != all.end() ? (*next)[0] : tap.end;
      if (now != all.end() || next != all.end()) CHECK(std::abs(tap.end - clock.at(ends)) < 1e-12);
      const auto here = motion.at(clock.at(t));
      if (now == all.end()) {
        ++rests_seen;
        CHECK(here.displacement == Vec2::Zero());
        CHECK(here.velocity == Vec2::Zero());
        continue;
      }
      ++taps_seen;
      CHECK(std::abs(tap.begin - clock.at((*now)[0])) < 1e-12);
      const double phase = 2.0 * std::numbers::pi * tap.taps->frequency * (t - (*now)[0]);
      CHECK((here.displacement - std::sin(phase) * tap.taps->amplitude).norm() < 1e-11);
      CHECK(here.displacement.dot(tap.taps->amplitude) >= 0.0);
      CHECK(here.velocity.norm() <= motion.max_speed(0.0));
    }
  }
  CHECK(taps_seen > 2000);
  CHECK(rests_seen > 2000);
}

}  // namespace scree::wall_motion_test
