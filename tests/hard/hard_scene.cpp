#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/flight/materials.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "tests/hard/refusals.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_scene_test {

using namespace scree::hard;
using test::check_refused;

namespace {

Scene hard_scene() {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{-1.0, 0.0}, {1.0, 1.0}, {true, false}, true};
  scene.materials[0].stiffness = 0.0;
  scene.gravity = {0.5, -1.0};
  return scene;
}

/// Inelastic rough disks of two materials and sizes among a few large ones.
Scene gas() {
  Scene scene = hard_scene();
  scene.materials[0] = {.name = "rough", .density = 1.0, .restitution = 0.9, .friction = 0.3};
  scene.materials.push_back({.name = "smooth", .density = 2.0, .restitution = 1.0});
  scene.particles = {test::placed(scree::Disk{}, 0.3, {{.position = {-0.99, 0.5}, .velocity = {1.0, 0.2}}}),
                     {.how = Fill{.region = {scene.domain.lo, scene.domain.hi}, .count = {}, .jitter = 1.0},
                      .material = 1,
                      .shape = scree::Disk{},
                      .size = {0.03, 0.06}}};
  return scene;
}

/// Disks fall and rise between open sides, while more are poured than find room.
Scene fountain() {
  Scene scene = gas();
  scene.domain = {{-1.0, -1.5}, {1.0, 2.0}, {true, false}};
  scene.gravity = {0.0, -2.0};
  scene.particles.push_back({.how = Pour{.count = 5000,
                                         .rate = 3000.0,
                                         .from = 0.25,
                                         .region = {{-1.0, 1.0}, {1.0, 1.5}},
                                         .velocity = {0.0, -1.0}},
                             .material = 0,
                             .shape = scree::Disk{},
                             .size = {0.05, 0.05}});
  return scene;
}

/// Disks fall into a box with a lid that is taken away and a paddle that turns, run out through a gate that opens, and
/// leave; the floor shakes.
Scene hopper() {
  Scene scene = hard_scene();
  scene.domain = {{-1.0, -1.0}, {1.0, 2.0}, {true, false}};
  scene.gravity = {0.0, -5.0};
  scene.materials[0] = {.name = "rough", .density = 1.0, .restitution = 0.7, .friction = 0.3};
  scene.hard.contact_duration = 1e-3;
  const auto wall = [&](const char* name, Vec2 lo, Vec2 hi) -> Wall& {
    scene.walls.push_back(test::box_wall(lo, hi));
    scene.walls.back().name = name;
    return scene.walls.back();
  };
  wall("floor", {-0.6, -0.1}, {0.6, 0.0}).oscillation = {{0.0, 0.02}, 3.0, 0.5};
  wall("left", {-0.7, -0.1}, {-0.6, 0.6});
  wall("gate", {0.6, 0.05}, {0.7, 0.6}).until = 0.7;
  wall("lid", {-0.5, 0.7}, {0.5, 0.8}).until = 0.25;
  Wall& paddle = wall("paddle", {-0.2, 0.3}, {0.2, 0.34});
  paddle.angular_velocity = 4.0;
  paddle.pivot = {0.0, 0.32};
  scene.particles = {{.how = Fill{.region = {{-0.9, 0.0}, {0.9, 1.5}}, .count = {}, .jitter = 0.5},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.06, 0.09}},
                     {.how = Pour{.count = 100, .rate = 200.0, .from = 0.1, .region = {{-0.3, 0.8}, {0.3, 1.9}}},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.05, 0.05}}};
  return scene;
}

/// Disks that attract each other run through a maze of segments, one of which turns; they rebound the better the slower
/// they are.
Scene fluid() {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.materials[0] = {.name = "ice",
                        .density = 1.0,
                        .restitution = 0.9,
                        .friction = 0.1,
                        .restitution_law = RestitutionLaw::viscoelastic,
                        .restitution_speed = 1.0};
  scene.materials.push_back({.name = "steel",
                             .density = 1.0,
                             .restitution = 0.8,
                             .restitution_law = RestitutionLaw::bizon,
                             .restitution_speed = 0.5});
  const auto segment = [&](const char* name, Vec2 from, Vec2 to) -> Wall& {
    scene.walls.push_back({.name = name, .material = 1, .polygon = {from, to}, .until = {}});
    return scene.walls.back();
  };
  segment("slide", {-0.9, 0.3}, {-0.1, 0.6});
  segment("step", {0.3, 0.0}, {0.3, 0.4}).until = 0.5;
  Wall& paddle = segment("paddle", {0.5, 0.5}, {0.8, 0.5});
  paddle.angular_velocity = -3.0;
  paddle.pivot = {0.65, 0.5};
  scene.hard.well = {.range = 1.4, .energy = -2e-4};
  scene.particles = {{.how = Fill{.region = {scene.domain.lo, scene.domain.hi}, .count = {}, .jitter = 1.0},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.04, 0.05}}};
  return scene;
}

constexpr double kReversed = 1.0;  // s

/// Elastic disks, rough enough never to slip, fall between a side above, one below and a wall.
Scene reversing_gas(bool attracting) {
  Scene scene = hard_scene();
  scene.materials[0] = {.name = "perfect", .density = 1.0, .friction = 1e6, .tangential_restitution = 1.0};
  Wall wedge{.name = "wedge", .material = 0, .polygon = {{0.0, 0.2}, {0.3, 0.1}, {0.2, 0.5}}, .until = {}};
  scene.walls = {wedge};
  scene.particles = {{.how = Fill{.region = {scene.domain.lo, scene.domain.hi}, .count = 60, .jitter = 1.0},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.08, 0.1}}};
  if (attracting) {
    scene.materials[0].friction = 0.0;
    scene.hard.well = {.range = 1.3, .energy = -1e-4};
  }
  scene.hard.reverse = kReversed;
  return scene;
}

}  // namespace

