#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/overlap.hpp"
#include "tests/scenes.hpp"

namespace scree::soft_simulation_test {

using soft::Simulation;

namespace {

/// Body i's outline about its centroid, unrotated copy of the state's world outline.
std::vector<Vec2> outline_of(const Outlines& outlines, std::size_t i) {
  return {outlines.vertices.begin() + outlines.first[i], outlines.vertices.begin() + outlines.first[i + 1]};
}

double overlap_area(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  return overlap(a, b, Pose{}).area;
}

}  // namespace

TEST_CASE("an empty scene and a single grain are simulated like any other" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  Simulation nothing(scene, {.threads = 1});
  nothing.advance_to(0.1);
  CHECK(nothing.summary().particles == 0);
  CHECK(nothing.state().particles.size() == 0);

  scene.particles = {test::placed(Disk{}, 0.01, {{.position = {0, 0}, .velocity = {1, 0}}})};
  Simulation one(scene, {.threads = 1});
  one.advance_to(0.1);
  CHECK(std::abs(one.state().particles.position[0].x() - one.time()) < 1e-12);  // m
}

TEST_CASE("every stone is born where its outline overlaps nothing" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::pouring_scene(120);
  Simulation simulation(scene, {.threads = 1});
  std::size_t known = 0;
  int looked_at = 0;
  while (known < 120 && simulation.time() < 2.0) {
    simulation.advance_to(1e9, 1);
    if (simulation.particles() == known) continue;
    const State state = simulation.state();
    // A stone born in this step has moved by 1e-4 of its size only, along with all others.
    for (std::size_t i = known; i < state.particles.size(); ++i) {
      const auto newborn = outline_of(state.particles.outlines, i);
      for (std::size_t j = 0; j < i; ++j) {
        CHECK(overlap_area(newborn, outline_of(state.particles.outlines, j)) < 1e-8);  // m^2, of 1e-4
        ++looked_at;
      }
    }
    known = state.particles.size();
  }
  CHECK(known == 120);
  CHECK(looked_at > 5000);
}

TEST_CASE("when a region is full, the number of owed grains is reported" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::pouring_scene(500);
  scene.gravity = {0.0, 0.0};
  std::get<Pour>(scene.particles[0].how).velocity = {0.0, 0.0};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.1);
  const Summary summary = simulation.summary();
  CHECK(summary.particles > 20);
  CHECK(summary.particles + summary.particles_owed == 201);  // due by then at 2000 a second
  CHECK(summary.particles_owed > 20);
}

