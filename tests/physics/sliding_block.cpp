#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::sliding_block_test {

using soft::Simulation;

namespace {

constexpr double kSide = 0.1;  // m
constexpr double kGravity = 9.81;

/// A block on a plane, in axes along and across it; gravity leans by the plane's angle. It starts as deep in the plane
/// as its weight presses it. @param slenderness height over width
Scene block_on_plane(double angle, double speed, double slenderness) {
  Scene scene = test::empty_scene();
  scene.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle)};
  scene.walls = {test::floor_wall()};
  scene.soft.initial_depth = 0.01;
  const double height = slenderness * kSide;
  // Weight / (Y side / l), l = 4 height / 2 on a wall.
  const double depth = 2600.0 * kSide * height * kGravity * 2.0 * height / (1e6 * kSide);
  const ShapeSpec block = ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, slenderness}, {0.0, slenderness}}};
  scene.particles = {test::placed(block, test::size_of_square(kSide) * std::sqrt(slenderness),
                                  {{.position = {0.0, 0.5 * height - depth}, .velocity = {speed, 0.0}}})};
  return scene;
}

}  // namespace

// The block is flat: under friction a high one leans forward on its springs, and its centre with it.
TEST_CASE("a block slides to rest after v^2 / (2 mu g)") {
  for (const double speed : {0.5, 1.0, 2.0}) {
    CAPTURE(speed);
    Scene scene = block_on_plane(0.0, speed, 0.25);
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(3.0);
    const State state = simulation.state();
    const double mu = scene.materials[0].friction;
    const double distance = speed * speed / (2.0 * mu * kGravity);
    const double mass = state.particles.mass[0];
    const double x_c = mu * mass * kGravity / (kTangentialRatio * scene.materials[0].stiffness);
    CHECK(std::abs(state.particles.position[0].x() - distance) < 1.6 * x_c + speed * simulation.dt());  // m
    CHECK(state.particles.velocity[0].norm() < 1e-9);                                                   // m/s
  }
}

TEST_CASE("a block on an incline comes to rest below the friction angle, and stays at rest") {
  const double friction_angle = std::atan(0.5);
  for (const double share : {0.5, 0.9, 0.99}) {
    for (const double of_step : {1.0, 0.5}) {
      CAPTURE(share);
      CAPTURE(of_step);
      Scene scene = block_on_plane(share * friction_angle, 0.0, 1.0);
      scene.soft.step = of_step * soft::time_step(scene).shortest_contact / 50.0;
      Simulation simulation(scene, {.threads = 1});
      simulation.advance_to(1.0);
      const State settled = simulation.state();
      simulation.advance_to(3.0);
      const double speed_then = simulation.state().particles.velocity[0].norm();
      simulation.advance_to(10.0);
      const State end = simulation.state();
      CHECK((end.particles.position[0] - settled.particles.position[0]).norm() < 1e-4 * kSide);
      CHECK(end.particles.velocity[0].norm() < 1e-6);                          // m/s
      CHECK(end.particles.velocity[0].norm() <= std::max(speed_then, 1e-12));  // falling, down to rounding
      CHECK(std::abs(end.particles.angle[0]) < 0.03);                          // rad: it stands on its face
    }
  }
}

// Light and flat, it hardly presses itself in, where m = 3/2 would be stiffest.
TEST_CASE("a light block on an incline rests under every law") {
  for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) {
    CAPTURE(law);
    Scene scene = block_on_plane(0.9 * std::atan(0.5), 0.0, 0.25);
    scene.contact_law = law;
    scene.materials[0].stiffness = 1e9;
    scene.particles[0].how = Place{{.position = {0.0, 0.125 * kSide}}};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.1);
    const State settled = simulation.state();
    simulation.advance_to(0.2);
    CHECK((simulation.state().particles.position[0] - settled.particles.position[0]).norm() < 1e-9 * kSide);
  }
}

// Coulomb's law holds to rounding while the block slides, however its springs sway; what is left is their swaying,
// which the dashpots have stopped by the time that the block is looked at.
TEST_CASE("a block on an incline above the friction angle slides with g (sin - mu cos)") {
  for (const double angle : {0.47, 0.6, 0.9, 1.2}) {
    for (const double slenderness : {0.5, 1.0}) {
      CAPTURE(angle);
      CAPTURE(slenderness);
      Simulation simulation(block_on_plane(angle, 0.0, slenderness), {.threads = 1});
      simulation.advance_to(0.2);
      const State early = simulation.state();
      simulation.advance_to(0.8);
      const State late = simulation.state();
      const double measured =
          (late.particles.velocity[0].x() - early.particles.velocity[0].x()) / (late.time - early.time);
      const double expected = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
      CHECK(std::abs(measured - expected) < 1e-4 * kGravity);  // m/s^2
    }
  }
}

TEST_CASE("friction's history survives a change of features: a wheel of 200 sides rolls like a disk") {
  const double angle = 0.2;
  const double radius = 0.005;  // m
  Scene scene = test::empty_scene();
  scene.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle)};
  scene.materials[0].stiffness = 1e5;  // soft enough for several sides to touch at once
  scene.materials[0].damping = 0.0;    // the normal dashpots resist rolling
  scene.materials[0].tangential_damping = 0.5;
  scene.walls = {test::floor_wall()};
  scene.soft.initial_depth = 0.05;
  scene.particles = {test::placed(RegularPolygon{200}, 2.0 * radius, {{.position = {0.0, 0.96 * radius}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.1);
  const double start = simulation.state().particles.angle[0];
  double least = 1.0;
  double greatest = 0.0;
  while (simulation.time() < 0.3) {
    simulation.advance_to(1.0, 3);
    const State state = simulation.state();
    REQUIRE(state.contacts.size() == 1);
    const double weight = state.particles.mass[0] * kGravity * std::sin(angle);
    least = std::min(least, std::abs(state.contacts[0].force_tangential) / weight);
    greatest = std::max(greatest, std::abs(state.contacts[0].force_tangential) / weight);
  }
  CHECK(start - simulation.state().particles.angle[0] > 50.0 * 2.0 * M_PI / 200.0);  // sides have changed
  CHECK(least > 0.25);                                                               // 1/3, as I/(I + m r^2)
  CHECK(greatest < 0.42);
}

}  // namespace scree::sliding_block_test