TEST_CASE("a scene of disks is what the event-driven mode starts from") {
  Scene scene = hard_scene();
  scene.materials.push_back({.name = "rubber", .density = 1000.0, .restitution = 0.8, .friction = 0.1});
  scene.materials[1].tangential_restitution = 0.25;
  scene.pairs = {{.first = 1, .second = 0, .mixed = {.name = "", .restitution = 0.1, .friction = 0.7}}};
  scene.particles = {test::placed(scree::Disk{}, 0.2, {{.position = {0.1, 0.2}, .angle = 0.3, .velocity = {1.0, 2.0}}}),
                     test::placed(scree::Disk{}, 0.1, {{.position = {-0.5, 0.5}, .angular_velocity = -4.0}})};
  scene.particles[1].material = 1;
  const Setup setup = setup_from(scene);
  CHECK(setup.domain == scene.domain);
  CHECK_FALSE(setup.open);
  CHECK(setup.gravity == scene.gravity);
  CHECK(setup.position == std::vector<Vec2>{{0.1, 0.2}, {-0.5, 0.5}});
  CHECK(setup.velocity == std::vector<Vec2>{{1.0, 2.0}, {0.0, 0.0}});
  CHECK(setup.angle == std::vector{0.3, 0.0});
  CHECK(setup.angular_velocity == std::vector{0.0, -4.0});
  CHECK(setup.radius == std::vector{0.1, 0.05});
  CHECK(std::abs(setup.mass[0] - 2600.0 * std::numbers::pi * 0.01) < 1e-12);    // kg
  CHECK(std::abs(setup.mass[1] - 1000.0 * std::numbers::pi * 0.0025) < 1e-12);  // kg
  CHECK(setup.type == std::vector{0, 1});
  CHECK(setup.material == std::vector{0, 1});
  CHECK(setup.first_id == 1);
  CHECK(setup.rules.pairs ==
        std::vector<CollisionRule>{{0.3, 0.5, 0.0}, {0.1, 0.7, 0.0}, {0.1, 0.7, 0.0}, {0.8, 0.1, 0.25}});
}

TEST_CASE("each pair of materials has its own collision rule") {
  Scene scene = hard_scene();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}, {true, true}};
  scene.gravity = Vec2::Zero();
  scene.materials.push_back({.name = "rubber", .density = 2600.0, .restitution = 0.8});
  scene.pairs = {{.first = 0, .second = 1, .mixed = {.name = "", .restitution = 0.5}}};
  struct Pairing {
    int a;
    int b;
    double restitution;
  };
  for (const Pairing& pair : {Pairing{0, 0, 0.3}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 1, 0.8}}) {
    CAPTURE(pair.a);
    CAPTURE(pair.b);
    scene.particles = {test::placed(scree::Disk{}, 1.0, {{.position = {-1.0, 0.0}, .velocity = {1.0, 0.0}}}),
                       test::placed(scree::Disk{}, 1.0, {{.position = {1.0, 0.0}, .velocity = {-1.0, 0.0}}})};
    scene.particles[0].material = pair.a;
    scene.particles[1].material = pair.b;
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    const ParticleState after = simulation.state().particles;
    CHECK(simulation.counters().collisions == 1);
    CHECK(std::abs(after.velocity[1].x() - pair.restitution) < 1e-15);  // m/s
    CHECK(std::abs(after.velocity[0].x() + pair.restitution) < 1e-15);  // m/s
    CHECK(after.material == std::vector{pair.a, pair.b});
    CHECK(after.type == std::vector{0, 1});
  }
}

TEST_CASE("restitution that depends on speed is that of the material which loses more") {
  const Material bizon = {
      .name = "", .restitution = 0.7, .restitution_law = RestitutionLaw::bizon, .restitution_speed = 0.5};
  const Material viscoelastic = {
      .name = "", .restitution = 0.9, .restitution_law = RestitutionLaw::viscoelastic, .restitution_speed = 0.1};
  const Material constant = {.name = "", .restitution = 0.7};
  Scene scene = hard_scene();
  scene.materials = {bizon, viscoelastic, constant};
  const auto same = [&](int a, int b, int as) {
    CHECK(rule_between(scene, a, b) == rule_between(scene, as, as));
    CHECK(rule_between(scene, b, a) == rule_between(scene, as, as));
  };
  same(0, 1, 0);
  same(1, 2, 2);
  same(0, 2, 2);  // at equal restitutions the constant one loses more
  for (const double speed : {0.01, 0.1, 1.0}) {
    const double ratio = std::pow(speed / 0.5, 0.75);
    CHECK(std::abs(normal_restitution(rule_between(scene, 0, 0), speed) - (1.0 - 0.3 * std::min(ratio, 1.0))) < 1e-14);
  }
  CHECK(std::abs(normal_restitution(rule_between(scene, 1, 1), 0.1) - 0.9) < 1e-14);
  CHECK(normal_restitution(rule_between(scene, 1, 1), 0.05) > 0.91);
}

TEST_CASE("a scene's well catches disks that lose energy in it") {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}, {true, true}};
  scene.materials[0] = {.name = "ice", .density = 1.0, .restitution = 0.5};
  scene.hard.well = {.range = 1.5, .energy = -1.0};
  scene.particles = {test::placed(
      scree::Disk{}, 1.0,
      {{.position = {-2.0, 0.1}, .velocity = {1.0, 0.0}}, {.position = {2.0, 0.0}, .velocity = {-1.0, 0.0}}})};
  SceneSimulation simulation(scene);
  CHECK(simulation.summary().potential_energy == 0.0);
  simulation.advance_to(10.0);
  simulation.audit();
  CHECK(simulation.summary().potential_energy == -1.0);
  CHECK(simulation.counters().collisions > 2);
  const ParticleState now = simulation.state().particles;
  CHECK((now.position[1] - now.position[0]).norm() < 1.5 + 1e-12);
}

TEST_CASE("a fill leaves out sites that are occupied, also across periodic sides") {
  const Setup setup = setup_from(gas());
  CHECK(setup.position.size() > 350);
  CHECK(setup.position.size() < 33 * 16 - 20);
  const SceneSimulation simulation(gas());  // throws where disks overlap
  simulation.audit();
}

