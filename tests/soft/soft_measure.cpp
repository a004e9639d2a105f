#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <sstream>
#include <utility>

#include <doctest/doctest.h>

#include "dem/measure/measurements.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::soft_measure_test {

using soft::Simulation;

namespace {

/// Elastic disks in a box of four walls, [0, 1] x [0, 1].
Scene gas_in_a_box(int disks) {
  Scene scene = test::empty_scene();
  scene.domain = {{-0.1, -0.1}, {1.1, 1.1}};
  scene.materials = {{.name = "glass", .density = 1.0, .stiffness = 1e3, .restitution = 1.0}};
  scene.walls = {test::box_wall({-0.1, -0.1}, {0.0, 1.1}), test::box_wall({1.0, -0.1}, {1.1, 1.1}),
                 test::box_wall({0.0, -0.1}, {1.0, 0.0}), test::box_wall({0.0, 1.0}, {1.0, 1.1})};
  scene.particles = {
      {.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = static_cast<std::uint64_t>(disks), .jitter = 1.0},
       .material = 0,
       .shape = Disk{},
       .size = {0.08, 0.08}}};
  Measure measure;
  measure.every = 0.25;
  measure.region = {{0.0, 0.0}, {1.0, 1.0}};
  scene.measure = measure;
  return scene;
}

double sum(const Transfers& transfers) {
  double sum = 0.0;
  for (const LayerTransfer& layer : transfers.layers()) {
    sum += layer.virial.sum() + layer.wall_virial.sum() + static_cast<double>(layer.collisions + layer.wall_collisions);
  }
  for (const WallTransfer& wall : transfers.walls()) sum += wall.impulse.sum() + wall.angular_impulse;
  return sum;
}

}  // namespace

TEST_CASE("measuring does not change any bit of a trajectory") {
  Scene scene = test::pouring_scene(60);
  Simulation plain(scene);
  scene.measure = Measure{.every = 0.003, .region = {scene.domain.lo, scene.domain.hi}};
  Simulation measured(scene);
  Measurements measurements(scene);
  while (measured.time() < 0.05) {
    measured.advance_to(std::min(measurements.next(), 0.05));
    measurements.take(measured.state(), measured.transfers());
  }
  plain.advance_to(0.05);
  CHECK(test::state_hash(plain) == test::state_hash(measured));
  CHECK(measured.transfers().layers().at(0).collisions > 10);
  CHECK(plain.transfers().layers().empty());
}

TEST_CASE("transfers of contacts are the same to the last bit for any number of threads, and across save and load") {
  Scene scene = test::pouring_scene(60);
  scene.measure = Measure{.region = {scene.domain.lo, scene.domain.hi}, .height_profile = Measure::HeightProfile{7}};
  Simulation one(scene, {.threads = 1});
  one.advance_to(0.03);
  Simulation three(scene, {.threads = 3, .broadphase = BroadphaseKind::all_pairs});
  three.advance_to(0.017);
  std::stringstream bytes;
  three.save(bytes);
  Simulation resumed(scene, {.threads = 2});
  resumed.load(bytes);
  CHECK(sum(resumed.transfers()) == sum(three.transfers()));
  resumed.advance_to(0.03);
  CHECK(sum(one.transfers()) == sum(resumed.transfers()));
  CHECK(one.transfers().layers().at(1).collisions > 0);
}

