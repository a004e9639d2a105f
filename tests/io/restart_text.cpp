#include "io/scene/restart_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/scene/scene_reader.hpp"

namespace scree::restart_text_test {

namespace {

const std::string kHeap = R"(scree: 1   # the version
parameters: {grain: 0.04}
domain: {x: [-0.3, 0.3], y: [-0.1, 1]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 5e6, restitution: 0.3, friction: 0.5}
walls: [{name: floor, material: stone, box: {x: [-0.3, 0.3], y: [-0.05, 0]}}]
# What falls.
particles:
  - fill: {region: {x: [-0.1, 0.1], y: [0, 0.1]}}   # these
  # and those
  - pour: {count: 12, rate: 50, region: {x: [-0.06, 0.06], y: [0.12, 0.2]}}

# How they touch.
contact: {disks: linear}
time: {end: 2}
output: {every: 0.1}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

/// Polygons, and disks that are poured.
std::string heap() {
  const std::string keys = "\n    material: stone\n    size: {uniform: [0.6 * grain, grain]}\n    shape: ";
  std::string text = replaced(kHeap, "   # these", keys + "{random_polygon: {vertices: [4, 7]}}");
  return replaced(text, "0.2]}}\n\n", "0.2]}}" + keys + "disk\n\n");
}

/// Two runs have the same grains at the same places, in the order of groups.
void check_same_grains(const State& begun, const State& state) {
  const ParticleState& a = begun.particles;
  const ParticleState& b = state.particles;
  REQUIRE(a.size() == b.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    const auto there = std::ranges::find(b.position, a.position[j]);
    REQUIRE(there != b.position.end());
    const auto k = static_cast<std::size_t>(there - b.position.begin());
    CHECK(a.velocity[j] == b.velocity[k]);
    CHECK(a.angular_velocity[j] == b.angular_velocity[k]);
    CHECK(std::abs(a.radius[j] / b.radius[k] - 1.0) < 1e-12);
    CHECK(std::abs(a.mass[j] / b.mass[k] - 1.0) < 1e-9);
    const std::uint32_t corners = b.outlines.first[k + 1] - b.outlines.first[k];
    REQUIRE(a.outlines.first[j + 1] - a.outlines.first[j] == corners);
    for (std::uint32_t c = 0; c < corners; ++c) {
      const Vec2& corner = a.outlines.vertices[a.outlines.first[j] + c];
      const auto is_there = [&](const Vec2& other) { return (other - corner).norm() < 1e-12; };
      CHECK(std::any_of(b.outlines.vertices.begin() + b.outlines.first[k],
                        b.outlines.vertices.begin() + b.outlines.first[k + 1], is_there));
    }
  }
}

std::string refusal(const std::string& text, double time) {
  const Scene scene = parse_scene(text, "s.yaml");
  soft::Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(time);
  try {
    (void)restart_text(text, scene, simulation.state(), simulation.summary());
    return "";
  } catch (const InvalidScene& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a scene begins again where a run of it is, and what is still to come comes when it would have come") {
  const Scene scene = parse_scene(heap(), "s.yaml");
  soft::Simulation simulation(scene, {.threads = 1});
  const std::uint64_t in_all = simulation.summary().particles_in + 12;
  for (const double time : {0.0, 0.15, 0.4}) {
    CAPTURE(time);
    simulation.advance_to(time);
    const std::string text = restart_text(heap(), scene, simulation.state(), simulation.summary());
    CAPTURE(text);
    const Scene restarted = parse_scene(text, "s.yaml");
    soft::Simulation again(restarted, {.threads = 1});
    check_same_grains(again.state(), simulation.state());
    const double energy = simulation.summary().kinetic_energy;
    CHECK(std::abs(again.summary().kinetic_energy - energy) <= 1e-9 * energy);
    for (const char* kept :
         {"   # the version\n", "parameters: {grain: 0.04}", "\n# What falls.\n", "\n\n# How they touch.\n"}) {
      CHECK(text.find(kept) != std::string::npos);
    }
    CHECK(text.find("those") == std::string::npos);
    again.advance_to(0.4);
    CHECK(again.summary().particles_in + simulation.summary().particles_out == in_all);
  }
}

TEST_CASE("grains that drew their polygons have them where others have left") {
  std::string text = replaced(heap(), "x: [-0.3, 0.3], y: [-0.05, 0]", "x: [-0.05, 0.3], y: [-0.05, 0]");
  const Scene scene = parse_scene(text, "s.yaml");
  soft::Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.4);
  REQUIRE(simulation.summary().particles_out > 0);
  REQUIRE(simulation.state().particles.size() > 8);
  const Scene restarted = parse_scene(restart_text(text, scene, simulation.state(), simulation.summary()), "s.yaml");
  check_same_grains(soft::Simulation(restarted, {.threads = 1}).state(), simulation.state());
}

TEST_CASE("contacts may be as deep as they are, however the scene writes contact") {
  for (const char* contact :
       {"contact: {disks: linear}\n", "", "contact: {}\n", "contact:\n    disks: linear\n",
        "contact:\n  # none\n  initial_depth: 1e-5   # of few\n  disks: linear\n",
        "contact: {initial_depth: 1e-5, disks: linear}\n", "contact: # by default\n  disks: linear\n"}) {
    CAPTURE(contact);
    const std::string text = replaced(heap(), "contact: {disks: linear}\n", contact);
    const Scene scene = parse_scene(text, "s.yaml");
    soft::Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.2);
    const double deepest = simulation.summary().max_depth_ratio;
    REQUIRE(deepest > 1e-4);
    const std::string restarted = restart_text(text, scene, simulation.state(), simulation.summary());
    CAPTURE(restarted);
    const double allowed = parse_scene(restarted, "s.yaml").soft.initial_depth;
    CHECK(allowed >= deepest);
    CHECK(allowed < 1.2 * deepest);
  }
}

TEST_CASE("a hard gas begins again where it is") {
  const std::string text = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], periodic: [x, y]}
materials: {glass: {density: 2500, restitution: 0.9}}
particles:
- lattice: {region: {x: [0, 1], y: [0, 1]}, kind: square, spacing: 0.1, jitter: 1}
  material: glass
  shape: disk
  size: 0.04
time: {end: 1}
output: {every: 0.1}
)";
  const Scene scene = parse_scene(text, "s.yaml");
  hard::SceneSimulation simulation(scene);
  simulation.advance_to(0.5);
  const Scene restarted = parse_scene(restart_text(text, scene, simulation.state(), simulation.summary()), "s.yaml");
  check_same_grains(hard::SceneSimulation(restarted).state(), simulation.state());
}

TEST_CASE("where more than grains goes on, a scene begins again at time 0 only") {
  const auto with = [&](const std::string& from, const std::string& to) { return replaced(heap(), from, to); };
  const std::string moving = with("y: [-0.05, 0]}}", "y: [-0.05, 0]}, velocity: [0.01, 0]}");
  CHECK(refusal(moving, 0.1) == "walls: 'floor' moves, comes or goes: its grains can be put elsewhere at time 0 only");
  CHECK(refusal(moving, 0.0).empty());
  CHECK(refusal(with("gravity: [0, -9.81]", "gravity: [{time: 0, gravity: [0, -9]}, {time: 1, gravity: [0, -5]}]"), 0.1)
            .starts_with("gravity: "));
  const std::string leaky = with("x: [-0.3, 0.3], y: [-0.05, 0]", "x: [0, 0.3], y: [-0.05, 0]");
  CHECK(refusal(replaced(leaky, "rate: 50", "rate: 10"), 0.5).starts_with("particles: grains have left"));
}

}  // namespace scree::restart_text_test
