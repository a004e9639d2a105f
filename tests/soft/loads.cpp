#include <cmath>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/soft/square_above_floor.hpp"

namespace scree::loads_test {

using soft::Simulation;

namespace {

using test::kSide;

Scene falling_square(double height) {
  Scene scene = test::square_above_floor(height);
  scene.gravity = {0.0, -10.0};
  return scene;
}

}  // namespace

TEST_CASE("local damping takes its share of the weight from a grain that falls, and adds it to one that rises") {
  Scene scene = falling_square(1.0);
  scene.soft.local_damping = 0.4;
  Simulation falling(scene, {.threads = 1});
  falling.advance_to(0.2);
  const double t = falling.time();
  CHECK(std::abs(falling.state().particles.velocity[0].y() + 0.6 * 10.0 * t) < 1e-3);  // m/s
  const Summary summary = falling.summary();
  const double weight = 10.0 * 2600.0 * kSide * kSide;                               // N
  const double way = 1.0 + 0.5 * kSide - falling.state().particles.position[0].y();  // m
  CHECK(std::abs(summary.dissipated_local / (0.4 * weight * way) - 1.0) < 1e-3);
  CHECK(std::abs(summary.energy_residual) < 1e-3);
  std::get<Place>(scene.particles[0].how)[0].velocity = {0.0, 5.0};
  Simulation rising(scene, {.threads = 1});
  rising.advance_to(0.2);
  CHECK(std::abs(rising.state().particles.velocity[0].y() - (5.0 - 1.4 * 10.0 * rising.time())) < 1e-3);
}

TEST_CASE("what local damping takes has the same bits after saving and loading") {
  Scene scene = falling_square(1.0);
  scene.soft.local_damping = 0.4;
  Simulation whole(scene, {.threads = 1});
  whole.advance_to(0.1);
  std::stringstream file;
  whole.save(file);
  Simulation resumed(scene, {.threads = 1});
  resumed.load(file);
  whole.advance_to(0.2);
  resumed.advance_to(0.2);
  CHECK(whole.summary().dissipated_local > 0.0);
  CHECK(resumed.summary().dissipated_local == whole.summary().dissipated_local);
}

TEST_CASE("elastic grains come to rest by local damping alone, where they would without it, and energy balances") {
  Scene scene = falling_square(0.001);
  scene.materials[0].restitution = 1.0;
  scene.soft.local_damping = 0.7;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(1.0);
  const State state = simulation.state();
  const double weight = 10.0 * state.particles.mass[0];  // N
  CHECK(std::abs(state.walls.force[0].y() + weight) < 1e-6 * weight);
  CHECK(state.particles.velocity[0].norm() < 1e-6);  // m/s
  const Summary summary = simulation.summary();
  CHECK(summary.dissipated_local > 0.9 * weight * 0.001);
  CHECK(std::abs(summary.energy_residual) < 5e-3);
}

TEST_CASE("what is fixed of a grain never moves, and carries others; the rest of it moves as ever") {
  Scene scene = falling_square(0.06001);  // just above the shelf
  ParticleGroup shelf = scene.particles[0];
  shelf.fixed = {true, true, true};
  shelf.how = Place{{.position = {0.0, 0.05}}};
  ParticleGroup bead = shelf;  // on a wire along y
  bead.fixed = {true, false, true};
  bead.how = Place{{.position = {1.0, 0.5}, .velocity = {0.0, 1.0}}};
  scene.particles.push_back(shelf);
  scene.particles.push_back(bead);
  scene.gravity = {1.0, -10.0};
  scene.materials[0].friction = 0.5;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.5);
  const State state = simulation.state();
  REQUIRE(state.particles.size() == 3);
  CHECK(state.particles.position[1] == Vec2(0.0, 0.05));
  CHECK(state.particles.angle[1] == 0.0);
  CHECK(state.particles.velocity[1].isZero());
  CHECK(std::abs(state.particles.position[0].y() - (0.05 + kSide)) < 1e-4);  // m: it lies on the shelf
  CHECK(state.particles.position[2].x() == 1.0);
  CHECK(state.particles.angle[2] == 0.0);
  CHECK(state.particles.position[2].y() < 0.3);
  CHECK(std::abs(simulation.summary().energy_residual) < 5e-3);
}

TEST_CASE("a grain that is fixed cannot have a velocity there") {
  Scene scene = falling_square(0.1);
  scene.particles[0].fixed = {true, false, false};
  std::get<Place>(scene.particles[0].how)[0].velocity = {1.0, 1.0};
  try {
    const Simulation simulation(scene, {.threads = 1});
    FAIL("nothing was said");
  } catch (const InvalidScene& error) {
    CHECK(std::string(error.what()).find("particles[0].fixed") != std::string::npos);
  }
}

}  // namespace scree::loads_test