TEST_CASE("a wide range of sizes goes into a hierarchical grid") {
  CHECK(SceneSimulation(gas()).broadphase_reason() == "hierarchical_grid, since sizes differ widely");
  CHECK(SceneSimulation(hopper()).broadphase_reason() == "linked_cells, since sizes are similar");
}

TEST_CASE("walls have the first ids, appear in frames and are removed at their time") {
  SceneSimulation simulation(hopper());
  CHECK(simulation.state().particles.id.front() == 6);
  CHECK(simulation.state().walls.name == std::vector<std::string>{"floor", "left", "gate", "lid", "paddle"});
  CHECK(simulation.particles() > 100);
  simulation.advance_to(0.24);
  CHECK(simulation.state().walls.size() == 5);
  const std::uint64_t before = simulation.summary().particles_out;
  simulation.advance_to(0.8);
  simulation.audit();
  CHECK(simulation.state().walls.id == std::vector<std::uint64_t>{1, 2, 5});
  simulation.advance_to(2.5);
  simulation.audit();
  CHECK(simulation.summary().particles_out > before + 50);
}

namespace {

std::vector<ConvexPart> two_disks() {
  return {{.polygon = {}, .centre = {0.0, 0.0}, .radius = 1.0}, {.polygon = {}, .centre = {1.0, 0.0}, .radius = 1.0}};
}

/// Of the gas, with hexagons among the disks, and rules that these can have.
Scene gas_of_polygons() {
  Scene scene = gas();
  scene.hard.contact_duration = 1e-4;
  scene.particles[1].shape = RegularPolygon{6};
  return scene;
}

}  // namespace

TEST_CASE("what hard polygons cannot do is refused by its key") {
  const auto refused = [](const char* key, const std::function<void(Scene&)>& spoil) {
    check_refused(gas_of_polygons(), key, spoil);
  };
  CHECK_NOTHROW((void)setup_from(gas_of_polygons()));
  refused("contact.duration", [](Scene& s) { s.hard.contact_duration = 0.0; });
  refused("contact.duration", [](Scene& s) {  // friction in gravity
    s.hard.contact_duration = 0.0;
    s.materials[0].restitution = 1.0;
  });
  refused("materials.rough.tangential_restitution", [](Scene& s) { s.materials[0].tangential_restitution = 0.5; });
  refused("materials.smooth.restitution_law", [](Scene& s) { s.materials[1].restitution_law = RestitutionLaw::bizon; });
  refused("well", [](Scene& s) { s.hard.well = {1.5, -1.0}; });
  refused("arithmetic", [](Scene& s) { s.hard.arithmetic = Arithmetic::exact; });
  refused("domain.cell", [](Scene& s) { s.domain.cell = CellDrive{}; });
  refused("particles[0].fixed", [](Scene& s) { s.particles[0].fixed = {true, false, false}; });
  refused("particles[1].shape", [](Scene& s) {  // thinner than its coordinates are rounded
    s.particles[1].shape = ExplicitPolygon{{{0.0, 0.0}, {100.0, 0.0}, {100.0, 1.0}, {0.0, 1.0}}};
    s.particles[1].size = {1e-11, 1e-11};
    std::get<Fill>(s.particles[1].how).count = 1;
  });
  Scene smooth = gas_of_polygons();
  smooth.hard.contact_duration = 0.0;
  smooth.gravity = Vec2::Zero();
  for (Material& material : smooth.materials) material.restitution = 1.0;
  CHECK_NOTHROW((void)setup_from(smooth));
}

TEST_CASE("polygons that are poured find room, fall, and leave through open sides") {
  Scene scene = gas_of_polygons();
  scene.domain = {{-1.0, -1.5}, {1.0, 2.0}, {true, false}};
  scene.gravity = {0.0, -2.0};
  scene.walls = {test::box_wall({-0.5, -0.1}, {0.5, 0.0})};
  scene.particles.push_back(
      {.how =
           Pour{.count = 300, .rate = 300.0, .from = 0.1, .region = {{-1.0, 1.0}, {1.0, 1.5}}, .velocity = {0.0, -1.0}},
       .material = 0,
       .shape = RandomPolygon{},
       .size = {0.04, 0.06}});
  SceneSimulation simulation(scene);
  for (const double time : {0.3, 0.8, 1.3}) {
    simulation.advance_to(time);
    simulation.audit();
  }
  const Summary summary = simulation.summary();
  CHECK(summary.particles_out > 20);
  CHECK(summary.particles_in > 150);
  CHECK(std::abs(summary.energy_residual) < 1e-11);
  CHECK(simulation.why_serial() == "grains are polygons");
  std::stringstream file;
  simulation.save(file);
  SceneSimulation resumed(scene, {}, 1, MadeFor::load);
  resumed.load(file);
  const double end = test::kSanitized ? 1.35 : 1.6;
  for (SceneSimulation* each : {&simulation, &resumed}) each->advance_to(end);
  CHECK(test::state_hash(resumed) == test::state_hash(simulation));
  if (test::kSanitized) return;
  SceneSimulation other(scene, BroadphaseKind::all_pairs);
  other.advance_to(end);
  CHECK(test::state_hash(other) == test::state_hash(simulation));
}

TEST_CASE("features that hard disks do not have are refused") {
  const auto refused = [](const char* key, const std::function<void(Scene&)>& spoil) {
    check_refused(gas(), key, spoil);
  };
  refused("materials.rough.damping", [](Scene& s) { s.materials[0].damping = 0.1; });
  refused("materials.smooth.dynamic_friction", [](Scene& s) { s.materials[1].dynamic_friction = 0.0; });
  refused("materials.rough.rolling_friction", [](Scene& s) { s.materials[0].rolling_friction = 0.1; });
  refused("materials.rough.cohesion", [](Scene& s) { s.materials[0].cohesion = 1.0; });
  refused("walls.wheel.rotation.rate", [](Scene& s) {
    s.walls = {test::box_wall({0.0, 0.0}, {0.1, 0.1})};
    s.walls[0].name = "wheel";
    s.walls[0].angular_velocity = 1e20;
  });
  refused("particles[0].size", [](Scene& s) { s.domain.hi.x() = 1e13; });
  refused("particles[1].shape", [](Scene& s) { s.particles[1].shape = Clump(two_disks()); });
  refused("time.reverse", [](Scene& s) {
    s.hard.reverse = 0.5;
    s.hard.growth.rate = 0.1;
  });
  refused("time.reverse", [](Scene& s) {
    s.hard.reverse = 0.5;
    s.particles.push_back(fountain().particles.back());
  });
  for (const int motion : {0, 1, 2}) {
    refused("time.reverse", [&](Scene& s) {
      s.hard.reverse = 0.5;
      s.walls = {test::box_wall({0.0, 0.0}, {0.1, 0.1})};
      if (motion == 0) s.walls[0].velocity = {0.0, 1e-3};
      if (motion == 1) s.walls[0].angular_velocity = -1.0;
      if (motion == 2) s.walls[0].oscillation = {{0.1, 0.0}, 1.0, 0.0};
    });
  }
}

