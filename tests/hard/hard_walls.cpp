#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"

namespace scree::hard_walls_test {

using namespace scree::hard;

namespace {

Setup disks_among(std::vector<Wall> walls, std::vector<Vec2> position, std::vector<Vec2> velocity,
                  double radius = 0.5) {
  Setup setup;
  setup.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  setup.walls = std::move(walls);
  setup.radius.assign(position.size(), radius);
  setup.mass.assign(position.size(), 2.0);
  setup.position = std::move(position);
  setup.velocity = std::move(velocity);
  return setup;
}

std::vector<Vec2> box(double left, double below, double right, double above) {
  return {{left, below}, {right, below}, {right, above}, {left, above}};
}

Wall floor_at(double height) {
  return {.name = "floor", .polygon = box(-5.0, height - 1.0, 5.0, height)};
}

Vec2 velocity_after(const Setup& setup, double time) {
  Simulation simulation(setup);
  simulation.advance_to(time);
  simulation.audit();
  return simulation.state().particles.velocity[0];
}

}  // namespace

TEST_CASE("a disk bounces off a wall with the restitution and friction of both materials") {
  Setup setup = disks_among({floor_at(0.0)}, {{0.0, 2.0}}, {{1.0, -1.0}});
  CHECK(velocity_after(setup, 3.0) == Vec2(1.0, 1.0));
  setup.rules.walls = {0.5, 1e9, 0.0};
  const Vec2 rolls = velocity_after(setup, 3.0);
  CHECK(std::abs(rolls.x() - 2.0 / 3.0) < 1e-15);
  CHECK(rolls.y() == 0.5);
  // Materials 0 and 1: the disk is of 0, the wall of 1.
  setup.rules.pairs = {{1.0}, {0.25}, {0.25}, {0.9}};
  setup.material = {0};
  setup.walls[0].material = 1;
  CHECK(velocity_after(setup, 3.0) == Vec2(1.0, 0.25));
}

TEST_CASE("a disk that hits a corner head-on returns straight, and off-centre is reflected at the normal") {
  const Wall square{.name = "square", .polygon = box(-1.0, -1.0, 1.0, 1.0)};
  const double part = std::sqrt(0.5);
  const Vec2 back = velocity_after(disks_among({square}, {{3.0, 3.0}}, {{-1.0, -1.0}}), 3.0);
  CHECK((back - Vec2(1.0, 1.0)).norm() < 1e-14);
  // The centre passes the corner at a height of r sin 45: the normal is at 45 degrees, it leaves at a right angle.
  const Vec2 up = velocity_after(disks_among({square}, {{4.0, 1.0 + 0.5 * part}}, {{-1.0, 0.0}}), 4.0);
  CHECK((up - Vec2(0.0, 1.0)).norm() < 1e-14);
}

TEST_CASE("a piston adds twice its speed to a disk, a belt drags it, and a rotating plate throws it aside") {
  Wall piston = floor_at(0.0);
  piston.velocity = {0.0, 0.25};
  CHECK(velocity_after(disks_among({piston}, {{0.0, 2.0}}, {{0.5, -1.0}}), 2.0) == Vec2(0.5, 1.5));

  Wall belt{.name = "belt", .polygon = box(-10.0, -1.0, 10.0, 0.0), .velocity = {3.0, 0.0}};
  Setup on_belt = disks_among({belt}, {{0.0, 1.0}}, {{0.0, -1.0}});
  on_belt.domain.periodic = {true, false};
  on_belt.rules.walls = {1.0, 1e9, 0.0};
  CHECK((velocity_after(on_belt, 1.0) - Vec2(1.0, 1.0)).norm() < 1e-15);  // a third of the belt's velocity

  // A hand 2 m long that turns by 1 rad/s meets a disk at rest 1 m from the pivot: its place has 1 m/s.
  const Wall hand{.name = "hand", .polygon = {{0.0, 0.0}, {2.0, 0.0}}, .angular_velocity = 1.0};
  const Vec2 thrown = velocity_after(disks_among({hand}, {{0.0, 1.0}}, {{0.0, 0.0}}, 0.1), 1.6);
  const double when = std::numbers::pi / 2.0 - std::asin(0.1);
  const double arm = std::sqrt(1.0 - 0.01);
  CHECK((thrown - 2.0 * arm * Vec2(-std::sin(when), std::cos(when))).norm() < 1e-12);
}

TEST_CASE("a wall is removed at its time, and a disk about to hit it flies on") {
  Wall gate = floor_at(0.0);
  gate.until = 1.4;  // the disk would touch it at 1.5
  Setup setup = disks_among({gate}, {{0.0, 2.0}}, {{0.0, -1.0}});
  CHECK(velocity_after(setup, 3.0) == Vec2(0.0, -1.0));
  setup.walls[0].until = 1.6;
  CHECK(velocity_after(setup, 3.0) == Vec2(0.0, 1.0));
  setup.walls[0].until = 1.5;  // it is gone first
  CHECK(velocity_after(setup, 3.0) == Vec2(0.0, -1.0));
  Simulation simulation(setup);
  CHECK(simulation.state().walls.size() == 1);
  simulation.advance_to(1.5);
  CHECK(simulation.state().walls.size() == 0);
  CHECK(simulation.has_room_for({3.0, 0.0}, 0.5));
  std::stringstream saved;
  simulation.save(saved);
  Simulation again(setup);
  CHECK(!again.has_room_for({3.0, 0.0}, 0.5));
  again.load(saved);
  again.advance_to(5.0);
  CHECK(again.state().particles.velocity[0] == Vec2(0.0, -1.0));
}

TEST_CASE("walls have the right positions, also in the state") {
  Wall wall = floor_at(0.0);
  wall.velocity = {0.0, 0.5};
  wall.oscillation = {{0.2, 0.0}, 0.25, 0.0};
  Simulation simulation(disks_among({wall}, {{7.0, 7.0}}, {{0.0, 0.0}}));
  simulation.advance_to(3.0);
  const WallState walls = simulation.state().walls;
  REQUIRE(walls.size() == 1);
  CHECK(walls.name[0] == "floor");
  CHECK((walls.outlines.vertices[2] - Vec2(5.0 - 0.2, 1.5)).norm() < 1e-14);
  CHECK((walls.velocity[0] - Vec2(0.0, 0.5)).norm() < 1e-14);
}

TEST_CASE("a disk wedged between two walls, or crushed by them, ends the run with a message") {
  const Wall left{.name = "left", .polygon = box(-2.0, -5.0, -0.5, 5.0)};
  Wall right{.name = "right", .polygon = box(0.5, -5.0, 2.0, 5.0)};
  Simulation wedged(disks_among({left, right}, {{0.0, 0.0}}, {{1.0, 0.3}}));
  CHECK_THROWS_WITH_AS(wedged.advance_to(1.0), doctest::Contains("time stands still"), PhysicsError);
  // Along the walls, with no velocity towards them, it just goes on.
  CHECK(velocity_after(disks_among({left, right}, {{0.0, 0.0}}, {{0.0, 0.3}}), 10.0) == Vec2(0.0, 0.3));
  right.polygon = box(1.0, -5.0, 2.0, 5.0);
  right.velocity = {-1.0, 0.0};  // closes in 0.5 s
  Setup crush = disks_among({left, right}, {{0.0, 0.0}}, {{1.0, 0.0}});
  crush.rules.walls.restitution = 0.5;
  Simulation crushed(crush);
  CHECK_THROWS_AS(crushed.advance_to(1.0), PhysicsError);
  CHECK(crushed.time() < 0.5 + 1e-9);
}

TEST_CASE("a disk at rest on a wall stays there with a contact duration; without one, time does not advance") {
  for (const double tilt : {0.0, 0.3}) {
    Setup setup = disks_among({floor_at(0.0)}, {{0.0, 0.5}}, {{0.0, 0.0}});
    setup.gravity = {-9.81 * std::sin(tilt), -9.81 * std::cos(tilt)};
    setup.rules.walls.restitution = 0.5;
    Simulation stuck(setup);
    CHECK_THROWS_WITH_AS(stuck.advance_to(1.0), doctest::Contains("time stands still"), PhysicsError);
    setup.contact_duration = 1e-4;
    Simulation resting(setup);
    resting.advance_to(0.4);
    resting.audit();
    const ParticleState now = resting.state().particles;
    CHECK(std::abs(now.position[0].y() - 0.5) < 1.3e-8);                                // m: (g t_c)^2 / 8 g
    CHECK(std::abs(now.position[0].x() + 0.5 * 9.81 * std::sin(tilt) * 0.16) < 1e-12);  // slides without friction
    CHECK(resting.counters().wall_hits < 2 * 4000);
  }
}

TEST_CASE("a disk that slides from one wall to the next does not collide with the seam") {
  Wall next = floor_at(0.0);
  next.polygon = box(5.0, -1.0, 9.0, 0.0);
  next.name = "next";
  Simulation simulation(disks_among({floor_at(0.0), next}, {{0.0, 0.5}}, {{1.0, 0.0}}));
  simulation.advance_to(8.0);
  simulation.audit();
  const ParticleState now = simulation.state().particles;
  CHECK(std::abs(now.position[0].x() - 8.0) < 1e-7);
  CHECK(std::abs(now.velocity[0].y()) < 1e-7);
}

TEST_CASE("across a periodic side a wall is there, too") {
  const Wall post{.name = "post", .polygon = box(9.5, -1.0, 10.5, 1.0)};
  Setup setup = disks_among({post}, {{-5.0, 0.0}}, {{-1.0, 0.0}});
  setup.domain.periodic = {true, true};
  Simulation simulation(setup);
  simulation.advance_to(5.0);  // 4 m to the part of the post beyond the side
  simulation.audit();
  CHECK(simulation.state().particles.velocity[0] == Vec2(1.0, 0.0));
  CHECK(!simulation.has_room_for({-9.01, 0.0}, 0.5));
  CHECK(simulation.has_room_for({-9.01, 2.0}, 0.5));
  CHECK(!Simulation(setup).has_room_for({-9.01, 0.0}, 0.5));
  CHECK(Simulation(setup).has_room_for({-8.99, 0.0}, 0.5));
}

TEST_CASE("disks that overlap a wall at the start are refused, those that touch it are not") {
  CHECK_THROWS_WITH_AS(Simulation(disks_among({floor_at(0.0)}, {{0.0, 0.499}}, {{0.0, 0.0}})),
                       doctest::Contains("position[0]: the disk overlaps the wall 'floor'"), InvalidScene);
  CHECK_NOTHROW(Simulation(disks_among({floor_at(0.0)}, {{0.0, 0.5}}, {{0.0, 0.0}})));
  Setup growing = disks_among({floor_at(0.0)}, {{0.0, 2.0}}, {{1.0, 0.0}});
  growing.growth.rate = 0.1;
  CHECK_NOTHROW(Simulation{growing});
  growing.walls[0].taps = {{.from = 1.0, .amplitude = {0.0, 0.1}, .frequency = 1.0}};
  CHECK_THROWS_WITH_AS(Simulation{growing}, doctest::Contains("growth: the wall 'floor' moves"), InvalidScene);
  Setup strange = disks_among({floor_at(0.0)}, {{0.0, 2.0}}, {{1.0, 0.0}});
  strange.walls[0].material = -1;
  CHECK_THROWS_WITH_AS(Simulation{strange}, doctest::Contains("walls.floor.material"), InvalidScene);
}

}  // namespace scree::hard_walls_test
