#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/scene_setup.hpp"
#include "dem/hard/scene_simulation.hpp"
#include "tests/scenes.hpp"

using namespace scree;
using namespace scree::hard;

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

std::string hash_bytes(const SceneSimulation& simulation) {
  std::ostringstream out;
  simulation.save_for_hash(out);
  return out.str();
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
  CHECK(setup.pairs == std::vector<CollisionRule>{{0.3, 0.5, 0.0}, {0.1, 0.7, 0.0}, {0.1, 0.7, 0.0}, {0.8, 0.1, 0.25}});
}

TEST_CASE("each pair of materials has its own collision rule") {
  Scene scene = hard_scene();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}, {true, true}};
  scene.gravity = Vec2::Zero();
  scene.materials.push_back({.name = "rubber", .density = 2600.0, .restitution = 0.8});
  scene.pairs = {{.first = 0, .second = 1, .mixed = {.name = "", .restitution = 0.5}}};
  for (const auto& [a, b, restitution] : {std::tuple{0, 0, 0.3}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 1, 0.8}}) {
    CAPTURE(a);
    CAPTURE(b);
    scene.particles = {test::placed(scree::Disk{}, 1.0, {{.position = {-1.0, 0.0}, .velocity = {1.0, 0.0}}}),
                       test::placed(scree::Disk{}, 1.0, {{.position = {1.0, 0.0}, .velocity = {-1.0, 0.0}}})};
    scene.particles[0].material = a;
    scene.particles[1].material = b;
    SceneSimulation simulation(scene);
    simulation.advance_to(1.0);
    const ParticleState after = simulation.state().particles;
    CHECK(simulation.counters().collisions == 1);
    CHECK(std::abs(after.velocity[1].x() - restitution) < 1e-15);  // m/s
    CHECK(std::abs(after.velocity[0].x() + restitution) < 1e-15);  // m/s
    CHECK(after.material == std::vector{a, b});
    CHECK(after.type == std::vector{0, 1});
  }
}

TEST_CASE("what fills a region leaves room for what is there already, across periodic sides too") {
  const Setup setup = setup_from(gas());
  CHECK(setup.position.size() > 350);
  CHECK(setup.position.size() < 33 * 16 - 20);
  const SceneSimulation simulation(gas());  // throws where disks overlap
  simulation.audit();
}

TEST_CASE("what hard disks cannot do is refused") {
  const auto refused = [](const char* key, const std::function<void(Scene&)>& spoil) {
    CAPTURE(key);
    Scene scene = gas();
    spoil(scene);
    try {
      (void)setup_from(scene);
      FAIL("accepted");
    } catch (const InvalidScene& error) {
      CHECK(error.key == key);
    }
  };
  refused("materials.rough.damping", [](Scene& s) { s.materials[0].damping = 0.1; });
  refused("materials.smooth.dynamic_friction", [](Scene& s) { s.materials[1].dynamic_friction = 0.0; });
  refused("materials.rough.rolling_friction", [](Scene& s) { s.materials[0].rolling_friction = 0.1; });
  refused("materials.rough.cohesion", [](Scene& s) { s.materials[0].cohesion = 1.0; });
  refused("particles[1].shape", [](Scene& s) { s.particles[1].shape = RegularPolygon{}; });
}

TEST_CASE("a scene has the same bits with any broadphase, and however many events are done at a time") {
  SceneSimulation reference(gas());
  reference.advance_to(1.0);
  reference.audit();
  CHECK(reference.counters().collisions > 5000);
  CHECK(reference.broadphase_reason().starts_with("hierarchical_grid"));
  for (std::size_t k = 1; k < kBroadphaseNames.size(); ++k) {
    CAPTURE(kBroadphaseNames[k]);
    SceneSimulation other(gas(), static_cast<BroadphaseKind>(k));
    other.advance_to(1.0);
    CHECK(other.broadphase_reason() == kBroadphaseNames[k]);
    CHECK(hash_bytes(other) == hash_bytes(reference));
  }
  SceneSimulation pieces(gas());
  for (std::uint64_t chunk = 1; !pieces.has_reached(1.0); chunk = chunk * 7 % 1009) {
    const double before = pieces.time();
    pieces.advance_to(1.0, chunk);
    CHECK(pieces.time() >= before);
    if (chunk % 5 != 0) continue;
    pieces.audit();
    std::stringstream saved;
    pieces.save(saved);
    SceneSimulation again(gas(), BroadphaseKind::all_pairs);
    again.load(saved);
    CHECK(hash_bytes(again) == hash_bytes(pieces));
    std::stringstream back;
    again.save(back);
    pieces.load(back);
  }
  CHECK(pieces.time() == 1.0);
  CHECK(hash_bytes(pieces) == hash_bytes(reference));
}

TEST_CASE("a scene without disks passes its time") {
  SceneSimulation nobody(hard_scene());
  nobody.advance_to(0.5, 1);
  CHECK(nobody.time() == 0.5);
  CHECK(nobody.particles() == 0);
  CHECK(nobody.state().particles.size() == 0);
}