TEST_CASE("a body leaves when it is completely beyond an open side; its time, mass and velocity are recorded" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.domain = {{-1.0, -1.0}, {1.0, 1.0}};
  scene.particles = {
      test::placed(Disk{}, 0.1, {{.position = {0.9, 0.0}, .velocity = {1.0, 0.0}}, {.position = {0.0, 0.0}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.1);
  CHECK(simulation.take_departures().empty());
  simulation.advance_to(0.2);
  const auto departures = simulation.take_departures();
  REQUIRE(departures.size() == 1);
  CHECK(std::abs(departures[0].time - 0.15) < 2.1 * simulation.dt());  // s: the disk's rear passes x = 1
  CHECK(departures[0].velocity == Vec2(1.0, 0.0));
  CHECK(std::abs(departures[0].mass - 2600.0 * M_PI * 0.0025) < 1e-9);  // kg
  CHECK(simulation.take_departures().empty());
  const Summary summary = simulation.summary();
  CHECK(summary.particles == 1);
  CHECK(summary.particles_in == 2);
  CHECK(summary.particles_out == 1);
  CHECK(simulation.state().particles.id[0] == departures[0].id + 1);  // ids stay with their bodies
}

TEST_CASE("a gate carries the grains on it until it is removed" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::floor_wall()};
  scene.walls[0].until = 0.2;
  scene.particles = {test::placed(test::square(), test::size_of_square(0.1), {{.position = {0.0, 0.05}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.2);
  CHECK(simulation.state().particles.position[0].y() > 0.049);
  CHECK(simulation.state().walls.size() == 1);
  simulation.advance_to(0.3);
  CHECK(simulation.state().walls.size() == 0);
  CHECK(simulation.state().contacts.empty());
  CHECK(std::abs(simulation.state().particles.velocity[0].y() + 0.981) < 0.02);  // m/s: 0.1 s of free fall
}

TEST_CASE("walls move at their velocity and rotate about their pivot" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.walls = {test::box_wall({1.0, 0.0}, {1.2, 0.1})};
  scene.walls[0].velocity = {0.5, 0.0};
  scene.walls[0].angular_velocity = M_PI;
  scene.walls[0].pivot = {0.0, 0.0};
  scene.particles = {test::placed(Disk{}, 0.01, {{.position = {5.0, 5.0}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.5);  // a quarter turn, and the pivot has gone 0.25 m
  const State state = simulation.state();
  const double late = state.time - 0.5;
  const auto corner = outline_of(state.walls.outlines, 0);
  CHECK((corner[0] - Vec2(0.25, 1.0)).norm() < 1e-9 + 4.0 * late);                                      // m
  CHECK((corner[2] - Vec2(0.15, 1.2)).norm() < 1e-9 + 4.0 * late);                                      // m
  CHECK((state.walls.velocity[0] - Vec2(0.5 - M_PI * 1.1, -M_PI * 0.05)).norm() < 1e-9 + 12.0 * late);  // m/s
}

TEST_CASE("walls oscillate about their mean position") {
  Scene scene = test::empty_scene();
  scene.walls = {test::box_wall({1.0, 0.0}, {1.2, 0.1})};
  scene.walls[0].velocity = {0.5, 0.0};
  scene.walls[0].oscillation = {.amplitude = {0.0, 0.02}, .frequency = 0.25, .phase = 0.3};
  soft::Simulation simulation(scene);
  CHECK(std::abs(outline_of(simulation.state().walls.outlines, 0)[0].y() - 0.02 * std::sin(0.3)) < 1e-15);  // m
  simulation.advance_to(1.0);
  const State state = simulation.state();
  const double angle = 0.5 * M_PI * state.time + 0.3;
  const Vec2 expected(1.0 + 0.5 * state.time, 0.02 * std::sin(angle));
  CHECK((outline_of(state.walls.outlines, 0)[0] - expected).norm() < 1e-14);                   // m
  CHECK((state.walls.velocity[0] - Vec2(0.5, 0.01 * M_PI * std::cos(angle))).norm() < 1e-14);  // m/s
}

TEST_CASE("the force on a wall is the weight of the grains on it" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::floor_wall()};
  scene.soft.initial_depth = 0.01;
  scene.particles = {test::placed(test::square(), test::size_of_square(0.1),
                                  {{.position = {-1.0, 0.0499}}, {.position = {2.0, 0.0499}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(1.0);
  const State state = simulation.state();
  const double weight = 2600.0 * 0.01 * 9.81;  // N
  CHECK(std::abs(state.walls.force[0].y() + 2.0 * weight) < 1e-6 * weight);
  CHECK(std::abs(state.walls.force[0].x()) < 1e-6 * weight);
  REQUIRE(state.contacts.size() == 2);
  for (const ContactState& contact : state.contacts) CHECK(std::abs(contact.force_normal / weight - 1.0) < 1e-6);
  CHECK(state.particles.force[0].norm() < 1e-6 * weight);
}

TEST_CASE("an overlap that is too deep ends the run with a message: time, bodies and advice" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.walls = {test::floor_wall()};
  scene.walls[0].name = "anvil";
  scene.particles = {test::placed(Disk{}, 0.01, {{.position = {0.0, 0.01}, .velocity = {0.0, -100.0}}})};
  Simulation simulation(scene, {.threads = 1});
  try {
    simulation.advance_to(0.01);
    FAIL("went on");
  } catch (const PhysicsError& error) {
    const std::string what = error.what();
    for (const char* part : {"t = ", "particle 2", "wall 'anvil'", "%", "stiffness"}) {
      CAPTURE(part);
      CHECK(what.find(part) != std::string::npos);
    }
  }
  CHECK(simulation.state().particles.size() == 1);  // can still be looked at
}

TEST_CASE("a motion that is not a number ends the run" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, 1e308};
  scene.soft.step = 1e10;
  scene.particles = {test::placed(Disk{}, 0.01, {{.position = {0.0, 0.0}}})};
  Simulation simulation(scene, {.threads = 1});
  CHECK_THROWS_AS(simulation.advance_to(1e12), PhysicsError);
}

TEST_CASE("the automatic step is a small part of the shortest possible contact") {
  // The lightest grain's flat contact: two squares edge on edge; stiffness Y side / l, l = 2 (side / 2).
  Scene scene = test::empty_scene();
  scene.particles = {test::placed(test::square(), test::size_of_square(0.01), {{.position = {0, 0}}})};
  const double mass = 2600.0 * 1e-4;
  const double contact_time = M_PI * std::sqrt(0.5 * mass / 1e6);
  const double dt = soft::time_step(scene).dt;
  const double least = contact_time / std::sqrt(soft::kSeveralContacts);
  CHECK(std::abs(dt - least / soft::kStepsPerContact) < 1e-3 * dt);
  scene.materials[0].restitution = 1.0;  // without dashpots errors add up
  CHECK(std::abs(soft::time_step(scene).dt - least / soft::kMostStepsPerContact) < 1e-3 * dt);
  scene.soft.step = 1e-5;
  CHECK(soft::time_step(scene).dt == 1e-5);
}

TEST_CASE("the histogram of depths gives its percentiles") {
  soft::DepthHistogram depths;
  CHECK(depths.percentile(95) == 0.0);
  for (int k = 0; k < 95; ++k) depths.add(0.0101);
  for (int k = 0; k < 5; ++k) depths.add(0.15);
  CHECK(depths.total() == 100);
  CHECK(std::abs(depths.percentile(95) - 0.0105) < 1e-12);
  CHECK(std::abs(depths.percentile(99) - 0.1505) < 1e-12);
  depths.add(1e9);
  CHECK(depths.total() == 101);
}

TEST_CASE("a dense crowd of odd shapes and sizes stays finite, and no grain is lost") {
  Scene scene = test::pouring_scene(60);
  scene.materials[0].stiffness = 4e6;
  scene.particles[0].shape = RandomPolygon{{3, 20}, {1.0, 3.0}};
  ParticleGroup disks = test::pouring_scene(20).particles[0];
  disks.shape = Disk{};
  scene.particles.push_back(disks);
  Simulation simulation(scene, {.threads = 2});
  simulation.advance_to(0.15);
  const Summary summary = simulation.summary();
  CHECK(summary.particles + summary.particles_out == summary.particles_in);
  CHECK(std::isfinite(summary.kinetic_energy));
  CHECK(summary.contacts > 20);
}

}  // namespace scree::soft_simulation_test
