#include "dem/soft/checks/step_renewal.hpp"

#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::step_renewal_test {

using namespace scree::soft;

namespace {

const TimeStep kAutomatic{.dt = 1e-3, .is_automatic = true};

/// A grain of 1 kg on a wall, by a spring and a dashpot.
ContactElements one_contact(double spring, double dashpot) {
  const ContactElement element = {.a = 1,
                                  .b = 0,
                                  .spring = spring,
                                  .dashpot = dashpot,
                                  .of_a = {1.0, 0.0, 0.0},
                                  .of_b = {0.0, 0.0, 0.0},
                                  .square_of_a = 1.0,
                                  .square_of_b = 0.0};
  return [=](const TakeElements& take) { take({&element, 1}); };
}

std::optional<int> renewed(double spring, double dashpot, const StepClock& clock) {
  return renewed_halvings(step_need(one_contact(spring, dashpot), 2, stability_limit(4), clock), clock);
}

/// Hexagons that rub and are strongly damped fall into a narrow box. A lid presses them; then the floor goes, and they
/// fall out.
Scene pressed_hexagons() {
  Scene scene = test::empty_scene();
  scene.materials[0].restitution = 0.15;
  scene.materials[0].rolling_friction = 0.3;
  scene.walls = {test::box_wall({-0.04, -0.02}, {0.04, 0.0}), test::box_wall({-0.04, 0.0}, {-0.021, 0.2}),
                 test::box_wall({0.021, 0.0}, {0.04, 0.2}), test::box_wall({-0.02, 0.075}, {0.02, 0.085})};
  scene.walls[0].until = 0.6;
  scene.walls[3].oscillation = {.amplitude = {0.0, 0.025}, .frequency = 2.0};
  scene.gravity = {0.0, -9.81};
  scene.particles = {{.how = Fill{.region = {{-0.021, 0.0}, {0.021, 0.07}}, .count = 18, .jitter = 0.1},
                      .material = 0,
                      .shape = RegularPolygon{6},
                      .size = {0.01, 0.01}}};
  return scene;
}

constexpr double kEnd = 0.75;  // s

StateHash hash_of(const Simulation& simulation) {
  StateValues values;
  simulation.list_values(values);
  return values.hashes();
}

}  // namespace

TEST_CASE("a clock counts ticks of the shortest step, exactly") {
  StepClock clock(kAutomatic);
  for (int k = 0; k < 3; ++k) clock.advance();
  CHECK(clock.time() == 3e-3);
  clock.halve(2);
  CHECK(clock.dt() == 0.25e-3);
  CHECK(clock.time() == 3e-3);
  for (int k = 0; k < 4; ++k) clock.advance();
  clock.halve(0);
  CHECK(clock.time_after_step() == 5e-3);
  clock.advance();
  CHECK(clock.time() == 5e-3);
  CHECK(clock.steps() == 8);
  CHECK(clock.has_reached(5e-3));
  CHECK(!clock.has_reached(5.1e-3));
  CHECK(StepClock({.dt = 1e-3}).most_halvings() == 0);
}

TEST_CASE("the step is halved until the stiffest grain takes thirty steps for a period") {
  StepClock clock(kAutomatic);
  const double bearable = kRenewedOmegaDt * kRenewedOmegaDt / (clock.dt() * clock.dt());  // N/m
  CHECK(renewed(0.99 * bearable, 0.0, clock) == 0);
  CHECK(renewed(1.01 * bearable, 0.0, clock) == 1);
  CHECK(renewed(3.99 * bearable, 0.0, clock) == 1);
  CHECK(renewed(4.01 * bearable, 0.0, clock) == 2);
  clock.halve(2);
  CHECK(renewed(3.21 * bearable, 0.0, clock) == 2);  // not before 0.8 would do
  CHECK(renewed(3.19 * bearable, 0.0, clock) == 1);
  CHECK(renewed(0.0, 0.0, clock) == 1);  // one at a time
}

TEST_CASE("the step is halved until the dashpots take no more than the integrator bears") {
  StepClock clock(kAutomatic);
  const double bearable = stability_limit(4).damping / clock.dt();  // N s/m
  CHECK(renewed(0.0, 0.99 * bearable, clock) == 0);
  CHECK(renewed(0.0, 1.01 * bearable, clock) == 1);
  CHECK(renewed(0.0, 3.0 * bearable, clock) == 2);
}

TEST_CASE("a step that cannot be short enough is nothing") {
  CHECK(!renewed(1e30, 0.0, StepClock(kAutomatic)));
  CHECK(!renewed(1e30, 0.0, StepClock({.dt = 1e-3})));
}

TEST_CASE("a step that was halved is doubled again, the same for threads, calls and after save and load") {
  const Scene scene = pressed_hexagons();
  Simulation simulation(scene, {.threads = 1});
  const double longest = simulation.dt();
  double shortest = longest;
  double halved = 0.0;  // since when [s]
  while (!simulation.has_reached(kEnd)) {
    simulation.advance_to(kEnd, 50);
    if (simulation.dt() < shortest) halved = simulation.time();
    shortest = std::min(shortest, simulation.dt());
  }
  CHECK(shortest < longest);
  CHECK(simulation.dt() == longest);
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);

  Simulation at_once(scene, {.threads = 3});
  at_once.advance_to(halved);
  CHECK(at_once.dt() == shortest);
  std::stringstream saved;
  at_once.save(saved);
  Simulation resumed(scene, {.threads = 2});
  resumed.load(saved);
  CHECK(resumed.dt() == shortest);
  resumed.advance_to(kEnd);
  CHECK(hash_of(resumed) == hash_of(simulation));
  CHECK(resumed.time() == simulation.time());
}

}  // namespace scree::step_renewal_test