TEST_CASE("disks that are given velocities go on alike with any broadphase, and after save and load") {
  const std::vector<Scene> scenes = {fountain(), hopper(), fluid()};
  for (const Scene& scene : scenes) {
    if (test::kSanitized && &scene != &scenes.front()) continue;
    const auto push = [](SceneSimulation& simulation, double time) {
      simulation.advance_to(time);
      const ParticleState before = simulation.state().particles;
      std::vector<std::uint64_t> ids;
      std::vector<Motion> velocities;
      for (std::size_t i = 0; i < before.size(); i += 3) {
        ids.push_back(before.id[i]);
        velocities.emplace_back(0.3, 1.0, -2.0);
      }
      const Summary accounts = simulation.summary();
      REQUIRE_FALSE(simulation.set_velocities(ids, velocities));
      const ParticleState after = simulation.state().particles;
      CHECK(after.position == before.position);
      CHECK(after.velocity[0] == Vec2(0.3, 1.0));
      CHECK(after.velocity[1] == before.velocity[1]);
      const Summary now = simulation.summary();
      const double brought = now.energy_in - accounts.energy_in;
      CHECK(std::abs(brought - (now.kinetic_energy - accounts.kinetic_energy)) < 1e-12 * now.energy_throughput);
      simulation.audit();
    };
    std::optional<StateHash> expected;
    for (const BroadphaseKind kind :
         {BroadphaseKind::linked_cells, BroadphaseKind::hierarchical_grid, BroadphaseKind::all_pairs}) {
      SceneSimulation simulation(scene, kind);
      for (const double time : {0.3, 0.45, 0.6}) push(simulation, time);
      std::stringstream bytes;
      simulation.save(bytes);
      SceneSimulation resumed(scene, {}, 1, MadeFor::load);
      resumed.load(bytes);
      CHECK(test::state_hash(resumed) == test::state_hash(simulation));
      simulation.advance_to(0.8);
      resumed.advance_to(0.7);
      resumed.advance_to(0.8);
      simulation.audit();
      CHECK(test::state_hash(resumed) == test::state_hash(simulation));
      CHECK(std::abs(simulation.summary().energy_residual) < 1e-11);
      if (!expected) expected = test::state_hash(simulation);
      CHECK(test::state_hash(simulation) == *expected);
    }
  }
}

TEST_CASE("nothing changes if one of the disks that are given velocities is not there") {
  SceneSimulation simulation(hopper());
  simulation.advance_to(1.5);  // some have left
  REQUIRE(simulation.summary().particles_out > 0);
  SceneSimulation same(hopper());
  same.advance_to(1.5);
  const std::uint64_t there = simulation.state().particles.id.back();
  const std::vector<Motion> velocities(2, Motion::Zero());
  CHECK(simulation.set_velocities(std::vector<std::uint64_t>{there, 1}, velocities) == std::uint64_t{1});  // a wall
  CHECK(simulation.set_velocities(std::vector<std::uint64_t>{there, 1000000}, velocities) == std::uint64_t{1000000});
  CHECK(test::state_hash(simulation) == test::state_hash(same));
  simulation.audit();
  simulation.advance_to(2.0);
  same.advance_to(2.0);
  CHECK(test::state_hash(simulation) == test::state_hash(same));
}

TEST_CASE("a state is loaded whose wall would have stood on disks at the start") {
  Scene scene = gas();
  scene.walls = {test::box_wall({-1.0, 0.7}, {-0.95, 0.8})};
  scene.walls[0].name = "piston";
  SceneSimulation simulation(scene);
  simulation.advance_to(0.5);
  std::stringstream bytes;
  simulation.save(bytes);
  Scene changed = scene;
  changed.walls[0].velocity = {0.0, 0.2};
  for (Vec2& corner : changed.walls[0].polygon) corner -= 0.5 * changed.walls[0].velocity;
  CHECK_THROWS_AS(SceneSimulation{changed}, InvalidScene);
  SceneSimulation moved(changed, {}, 1, MadeFor::load);
  moved.load(bytes);
  moved.audit();
  moved.advance_to(1.0);
  moved.audit();
  CHECK(std::abs(moved.summary().energy_residual) < 1e-11);
  CHECK(moved.summary().wall_work != 0.0);
}

TEST_CASE("velocities and spins are reversed at a time, and all disks go back to where they began") {
  for (const bool attracting : {false, true}) {
    CAPTURE(attracting);
    const Scene scene = reversing_gas(attracting);
    SceneSimulation gas(scene);
    const ParticleState before = gas.state().particles;
    gas.advance_to(kReversed);
    const Counters half = gas.counters();
    CHECK(half.collisions > 300);
    CHECK(half.wall_hits > 30);
    CHECK((half.crossings > 100) == attracting);
    std::size_t went_around = 0;
    for (const auto& image : gas.state().particles.image) went_around += image[0] != 0 ? 1 : 0;
    CHECK(went_around > 2);

    gas.advance_to(2.0 * kReversed);
    gas.audit();
    CHECK(gas.counters().collisions == 2 * half.collisions);
    CHECK(gas.counters().wall_hits == 2 * half.wall_hits);
    CHECK(gas.counters().crossings == 2 * half.crossings);
    const ParticleState after = gas.state().particles;
    CHECK(after.image == before.image);
    double error = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      error = std::max({error, (after.position[i] - before.position[i]).norm(),
                        (after.velocity[i] + before.velocity[i]).norm(), std::abs(after.angle[i] - before.angle[i]),
                        0.05 * std::abs(after.angular_velocity[i] + before.angular_velocity[i])});
    }
    CHECK(error < 1e-6);  // m, m/s, rad, of disks of 0.1 m at 1 m/s
    MESSAGE("errors up to " << error << " after " << half.collisions << " collisions each way");
    CHECK(std::abs(gas.summary().energy_residual) < 1e-12);
  }
}

