#include "dem/soft/motion/time_step.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::time_step_test {

namespace {

/// A grain of 1 cm over a floor.
Scene grain_over_floor(const ShapeSpec& shape, double height, double speed) {
  Scene scene;
  scene.domain = {{-1.0, -1.0}, {1.0, 1.0}};
  scene.gravity = {0.0, -9.81};
  scene.materials = {{.name = "stone", .density = 2600.0, .stiffness = 1e7, .restitution = 0.5, .friction = 0.5}};
  Wall floor;
  floor.name = "floor";
  floor.polygon = {{-0.5, -0.1}, {0.5, -0.1}, {0.5, 0.0}, {-0.5, 0.0}};
  scene.walls = {floor};
  scene.particles = {{.how = Place{{.position = {0.0, height}, .velocity = {0.0, -speed}}},
                      .material = 0,
                      .shape = shape,
                      .size = {0.01, 0.01}}};
  scene.end = 1.0;
  return scene;
}

double step_of(const ShapeSpec& shape) {
  return soft::time_step(grain_over_floor(shape, 0.1, 0.0)).dt;
}

}  // namespace

TEST_CASE("the automatic step of a round grain does not grow with the number of its sides") {
  const double round = step_of(RegularPolygon{1000});
  CHECK(std::abs(step_of(RegularPolygon{100}) / round - 1.0) < 1e-2);
  CHECK(std::abs(step_of(RegularPolygon{12}) / round - 1.0) < 5e-2);
  CHECK(step_of(RegularPolygon{4}) < 0.8 * round);  // long flat sides are stiffer
}

TEST_CASE("a grain of a thousand sides that falls on the floor comes to rest there") {
  soft::Simulation simulation(grain_over_floor(RegularPolygon{1000}, 0.006, 0.5));
  const double start = simulation.summary().kinetic_energy;
  double deepest = 0.0;
  while (simulation.time() < 0.3) {
    simulation.advance_to(simulation.time() + 1e-3);
    deepest = std::max(deepest, simulation.summary().max_depth_ratio);
    REQUIRE(simulation.summary().kinetic_energy < 1.2 * start);  // the rest of the fall adds some
  }
  CHECK(deepest > 1e-3);  // of the diameter
  CHECK(deepest < 0.1);
  CHECK(simulation.summary().kinetic_energy < 1e-6 * start);
  CHECK(simulation.summary().contacts == 1);
}

TEST_CASE("the automatic step is short enough for squares that stand on each other, strongly damped, under every law") {
  for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) {
    CAPTURE(law);
    Scene scene = test::empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.contact_law = law;
    scene.materials[0].restitution = 0.05;
    scene.walls = {test::floor_wall()};
    constexpr double kSide = 0.02;  // m
    scene.particles = {test::placed(test::square(), test::size_of_square(kSide),
                                    {{.position = {0.0, 0.5 * kSide}}, {.position = {0.1 * kSide, 1.5 * kSide}}})};
    soft::Simulation simulation(scene, {.threads = 1});
    CHECK_NOTHROW(simulation.advance_to(0.05));
    CHECK(simulation.summary().contacts == 2);
  }
}

TEST_CASE("strong damping shortens the automatic step, in proportion, by what the integrator bears") {
  Scene scene = grain_over_floor(Disk{}, 0.1, 0.0);
  const double weak = soft::time_step(scene).dt;
  const auto relative = [&](double zeta) {
    scene.materials[0].damping = zeta;
    return soft::time_step(scene).dt / weak;
  };
  struct Expected {
    Integrator integrator;
    double strong;
  };
  for (const Expected& expected : {Expected{Integrator::velocity_verlet, 0.8}, Expected{Integrator::gear_4, 0.8},
                                   Expected{Integrator::gear_5, 0.44}, Expected{Integrator::gear_6, 0.24}}) {
    CAPTURE(expected.strong);
    scene.soft.integrator = expected.integrator;
    CHECK(std::abs(relative(0.0) - soft::kStepsPerContact / soft::kMostStepsPerContact) < 1e-12);
    CHECK(std::abs(relative(0.01 / 16.0) - 0.5) < 1e-12);
    CHECK(relative(0.01) == 1.0);
    CHECK(relative(0.99 * expected.strong) == 1.0);
    CHECK(std::abs(relative(2.0 * expected.strong) - 0.5) < 2e-3);
    CHECK(std::abs(relative(10.0 * expected.strong) - 0.1) < 4e-4);
  }
  // Friction's dashpot counts where there is friction.
  scene.soft.integrator = Integrator::gear_4;
  scene.materials[0].tangential_damping = 4.0;
  CHECK(std::abs(relative(0.1) - 0.2) < 1e-12);
  scene.materials[0].friction = 0.0;
  CHECK(relative(0.1) == 1.0);
}

namespace {

/// Edge on edge, of squares of sides a and b [m]: a chord of the shorter side.
double step_of_squares(double a, double b) {
  const auto mass = [](double side) { return 2600.0 * side * side; };
  const double shorter = std::min(a, b);
  // A square is as wide as its diagonal: the other one's side may lie on that.
  const double chord = std::min(std::max(a, b), std::sqrt(2.0) * shorter);
  const double stiffness = 0.25 * 1e6 * chord * (2.0 / a + 2.0 / b);
  const double squared = 2.0 * stiffness * (1.0 / mass(a) + 1.0 / mass(b));
  return M_PI / std::sqrt(squared) / soft::kStepsPerContact;
}

Scene squares_of(double a, double b) {
  Scene scene = test::empty_scene();
  scene.particles = {test::placed(test::square(), test::size_of_square(a), {{.position = {0.0, 0.0}}}),
                     test::placed(test::square(), test::size_of_square(b), {{.position = {5.0, 0.0}}})};
  return scene;
}

}  // namespace

TEST_CASE("a contact is no longer than the narrower grain is wide") {
  for (const double b : {0.01, 0.03, 0.2, 1.0}) {
    CAPTURE(b);
    const double step = soft::time_step(squares_of(0.01, b)).dt;
    // Two small ones, or a small one on a great one, whichever is stiffer. Widths of a kind differ by up to 1/16.
    const double expected = std::min(step_of_squares(0.01, 0.01), step_of_squares(0.01, b));
    CHECK(step <= expected * (1.0 + 1e-12));
    CHECK(step > 0.96 * expected);
  }
}

}  // namespace scree::time_step_test
