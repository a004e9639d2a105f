#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::energy_ledger_test {

using soft::Simulation;

// Where energy goes is known in these scenes; and whatever happens, the books balance.
namespace {

constexpr double kGravity = 9.81;  // m/s^2
constexpr double kSide = 0.03;     // m
constexpr double kMass = 2600.0 * kSide * kSide;

Scene on_the_floor() {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.materials[0].stiffness = 1e7;
  scene.walls = {test::floor_wall()};
  return scene;
}

ParticleGroup block(Vec2 velocity) {
  return test::placed(test::square(), test::size_of_square(kSide),
                      {{.position = {0.0, 0.5 * kSide}, .velocity = velocity}});
}

Summary after(const Scene& scene, double time) {
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(time);
  return simulation.summary();
}

/// All that can be in a scene: walls that move, turn and go, grains that come and leave, disks among polygons, contacts
/// with and without rolling resistance.
Scene everything() {
  Scene scene = test::pouring_scene(40);
  scene.domain.lo.y() = -0.002;
  scene.materials[0].stiffness = 2.5e7;
  scene.materials[0].rolling_friction = 0.05;
  scene.materials[0].cohesion = 10.0;
  scene.walls[0].until = 0.1;  // the bottom opens
  scene.walls[1].velocity = {0.1, 0.0};
  Wall beater = test::box_wall({-0.01, 0.03}, {0.01, 0.05});
  beater.angular_velocity = 10.0;
  beater.pivot = {0.0, 0.04};
  scene.walls.push_back(beater);
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].rolling_friction = 0.0;
  for (Wall& wall : std::span(scene.walls).subspan(1)) wall.material = 1;
  scene.particles.push_back(scene.particles[0]);
  scene.particles[1].shape = Disk{};
  return scene;
}

double share_of_step(Scene& scene, double share) {
  scene.soft.step = share * soft::time_step(scene).shortest_contact / 50.0;
  return *scene.soft.step;
}

}  // namespace

TEST_CASE("a block that slides to rest gives all its energy to friction") {
  Scene scene = on_the_floor();
  scene.particles = {block({1.0, 0.0})};
  const Summary s = after(scene, 0.5);
  const double energy = 0.5 * kMass;
  CHECK(s.kinetic_energy < 1e-9 * energy);
  CHECK(std::abs(s.dissipated_friction / energy - 1.0) < 2e-3);
  CHECK(std::abs(s.energy_in / (energy + kMass * kGravity * 0.5 * kSide) - 1.0) < 1e-12);
  CHECK(std::abs(s.energy_throughput / energy - 1.0) < 2e-3);
  CHECK(s.elastic_energy_tangential < 1e-3 * energy);
  CHECK(s.wall_work == 0.0);
  CHECK(s.dissipated_rolling == 0.0);
  CHECK(std::abs(s.energy_residual) < 1e-3);
}

TEST_CASE("a block on a belt receives its energy from the wall, and friction dissipates as much") {
  Scene scene = on_the_floor();
  scene.walls[0].velocity = {1.0, 0.0};
  scene.particles = {block({0.0, 0.0})};
  const Summary s = after(scene, 0.5);
  const double energy = 0.5 * kMass;  // at the belt's speed
  CHECK(std::abs(s.kinetic_energy / energy - 1.0) < 1e-6);
  CHECK(std::abs(s.wall_work / (2.0 * energy) - 1.0) < 1e-3);
  CHECK(std::abs(s.dissipated_friction / energy - 1.0) < 2e-3);
  CHECK(std::abs(s.energy_residual) < 1e-3);
}

TEST_CASE("damping and clipping together dissipate 1 - e^2 of the energy of a bounce") {
  for (const char* law : {"area", "area_potential"}) {
    CAPTURE(law);
    Scene scene = on_the_floor();
    scene.gravity = Vec2::Zero();
    scene.contact_law = law;
    scene.particles = {block({0.0, -0.3})};
    scene.particles[0].how = Place{{.position = {0.0, 0.5 * kSide + 1e-4}, .velocity = {0.0, -0.3}}};
    share_of_step(scene, 1.0);
    const Summary s = after(scene, 0.01);
    const double energy = 0.5 * kMass * 0.09;
    const double e = scene.materials[0].restitution;
    REQUIRE(s.contacts == 0);
    CHECK(std::abs((s.dissipated_damping + s.dissipated_law) / energy - (1.0 - e * e)) < 2e-3);
    CHECK(s.dissipated_law > 1e-4 * energy);  // the clip's share
    CHECK(s.dissipated_law < 0.1 * energy);
    CHECK(std::abs(s.energy_residual) < 1e-3);
  }
}