TEST_CASE("disks that lose energy do not come back") {
  Scene scene = reversing_gas(false);
  scene.materials[0].restitution = 0.99;
  SceneSimulation gas(scene);
  const ParticleState before = gas.state().particles;
  gas.advance_to(2.0 * kReversed);
  const ParticleState after = gas.state().particles;
  double error = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    error = std::max(error, shorter_way(after.position[i] - before.position[i], scene.domain).norm());
  }
  CHECK(error > 0.1);  // m
}

TEST_CASE("a reversed run has the same bits with any output interval, and if saved and resumed, also at that time") {
  Scene scene = reversing_gas(true);
  scene.measure = Measure{.every = 0.1, .region = {scene.domain.lo, scene.domain.hi}, .free_flights = true};
  const auto bits = [](const SceneSimulation& simulation) {
    std::ostringstream out;
    simulation.save(out);
    return out.str();
  };
  constexpr double kEnd = 1.5 * kReversed;
  SceneSimulation whole(scene);
  whole.advance_to(kEnd);
  for (const double pause : {0.5 * kReversed, std::nextafter(kReversed, 0.0), kReversed, 1.25 * kReversed}) {
    CAPTURE(pause);
    SceneSimulation begun(scene);
    begun.advance_to(pause);
    begun.advance_to(pause);
    std::stringstream saved;
    begun.save(saved);
    SceneSimulation resumed(scene, BroadphaseKind::sort_and_update);
    resumed.load(saved);
    while (!resumed.has_reached(kEnd)) resumed.advance_to(kEnd, 7);
    CHECK(test::state_hash(resumed) == test::state_hash(whole));
    begun.advance_to(kEnd);
    CHECK(bits(begun) == bits(whole));
  }
}

TEST_CASE("a free flight during which velocities are reversed is not measured") {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.materials[0].restitution = 1.0;
  scene.measure = Measure{.every = 0.1, .region = {scene.domain.lo, scene.domain.hi}, .free_flights = true};
  const auto disk = [](double x, double v) { return Placed{.position = {x, 0.5}, .velocity = {v, 0.0}}; };
  scene.particles = {test::placed(scree::Disk{}, 0.1, {disk(-0.6, 1.0), disk(-0.3, 0.0), disk(0.2, 0.0)})};
  const auto flights = [&](std::optional<double> reverse) {
    scene.hard.reverse = reverse;
    SceneSimulation row(scene);
    row.advance_to(0.65);
    CHECK(row.counters().collisions == 2);
    const std::vector<std::uint64_t>& counts = row.transfers().free_path().counts();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  CHECK(flights({}) == 1);    // of the middle disk from the left to the right one
  CHECK(flights(0.35) == 0);  // of the same, from the left one to the left one
}

TEST_CASE("a disk that is in the way at the start is named by its key") {
  const auto refused = [](const char* message, const std::function<void(Scene&)>& spoil) {
    Scene scene = gas();
    scene.particles.push_back(
        test::placed(scree::Disk{}, 0.1, {{.position = {0.2, 0.05}, .size = 0.001}, {.position = {0.5, 0.06}}}));
    scene.particles.erase(scene.particles.begin() + 1);
    spoil(scene);
    CHECK_THROWS_WITH_AS(SceneSimulation{scene}, message, InvalidScene);
  };
  const auto places = [](Scene& scene) -> Place& { return std::get<Place>(scene.particles[1].how); };
  refused("particles[1].place[1]: the disk sticks out of the domain",
          [&](Scene& s) { places(s)[1].position.y() = 0.04; });
  refused("particles[1].place[1]: the disk overlaps particles[0].place[0]", [&](Scene& s) {
    places(s)[1].position = {0.99, 0.31};
  });
  refused("particles[1].place[1]: the disk overlaps particles[1].place[0]", [&](Scene& s) {
    places(s)[1].position = {0.22, 0.06};
  });
  refused("particles[1].place[0]: the disk overlaps the wall 'wall'", [&](Scene& s) {
    s.walls = {test::box_wall({0.1, 0.0}, {0.3, 0.0501})};
  });
  refused("particles[2].place[0]: the disk overlaps particles[1].fill", [&](Scene& s) {
    s.particles[1] = gas().particles[1];
    s.particles.push_back(test::placed(scree::Disk{}, 0.1, {{.position = {0.0, 0.5}}}));
  });
}

TEST_CASE("a contact duration longer than the run is refused") {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.hard.contact_duration = 1.0;
  scene.end = 1.0;
  CHECK_NOTHROW(SceneSimulation{scene});
  scene.hard.contact_duration = 1.01;
  CHECK_THROWS_WITH_AS(SceneSimulation{scene}, doctest::Contains("contact.duration: is 1.01 s"), InvalidScene);
}

TEST_CASE("a scene has the same bits with any broadphase and any number of events per call") {
  Scene scene;
  SUBCASE("in a box") {
    scene = gas();
  }
  SUBCASE("with disks that come and go") {
    scene = fountain();
  }
  SUBCASE("with walls that move and go") {
    scene = hopper();
  }
  SUBCASE("with wells, segments and restitution that depends on speed") {
    scene = fluid();
  }
  constexpr double kEnd = test::kSanitized ? 0.2 : 1.0;  // s
  SceneSimulation reference(scene);
  reference.advance_to(kEnd);
  reference.audit();
  CHECK(reference.counters().collisions > (test::kSanitized ? 500 : 5000));
  for (std::size_t k = 1; k < kBroadphaseNames.size(); ++k) {
    CAPTURE(kBroadphaseNames[k]);
    SceneSimulation other(scene, static_cast<BroadphaseKind>(k));
    other.advance_to(kEnd);
    CHECK(other.broadphase_reason() == kBroadphaseNames[k]);
    CHECK(test::state_hash(other) == test::state_hash(reference));
  }
  SceneSimulation pieces(scene);
  for (std::uint64_t chunk = 1; !pieces.has_reached(kEnd); chunk = chunk * 7 % 1009) {
    const double before = pieces.time();
    pieces.advance_to(kEnd, chunk);
    CHECK(pieces.time() >= before);
    if (chunk % 5 != 0) continue;
    pieces.audit();
    std::stringstream saved;
    pieces.save(saved);
    SceneSimulation again(scene, BroadphaseKind::all_pairs);
    again.load(saved);
    CHECK(test::state_hash(again) == test::state_hash(pieces));
    std::stringstream back;
    again.save(back);
    pieces.load(back);
  }
  CHECK(pieces.time() == kEnd);
  CHECK(test::state_hash(pieces) == test::state_hash(reference));
}

TEST_CASE("a scene without disks runs to its end") {
  SceneSimulation nobody(hard_scene());
  nobody.advance_to(0.5, 1);
  CHECK(nobody.time() == 0.5);
  CHECK(nobody.particles() == 0);
  CHECK(nobody.state().particles.size() == 0);
}

TEST_CASE("a disk leaves when the whole of it is beyond an open side") {
  Scene scene = hard_scene();
  scene.domain = {{-1.0, 0.0}, {1.0, 1.0}};
  scene.gravity = Vec2::Zero();
  scene.particles = {test::placed(scree::Disk{}, 0.5,
                                  {{.position = {0.0, 0.5}, .velocity = {-0.5, 0.0}, .angular_velocity = 3.0},
                                   {.position = {0.75, 0.5}, .velocity = {0.0, 0.25}}})};
  SceneSimulation simulation(scene);
  simulation.advance_to(2.4);
  simulation.audit();
  CHECK(simulation.take_departures().empty());
  CHECK(simulation.state().particles.position[0] == Vec2(-1.2, 0.5));
  simulation.advance_to(2.6);
  const std::vector<Departure> gone = simulation.take_departures();
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].time == 2.5);
  CHECK(gone[0].id == 1);
  CHECK(gone[0].type == 0);
  CHECK(gone[0].position == Vec2(-1.25, 0.5));
  CHECK(gone[0].velocity == Vec2(-0.5, 0.0));
  CHECK(gone[0].angular_velocity == 3.0);
  CHECK(simulation.take_departures().empty());
  CHECK(simulation.state().particles.id == std::vector<std::uint64_t>{2});
  simulation.advance_to(100.0);
  CHECK(simulation.take_departures().size() == 1);
  const Summary nobody = simulation.summary();
  CHECK(nobody.particles == 0);
  CHECK(nobody.particles_in == 2);
  CHECK(nobody.particles_out == 2);
  CHECK(nobody.time == 100.0);
}

