#include "dem/soft/drives/moving_walls.hpp"

#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/scenes.hpp"

namespace scree::moving_walls_test {

using soft::MovingWalls;

namespace {

Wall bar(double half_length) {
  Wall wall;
  wall.name = "bar";
  wall.polygon = {{-half_length, -0.1}, {half_length, -0.1}, {half_length, 0.1}, {-half_length, 0.1}};
  return wall;
}

Scene scene_with(const Wall& wall, bool periodic) {
  Scene scene = test::empty_scene();
  scene.domain = {.lo = {-1.0, -1.0}, .hi = {1.0, 1.0}, .periodic = {periodic, false}};
  scene.walls = {wall};
  return scene;
}

Bodies bodies_of(const MovingWalls& walls) {
  Bodies bodies;
  walls.add_to(bodies, 1);
  return bodies;
}

}  // namespace

TEST_CASE("a wall that moves through a periodic side comes in again at the other, as every body") {
  Wall wall = bar(0.2);
  wall.velocity = {0.7, 0.1};
  const Scene scene = scene_with(wall, true);
  const MovingWalls walls(scene);
  Bodies bodies = bodies_of(walls);
  REQUIRE(bodies.walls == 1);
  for (const double t : {0.0, 1.0, 4.0, -4.0}) {
    walls.move_to(t, Periodic(scene.domain), bodies);
    CHECK(bodies.position[0].x() >= -1.0);
    CHECK(bodies.position[0].x() < 1.0);
    CHECK(std::abs(bodies.position[0].x() + 2.0 * bodies.image[0][0] - 0.7 * t) < 1e-14);  // m
    CHECK(std::abs(bodies.position[0].y() - 0.1 * t) < 1e-14);
    CHECK(linear(bodies.velocity[0]) == wall.velocity);
  }
}

TEST_CASE("a wall as wide as the periodic domain stays where it is, and its surface moves") {
  Wall wall = bar(1.0);
  wall.velocity = {0.7, 0.0};
  wall.oscillation = {.amplitude = {0.3, 0.05}, .frequency = 2.0, .phase = 0.0};
  const Scene scene = scene_with(wall, true);
  MovingWalls walls(scene);
  CHECK(walls.spans()[0][0]);
  Bodies bodies = bodies_of(walls);
  walls.move_to(3.1, Periodic(scene.domain), bodies);
  CHECK(bodies.position[0].x() == 0.0);
  const double cosine = std::cos(2.0 * std::numbers::pi * 2.0 * 3.1);
  CHECK(std::abs(bodies.velocity[0].x() - (0.7 + 4.0 * std::numbers::pi * 0.3 * cosine)) < 1e-12);  // m/s
  walls.find_fastest(Periodic(scene.domain), bodies);
  CHECK(walls.fastest().speed < 4.0 * std::numbers::pi * 0.05 + 1e-12);  // along y only: it goes nowhere along x
}

TEST_CASE("the fastest wall is the fastest of those that there are") {
  Wall slow = bar(0.2);
  slow.velocity = {0.1, 0.0};
  Wall fast = bar(0.3);
  fast.name = "paddle";
  fast.angular_velocity = 5.0;
  Scene scene = scene_with(slow, false);
  scene.walls.push_back(fast);
  MovingWalls walls(scene);
  Bodies bodies = bodies_of(walls);
  walls.find_fastest(Periodic(scene.domain), bodies);
  CHECK(walls.fastest().wall == 1);
  CHECK(std::abs(walls.fastest().speed - 5.0 * std::hypot(0.3, 0.1)) < 1e-12);  // m/s, at a corner
  bodies.remove({0, 1});
  walls.find_fastest(Periodic(scene.domain), bodies);
  CHECK(walls.fastest().wall == 0);
  bodies.remove({1});
  walls.find_fastest(Periodic(scene.domain), bodies);
  CHECK(walls.fastest().speed == 0.0);
}

TEST_CASE("walls that cannot be simulated are refused by key") {
  Wall turning = bar(1.0);
  turning.angular_velocity = 1.0;
  CHECK_THROWS_AS(MovingWalls(scene_with(turning, true)), InvalidScene);
  CHECK_NOTHROW(MovingWalls(scene_with(turning, false)));
  Wall segment;
  segment.name = "line";
  segment.polygon = {{0.0, 0.0}, {1.0, 0.0}};
  CHECK_THROWS_AS(MovingWalls(scene_with(segment, false)), InvalidScene);
}

}  // namespace scree::moving_walls_test