TEST_CASE("a collision is a contact that is new in a step, and walls receive its momentum") {
  const Scene scene = gas_in_a_box(60);
  Simulation simulation(scene);
  std::set<std::pair<std::uint64_t, std::uint64_t>> touching;
  std::uint64_t pairs = 0;
  std::uint64_t on_walls = 0;
  Vec2 impulse = Vec2::Zero();
  const auto momentum = [&] {
    Vec2 sum = Vec2::Zero();
    const State state = simulation.state();
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
      sum += state.particles.mass[i] * state.particles.velocity[i];
    }
    return sum;
  };
  const Vec2 before = momentum();
  while (simulation.time() < 0.3) {
    simulation.advance_to(simulation.time() + simulation.dt());
    std::set<std::pair<std::uint64_t, std::uint64_t>> now;
    for (const ContactState& contact : simulation.state().contacts) {
      now.insert({contact.id1, contact.id2});
      if (touching.contains({contact.id1, contact.id2})) continue;
      ++(contact.id2 <= 4 ? on_walls : pairs);
    }
    for (const Vec2& force : simulation.state().walls.force) impulse += simulation.dt() * force;
    touching = std::move(now);
  }
  const LayerTransfer& layer = simulation.transfers().layers().at(0);
  CHECK(layer.collisions == pairs);
  CHECK(layer.wall_collisions == on_walls);
  CHECK(pairs > 100);
  CHECK(on_walls > 20);
  Vec2 of_walls = Vec2::Zero();
  for (const WallTransfer& wall : simulation.transfers().walls()) of_walls += wall.impulse;
  CHECK((of_walls - impulse).norm() < 1e-12);                                      // N s
  CHECK((of_walls - (before - momentum())).norm() < 1e-6 * before.norm() + 1e-9);  // N s: what the disks have lost
}

TEST_CASE("a disk between two walls presses on them with twice its momentum, once in each round" *
          doctest::skip(test::kSanitized)) {
  Scene scene = gas_in_a_box(0);
  scene.materials[0].stiffness = 1e5;
  scene.particles = {test::placed(Disk{}, 0.1, {{.position = {0.5, 0.5}, .velocity = {2.0, 0.0}}})};
  scene.measure->every = 4.5;
  scene.measure->velocity_distribution = Measure::VelocityDistribution{.to = 5.0, .bins = 1};
  Simulation simulation(scene);
  Measurements measurements(scene);
  measurements.take(simulation.state(), simulation.transfers());
  simulation.advance_to(measurements.next());  // 0.9 m between the walls: 10 hits in 4.5 s
  const auto sample = measurements.take(simulation.state(), simulation.transfers());
  REQUIRE(sample);
  const double mass = 0.25 * std::numbers::pi * 0.01;
  const double force = 5.0 * 2.0 * mass * 2.0 / 4.5;  // N
  CHECK(simulation.transfers().layers()[0].wall_collisions == 10);
  CHECK(std::abs(sample->walls[0].force.x() / -force - 1.0) < 1e-4);
  CHECK(std::abs(sample->walls[1].force.x() / force - 1.0) < 1e-4);
  // On a wall 1 m long. The force acts up to 2 m/s sqrt(m / k) = 0.6 mm inside the wall, with an arm of 0.5 m.
  CHECK(std::abs(sample->wall_pressure.x() / force - 1.0) < 1.2e-3);
  CHECK(sample->wall_pressure.y() == 0.0);
  CHECK(sample->temperature == 0.0);  // alone
  CHECK(sample->collision_rate == 0.0);
  CHECK(std::abs(sample->packing_fraction / mass - 1.0) < 1e-9);  // of 1 kg/m^2 in 1 m^2
}

TEST_CASE("the pressure inside a gas is that on its walls" * doctest::skip(test::kSanitized)) {
  // The virial theorem, exact but for what the sum of r.p changes from beginning to end: some 1/(number of collisions
  // of a disk). Contacts of finite depth are in it.
  const Scene scene = gas_in_a_box(100);
  Simulation simulation(scene, {.threads = 1});
  Measurements measurements(scene);
  Eigen::Matrix2d inside = Eigen::Matrix2d::Zero();
  Vec2 on_walls = Vec2::Zero();
  int samples = 0;
  while (simulation.time() < 5.0) {
    simulation.advance_to(measurements.next());
    if (const auto sample = measurements.take(simulation.state(), simulation.transfers())) {
      inside += sample->pressure;
      on_walls += sample->wall_pressure;
      ++samples;
    }
  }
  CHECK(samples == 20);
  CHECK(std::abs(inside.trace() / on_walls.sum() - 1.0) < 0.02);
}

}  // namespace scree::soft_measure_test