TEST_CASE("disks that left have the missing momentum and energy") {
  Scene scene = gas();
  scene.gravity = Vec2::Zero();
  scene.domain = {{-1.2, -0.2}, {1.2, 1.2}};
  for (Material& material : scene.materials) material = {.name = material.name, .density = 1.0};
  SceneSimulation simulation(scene);
  const auto carried = [&](const ParticleState& p) {
    Eigen::Array3d sum = Eigen::Array3d::Zero();  // momentum [kg m/s], energy [J]
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec2 momentum = p.mass[i] * p.velocity[i];
      sum += Eigen::Array3d(momentum.x(), momentum.y(), 0.5 * momentum.dot(p.velocity[i]));
    }
    return sum;
  };
  Eigen::Array3d before = carried(simulation.state().particles);
  Eigen::Array3d left = Eigen::Array3d::Zero();
  for (const double t : {0.2, 0.5, 1.0, 1.7, 3.0}) {
    simulation.advance_to(t);
    simulation.audit();
    for (const Departure& d : simulation.take_departures()) {
      const Vec2 momentum = d.mass * d.velocity;
      left += Eigen::Array3d(momentum.x(), momentum.y(), 0.5 * momentum.dot(d.velocity));
    }
    const Eigen::Array3d now = carried(simulation.state().particles);
    CHECK((now + left - before).abs().maxCoeff() < 1e-13);
  }
  CHECK(simulation.counters().collisions > 1000);
  CHECK(simulation.summary().particles_out > 300);
  CHECK(simulation.particles() + simulation.summary().particles_out == simulation.summary().particles_in);
}

TEST_CASE("a pour creates its disks when they are due, at free positions") {
  Scene scene = hard_scene();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  scene.gravity = Vec2::Zero();
  scene.particles = {
      {.how =
           Pour{.count = 5, .rate = 10.0, .from = 0.05, .region = {{-1.0, -1.0}, {1.0, 1.0}}, .velocity = {0.0, -20.0}},
       .material = 0,
       .shape = scree::Disk{},
       .size = {0.5, 1.0}}};
  SceneSimulation simulation(scene);
  CHECK(simulation.particles() == 0);
  struct Moment {
    double time;  // s
    std::uint64_t born;
  };
  for (const Moment& moment : {Moment{0.04, 0}, {0.05, 1}, {0.149, 1}, {0.151, 2}, {0.351, 4}, {0.5, 5}}) {
    CAPTURE(moment.time);
    simulation.advance_to(moment.time);
    simulation.audit();
    CHECK(simulation.summary().particles_in == moment.born);
    CHECK(simulation.summary().particles_owed == 0);
  }
  const ParticleState disks = simulation.state().particles;
  for (std::size_t k = 0; k < disks.size(); ++k) {
    const double born = 0.05 + 0.1 * static_cast<double>(k);  // s
    CHECK(disks.id[k] == k + 1);
    CHECK(disks.velocity[k] == Vec2(0.0, -20.0));
    CHECK(std::abs(disks.position[k].x()) <= 1.0 - disks.radius[k]);
    CHECK(std::abs(disks.position[k].y() + 20.0 * (0.5 - born)) <= 1.0 - disks.radius[k] + 1e-12);
    CHECK(std::abs(disks.mass[k] / (2600.0 * std::numbers::pi * disks.radius[k] * disks.radius[k]) - 1.0) < 1e-12);
  }
}

