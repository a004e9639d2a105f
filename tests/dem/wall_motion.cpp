#include "dem/wall_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <doctest/doctest.h>

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

}  // namespace scree::wall_motion_test