TEST_CASE("the energy error of the area law is in dissipated_law; a potential has no error") {
  for (const char* law : {"area", "area_potential"}) {
    CAPTURE(law);
    Scene scene = test::empty_scene();
    scene.contact_law = law;
    scene.materials[0].restitution = 1.0;
    scene.materials[0].friction = 0.0;
    scene.particles = {
        test::placed(test::square(), test::size_of_square(0.01),
                     {{.position = {-0.011, 0.0}, .velocity = {0.5, 0.0}},
                      {.position = {0.011, 0.002}, .angle = 0.25 * std::numbers::pi + 0.3, .velocity = {-0.5, 0.0}}})};
    share_of_step(scene, 0.25);
    Simulation simulation(scene, {.threads = 1});
    const double before = simulation.summary().kinetic_energy;
    simulation.advance_to(0.03);
    const Summary s = simulation.summary();
    REQUIRE(s.contacts == 0);
    REQUIRE(simulation.impact_depths().total() > 0);
    const double lost = 1.0 - s.kinetic_energy / before;
    if (std::string(law) == "area") CHECK(std::abs(lost) > 3e-4);
    CHECK(std::abs(s.dissipated_law / before - lost) < 1e-5);
    CHECK(s.dissipated_damping == 0.0);
    CHECK(std::abs(s.energy_residual) < 1e-5);
  }
}

TEST_CASE(
    "rolling resistance dissipates the energy of a rolling disk, except for that of its first elastic displacement") {
  Scene scene = on_the_floor();
  scene.materials[0].rolling_friction = 0.1;
  const double radius = 0.01;
  const double mass = 2600.0 * std::numbers::pi * radius * radius;
  scene.particles = {test::placed(
      Disk{}, 2.0 * radius, {{.position = {0.0, radius}, .velocity = {0.3, 0.0}, .angular_velocity = -0.3 / radius}})};
  const Summary s = after(scene, 0.6);
  const double energy = 0.75 * mass * 0.09;
  CHECK(s.kinetic_energy < 1e-9 * energy);
  CHECK(std::abs(s.dissipated_rolling / energy - 1.0) < 0.02);
  CHECK(std::abs(s.energy_residual) < 1e-3);
}

TEST_CASE("a particle that falls around a periodic domain loses potential energy in every turn") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {false, true}};
  scene.particles = {test::placed(Disk{}, 0.02, {{.position = {0.5, 0.5}}})};
  scene.soft.step = 1e-4;
  const Summary s = after(scene, 1.0);
  const double fallen = 0.5 * kGravity;
  CHECK(std::abs(s.kinetic_energy / (2600.0 * std::numbers::pi * 1e-4 * kGravity * fallen) - 1.0) < 1e-9);
  CHECK(std::abs(s.energy_residual) < 1e-9);
}

TEST_CASE("energy balances for every law, with grains that enter and leave and walls that move and rotate") {
  for (const auto& laws :
       {std::pair{"area", "linear"}, std::pair{"area_potential", "hertz"}, std::pair{"area", "linear_unclipped"}}) {
    CAPTURE(laws.first);
    CAPTURE(laws.second);
    Scene scene = everything();
    scene.contact_law = laws.first;
    scene.disk_law = laws.second;
    Simulation simulation(scene, {.threads = 1});
    std::uint64_t contacts = 0;
    double elastic = 0.0;  // largest seen of the tangential springs [J]
    for (const double time : {0.04, 0.08, 0.1, 0.12, 0.16}) {
      CAPTURE(time);
      simulation.advance_to(time);
      const Summary now = simulation.summary();
      contacts = std::max(contacts, now.contacts);
      elastic = std::max(elastic, now.elastic_energy_tangential);
      CHECK(std::abs(now.energy_residual) < 1e-3);
    }
    const Summary s = simulation.summary();
    for (const double each : {s.kinetic_energy, elastic, s.dissipated_damping, s.dissipated_friction,
                              s.dissipated_rolling, s.wall_work, s.energy_in}) {
      CHECK(std::abs(each) > 1e-6 * s.energy_throughput);  // walls may take more than they give
    }
    CHECK(std::abs(s.energy_out) > 1e-3 * s.energy_throughput);
    CHECK(std::abs(s.dissipated_law) > 1e-5 * s.energy_throughput);
    CHECK(s.particles_out > 3);
    CHECK(contacts > 10);
  }
}

TEST_CASE("the residual shrinks with the step") {
  const auto largest_residual = [](double share) {
    Scene scene = everything();
    share_of_step(scene, share);
    Simulation simulation(scene, {.threads = 1});
    double largest = 0.0;
    for (const double time : {0.04, 0.08, 0.12, 0.16}) {
      simulation.advance_to(time);
      largest = std::max(largest, std::abs(simulation.summary().energy_residual));
    }
    return largest;
  };
  const double automatic = largest_residual(1.0);
  const double half = largest_residual(0.5);
  const double quarter = largest_residual(0.25);
  CHECK(half < 0.6 * automatic);
  CHECK(quarter < 0.3 * automatic);
}

}  // namespace scree::energy_ledger_test