TEST_CASE("a pour without room does not stop the time, however fast it would be") {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.particles = {{.how = Pour{.count = 1000, .rate = 1e100, .from = 0.0, .region = {{0.0, 0.0}, {0.3, 0.3}}},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.1, 0.1}}};
  SceneSimulation simulation(scene);
  simulation.advance_to(10.0);
  simulation.audit();
  const Summary summary = simulation.summary();
  CHECK(summary.particles >= 3);
  CHECK(summary.particles <= 9);
  CHECK(summary.particles + summary.particles_owed == 1000);
}

TEST_CASE("a pour whose tries come closer to each other than times can tell goes on") {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.particles = {{.how = Pour{.count = 3, .rate = 1e20, .from = 1e9, .region = {{0.0, 0.0}, {0.5, 0.5}}},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.01, 0.01}}};
  SceneSimulation simulation(scene);
  simulation.advance_to(1e9 + 1.0);
  CHECK(simulation.particles() == 3);
}

TEST_CASE("a pour that finds no room owes its disks until there is some") {
  Scene scene = hard_scene();
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.gravity = Vec2::Zero();
  // The second one is blocked by the first until that has flown away, half a period later.
  scene.particles = {
      {.how =
           Pour{.count = 2, .rate = 100.0, .from = 0.0, .region = {{0.0, 0.0}, {0.21, 0.21}}, .velocity = {1.0, 0.0}},
       .material = 0,
       .shape = scree::Disk{},
       .size = {0.2, 0.2}}};
  SceneSimulation simulation(scene);
  simulation.advance_to(0.1);
  CHECK(simulation.particles() == 1);
  CHECK(simulation.summary().particles_owed == 1);
  simulation.advance_to(0.3);
  simulation.audit();
  CHECK(simulation.particles() == 2);
  CHECK(simulation.summary().particles_owed == 0);
}

TEST_CASE("energy balances: the energy that entered is present, left, was dissipated or is the work of walls" *
          doctest::skip(test::kSanitized)) {
  Scene scene;
  SUBCASE("an elastic gas dissipates nothing") {
    scene = gas();
    scene.materials[0] = {.name = "smooth", .density = 1.0};
    SceneSimulation simulation(scene);
    simulation.advance_to(2.0);
    CHECK(simulation.counters().collisions > 10000);
    const Summary s = simulation.summary();
    CHECK(s.dissipated_damping == 0.0);
    CHECK(s.dissipated_friction == 0.0);
    CHECK(s.dissipated_law == 0.0);
    CHECK(s.wall_work == 0.0);
  }
  SUBCASE("a rough inelastic gas that falls around a periodic side") {
    scene = gas();
    scene.materials[1] = {.name = "rough, too", .density = 2.0, .restitution = 0.9, .friction = 0.3};
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    const Summary s = simulation.summary();
    CHECK(s.dissipated_damping > 0.1 * s.energy_throughput);
    CHECK(s.dissipated_friction > 0.05 * s.energy_throughput);
  }
  SUBCASE("pours and departures") {
    scene = fountain();
    SceneSimulation simulation(scene);
    const double at_the_start = simulation.summary().energy_in;
    simulation.advance_to(1.0);
    const Summary s = simulation.summary();
    CHECK(s.energy_in != at_the_start);
    double left = 0.0;  // J
    for (const Departure& d : simulation.take_departures()) {
      const double r2 = d.mass / (std::numbers::pi * scene.materials[d.type == 1 ? 1 : 0].density);
      left += 0.5 * d.mass * (d.velocity.squaredNorm() + 0.5 * r2 * d.angular_velocity * d.angular_velocity);
      left -= d.mass * scene.gravity.dot(d.position);
    }
    CHECK(std::abs(s.energy_out / left - 1.0) < 1e-12);
  }
  SUBCASE("walls that shake and turn, and a contact time") {
    scene = hopper();
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    const Summary s = simulation.summary();
    CHECK(s.wall_work > 0.01 * s.energy_throughput);
    CHECK(s.dissipated_friction > 0.0);
    CHECK(s.dissipated_law < 0.0);  // what the contact time gives
    CHECK(s.dissipated_law > -1e-3 * s.energy_throughput);
  }
  SUBCASE("wells, segments and restitution that depends on speed") {
    scene = fluid();
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    CHECK(simulation.summary().potential_energy < -0.1 * simulation.summary().energy_throughput);
  }
  SUBCASE("growing disks") {
    scene = hard_scene();
    scene.gravity = Vec2::Zero();
    scene.materials[0] = {.name = "smooth", .density = 1.0, .restitution = 0.95};
    scene.particles = {{.how = Fill{.region = {scene.domain.lo, scene.domain.hi}, .count = {}, .jitter = 1.0},
                        .material = 0,
                        .shape = scree::Disk{},
                        .size = {0.04, 0.06}}};
    scene.hard.growth = {.rate = 0.2, .from = 0.5, .pressure = 1e3};
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    CHECK(simulation.counters().collisions > 3000);
    CHECK(simulation.summary().dissipated_law < 0.0);  // what growth gives and rescaling takes
  }
  SUBCASE("growing polygons") {
    scene = hard_scene();
    scene.gravity = Vec2::Zero();
    scene.materials[0] = {.name = "smooth", .density = 1.0, .restitution = 0.95};
    const Fill all{.region = {scene.domain.lo, scene.domain.hi}, .count = 150, .jitter = 1.0};
    scene.particles = {{.how = all, .material = 0, .shape = RandomPolygon{}, .size = {0.04, 0.06}}};
    scene.hard.growth = {.rate = 0.2, .from = 0.5, .pressure = 1e3};
    scene.hard.contact_duration = 1e-7;
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    CHECK(simulation.counters().collisions > 300);
    CHECK(simulation.summary().dissipated_law < 0.0);
  }
  SceneSimulation straight(scene);
  straight.advance_to(0.4);
  std::stringstream saved;
  straight.save(saved);
  SceneSimulation resumed(scene, BroadphaseKind::sorted_strips);
  resumed.load(saved);
  for (const double time : {0.6, 1.0}) {
    straight.advance_to(time);
    resumed.advance_to(time);
    const Summary s = straight.summary();
    CHECK(std::abs(s.energy_residual) < 1e-12);
    CHECK(s.energy_throughput > 0.0);
    CHECK(resumed.summary() == s);
  }
}

TEST_CASE("the work of a wall and the losses of a rough impact agree with closed forms") {
  Scene scene = hard_scene();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  scene.gravity = Vec2::Zero();
  scene.materials[0] = {.name = "rough", .density = 1.0, .restitution = 0.5, .friction = 0.1};
  scene.walls = {test::box_wall({-5.0, -2.0}, {5.0, -1.0})};
  scene.walls[0].velocity = {0.25, 0.5};
  scene.particles = {
      test::placed(scree::Disk{}, 1.0, {{.position = {0.0, 0.0}, .velocity = {3.0, -1.0}, .size = 1.0, .mass = 2.0}})};
  SceneSimulation simulation(scene);
  const double before = simulation.summary().kinetic_energy;
  simulation.advance_to(1.0);
  const Summary s = simulation.summary();
  REQUIRE(simulation.counters().wall_hits == 1);
  const double normal = 2.0 * 1.5 * 1.5;   // N s: m (1 + e) times 1.5 m/s of approach
  const double tangential = 0.1 * normal;  // it slides
  const double slip = 2.75;                // m/s
  const double slip_after = slip - 3.0 * tangential / 2.0;
  REQUIRE(slip_after > 0.0);
  CHECK(std::abs(s.dissipated_damping - 0.5 * 2.0 * 1.5 * 1.5 * 0.75) < 1e-14);             // J
  CHECK(std::abs(s.dissipated_friction - 0.5 * tangential * (slip + slip_after)) < 1e-14);  // J
  CHECK(std::abs(s.wall_work - (0.5 * normal - 0.25 * tangential)) < 1e-14);                // J
  CHECK(std::abs(s.kinetic_energy - (before + s.wall_work - s.dissipated_damping - s.dissipated_friction)) < 1e-14);
}

TEST_CASE("a run that would never end says why") {
  Scene scene = hard_scene();
  scene.gravity = Vec2::Zero();
  scene.particles = {test::placed(scree::Disk{}, 0.1,
                                  {{.position = {0.0, 0.5}, .velocity = {0.0, 1.0}},
                                   {.position = {0.5, 0.5}, .velocity = {1e90, 1e90}},
                                   {.position = {-0.5, 0.5}, .velocity = {0.0, 0.5}}})};
  std::string who = "e+";  // speed of whoever the fast one has hit: boxes decide whose step is counted last
  double latest = 1e-80;   // s
  SUBCASE("a disk that is too fast") {}
  SUBCASE("a disk that is too fast and meets nobody") {
    scene.domain = {{-1.0, 0.0}, {1.0, 1.0}, {true, true}};
    std::get<Place>(scene.particles[0].how) = {{.position = {0.0, 0.5}, .velocity = {1e90, 1e88}}};
    who = "disk 1, at 1e+90 m/s";
  }
  SUBCASE("an elastic disk that is crushed by walls") {
    scene.materials[0].restitution = 1.0;
    scene.materials[0].friction = 0.0;
    scene.walls = {test::box_wall({-1.0, 0.0}, {-0.1, 1.0}), test::box_wall({0.1, 0.0}, {1.0, 1.0})};
    scene.walls[0].velocity = {0.5, 0.0};
    scene.walls[1].name = "other wall";
    scene.walls[1].velocity = {-0.5, 0.0};
    scene.domain = {{-2.0, 0.0}, {2.0, 1.0}};
    std::get<Place>(scene.particles[0].how) = {{.position = {0.0, 0.5}, .velocity = {0.1, 0.0}}};
    who = "disk 3, at ";
    latest = 0.1 + 1e-9;
  }
  SUBCASE("a wall that is too fast") {
    scene.walls = {test::box_wall({-0.1, 0.8}, {0.1, 0.9})};
    scene.walls[0].velocity = {0.0, 1e90};
    std::get<Place>(scene.particles[0].how) = {{.position = {0.0, 0.5}, .velocity = {0.1, 0.0}}};
    who = "the wall 'wall'";
  }
  SceneSimulation simulation(scene);
  try {
    simulation.advance_to(1.0);
    FAIL("came to its end");
  } catch (const PhysicsError& error) {
    CAPTURE(std::string(error.what()));
    CHECK(std::string(error.what()).find("time stands still, or nearly so: the last ") != std::string::npos);
    CHECK(std::string(error.what()).find(who) != std::string::npos);
    CHECK(simulation.time() <= latest);
  }
}

TEST_CASE("a bed at rest is slow, but its time does not stand still" * doctest::skip(test::kSanitized)) {
  Scene scene = hard_scene();
  scene.domain = {{0.0, 0.0}, {1.0, 10.0}, {true, false}, true};
  scene.gravity = {0.0, -9.81};
  scene.materials[0] = {.name = "ball", .density = 1.0, .restitution = 0.5, .friction = 0.3};
  scene.hard.contact_duration = 1e-5;
  scene.walls = {test::box_wall({0.0, -0.5}, {1.0, 0.05})};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.05}, {1.0, 0.5}}, .count = {}, .jitter = 0.0},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.1, 0.12}}};
  SceneSimulation simulation(scene);
  simulation.advance_to(0.4);
  simulation.audit();
  CHECK(simulation.counters().collisions + simulation.counters().wall_hits > 30000);
  CHECK(simulation.summary().kinetic_energy < 1e-3 * simulation.summary().energy_throughput);
}

}  // namespace scree::hard_scene_test
