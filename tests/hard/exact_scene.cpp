#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/state_values.hpp"

namespace scree::exact_scene_test {

using hard::SceneSimulation;

namespace {

Scene gas(std::array<bool, 2> periodic = {false, false}) {
  Scene scene;
  scene.mode = Mode::hard;
  scene.hard.arithmetic = Arithmetic::exact;
  scene.domain = {.lo = Vec2(0.0, 0.0), .hi = Vec2(1.0, 1.0), .periodic = periodic, .reflecting = true};
  scene.materials = {{.name = "ball", .density = 1000.0}};
  scene.particles = {{.how = Fill{.region = {Vec2(0.0, 0.0), Vec2(1.0, 1.0)}, .count = 100, .jitter = 0.5},
                      .shape = Disk{},
                      .size = {0.05, 0.05}}};
  scene.end = 6.0;
  scene.output_every = 0.1;
  return scene;
}

StateHash hash(const SceneSimulation& simulation) {
  StateValues values;
  simulation.list_values(values);
  return values.hashes();
}

/// The key that is refused, and what is said of it; empty if none is.
std::string refusal(const Scene& scene) {
  try {
    const SceneSimulation simulation(scene);
  } catch (const InvalidScene& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE(
    "a scene in whole numbers that is reversed ends where it began, to the last bit, after thousands of collisions") {
  for (const auto periodic : {std::array{false, false}, std::array{true, true}, std::array{true, false}}) {
    Scene scene = gas(periodic);
    scene.end = 12.0;
    scene.hard.reverse = 6.0;
    SceneSimulation simulation(scene);
    const State start = simulation.state();
    simulation.advance_to(3.0);
    const State on_the_way = simulation.state();
    simulation.advance_to(6.0);
    REQUIRE(simulation.counters().collisions > 2000);
    CHECK((simulation.state().particles.position[0] - start.particles.position[0]).norm() > 1e-3);
    // The reversal is at the first tick not before its time.
    const double reversed = simulation.time();
    simulation.advance_to(2.0 * reversed - on_the_way.time);
    CHECK(simulation.state().particles.position == on_the_way.particles.position);
    simulation.advance_to(2.0 * reversed);
    const State end = simulation.state();
    CHECK(end.particles.position == start.particles.position);
    for (std::size_t i = 0; i < end.particles.size(); ++i) {
      CHECK(end.particles.velocity[i] == -start.particles.velocity[i]);
    }
    simulation.audit();
  }
}

TEST_CASE("in whole numbers a run has the same bits for any output interval and broadphase, and across save and load") {
  const Scene scene = gas({true, false});
  SceneSimulation expected(scene);
  expected.advance_to(4.0);
  REQUIRE(expected.counters().collisions > 1000);
  for (const BroadphaseKind kind :
       {BroadphaseKind::sort_and_update, BroadphaseKind::sorted_strips, BroadphaseKind::hierarchical_grid,
        BroadphaseKind::distance_sort, BroadphaseKind::all_pairs, BroadphaseKind::linked_cells}) {
    SceneSimulation other(scene, kind);
    for (int k = 1; k <= 10; ++k) other.advance_to(0.13 * k);
    std::stringstream bytes;
    other.save(bytes);
    SceneSimulation resumed(scene, kind);
    resumed.load(bytes);
    CHECK(hash(resumed) == hash(other));
    while (!resumed.has_reached(4.0)) resumed.advance_to(4.0, 7);
    CHECK(hash(resumed) == hash(expected));
  }
}

TEST_CASE(
    "in whole numbers energy is kept to the rounding of velocities, and the first collisions are those of floats") {
  Scene scene = gas();
  SceneSimulation exact(scene);
  scene.hard.arithmetic = Arithmetic::floating;
  SceneSimulation floating(scene);
  exact.advance_to(0.1);
  floating.advance_to(0.1);
  const ParticleState a = exact.state().particles;
  const ParticleState b = floating.state().particles;
  CHECK(exact.counters().collisions == floating.counters().collisions);
  CHECK(exact.counters().collisions > 5);
  CHECK(a.id == b.id);
  CHECK(a.radius == b.radius);
  double greatest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, (a.position[i] - b.position[i]).norm());
  CHECK(greatest < 1e-5);  // m: velocities are rounded to 1e-8 of the thermal one, and collisions amplify it
  CHECK(greatest > 0.0);
  exact.advance_to(5.0);
  const Summary summary = exact.summary();
  CHECK(std::abs(summary.energy_residual) < 1e-6);
  CHECK(summary.particles == 100);
  CHECK(std::abs(summary.packing_fraction - floating.summary().packing_fraction) < 1e-12);
}

TEST_CASE("clusters that went back are no collisions, and where they are many the run is said to be doubtful") {
  Scene scene = gas({true, true});
  SceneSimulation elastic(scene);
  elastic.advance_to(6.0);
  CHECK(elastic.in_whole_numbers()->doubt().empty());
  scene.particles[0].size = {0.0415, 0.0415};
  std::get<Fill>(scene.particles[0].how).count = 441;  // packing fraction 0.6
  scene.materials[0].restitution = 0.5;
  SceneSimulation simulation(scene);
  simulation.advance_to(6.0, 200'000);
  const hard::exact::Tally tally = simulation.in_whole_numbers()->tally();
  CHECK(simulation.counters().collisions == static_cast<std::uint64_t>(tally.collisions));
  CHECK(tally.retraces > tally.collisions);
  const std::string doubt = simulation.in_whole_numbers()->doubt();
  CAPTURE(doubt);
  CHECK(doubt.find(fmt::format("sent {} of {} clusters", tally.retraces, tally.collisions + tally.retraces)) !=
        std::string::npos);
}

TEST_CASE("scenes that whole numbers cannot run are refused by key") {
  const auto refused = [](const std::string& key, auto change) {
    Scene scene = gas();
    change(scene);
    const std::string text = refusal(scene);
    CAPTURE(key);
    CHECK(text.find(key) == 0);
    CHECK(text.find("exact") != std::string::npos);
  };
  CHECK(refusal(gas()).empty());
  refused("gravity", [](Scene& s) { s.gravity = Vec2(0.0, -9.81); });
  refused("domain.sides", [](Scene& s) { s.domain.reflecting = false; });
  refused("materials.ball.restitution", [](Scene& s) { s.materials[0].restitution = 0.01; });
  refused("materials.ball.restitution_law",
          [](Scene& s) { s.materials[0].restitution_law = RestitutionLaw::viscoelastic; });
  refused("contact.duration", [](Scene& s) {
    s.materials[0].restitution = 0.9;
    s.hard.contact_duration = 1e-3;
  });
  refused("materials.ball.friction", [](Scene& s) { s.materials[0].friction = 0.1; });
  refused("growth", [](Scene& s) { s.hard.growth.rate = 0.1; });
  refused("well", [](Scene& s) { s.hard.well = {1.5, -1.0}; });
  refused("walls.plate", [](Scene& s) {
    s.walls = {{.name = "plate", .polygon = {Vec2(0.4, 0.4), Vec2(0.6, 0.4)}, .velocity = Vec2(0.0, 1.0)}};
  });
  refused("particles[0].pour", [](Scene& s) { s.particles[0].how = Pour{.count = 1, .rate = 1.0, .region = {}}; });
  refused("particles[0].size", [](Scene& s) { s.particles[0].size = {0.04, 0.05}; });
  refused("particles[0].size", [](Scene& s) { s.particles[0].size = {1e-9, 1e-9}; });
  refused("time.end", [](Scene& s) { s.end = 1e8; });
  refused("domain.x", [](Scene& s) {
    s.domain.periodic = {true, true};
    s.particles[0].how = Place{{.position = Vec2(0.5, 0.5), .velocity = Vec2(1.0, 0.0), .size = 0.6}};
  });
  refused("particles[0].place[1].mass", [](Scene& s) {
    s.particles[0].how = Place{{.position = Vec2(0.2, 0.5), .mass = 1.0}, {.position = Vec2(0.5, 0.5), .mass = 2.0}};
  });
  refused("particles[0].place[0].angular_velocity",
          [](Scene& s) { s.particles[0].how = Place{{.position = Vec2(0.2, 0.5), .angular_velocity = 1.0}}; });
}

TEST_CASE("what would need numbers that are not whole is refused with this reason") {
  const auto says = [](const std::string& text, auto change) {
    Scene scene = gas();
    change(scene);
    CHECK(refusal(scene) == text);
  };
  says(
      "materials.ball.friction: is 0.1: it turns disks, by angular velocities that are not whole, must be 0 with "
      "`arithmetic: exact`",
      [](Scene& s) { s.materials[0].friction = 0.1; });
  says(
      "contact.pairs[0].friction: is 0.2: it turns disks, by angular velocities that are not whole, must be 0 with "
      "`arithmetic: exact`",
      [](Scene& s) { s.pairs = {{.first = 0, .second = 0, .mixed = {.name = "", .density = 1.0, .friction = 0.2}}}; });
  const std::string masses =
      "kg: two such disks share momentum in parts that are not whole, must be the same mass for all disks (place disks "
      "of other sizes with `mass`) with `arithmetic: exact`";
  says("particles[0].place[1].mass: gives a mass of 2 kg beside one of 1 " + masses, [](Scene& s) {
    s.particles[0].how = Place{{.position = Vec2(0.2, 0.5), .mass = 1.0}, {.position = Vec2(0.5, 0.5), .mass = 2.0}};
  });
  says("particles[0].size: gives a mass of 7.85398 kg beside one of 1.9635 " + masses, [](Scene& s) {
    s.particles[0].size = {0.05, 0.1};
  });
}

TEST_CASE("disks of any radii with one mass run in whole numbers") {
  Scene scene = gas();
  scene.particles[0].how = Place{{.position = Vec2(0.2, 0.5), .velocity = Vec2(1.0, 0.01), .size = 0.1, .mass = 1.0},
                                 {.position = Vec2(0.7, 0.5), .velocity = Vec2(-0.5, 0.0), .size = 0.3, .mass = 1.0}};
  scene.end = 40.0;
  scene.hard.reverse = 20.0;
  SceneSimulation simulation(scene);
  const State start = simulation.state();
  simulation.advance_to(20.0);
  CHECK(simulation.counters().collisions > 3);
  simulation.advance_to(2.0 * simulation.time());
  CHECK(simulation.state().particles.position == start.particles.position);
}

TEST_CASE(
    "a scene that is turned back is at every earlier time what it was then, also before a reversal, and resumed") {
  for (const bool reverses : {false, true}) {
    for (const double restitution : {1.0, 0.8}) {
      CAPTURE(reverses);
      CAPTURE(restitution);
      Scene scene = gas({true, false});
      scene.materials[0].restitution = restitution;
      if (reverses) scene.hard.reverse = 1.3;
      SceneSimulation simulation(scene);
      constexpr double kTimes[] = {0.0, 0.4, 1.3, 1.31, 2.0};
      std::vector<StateHash> hashes;
      for (const double time : kTimes) {
        simulation.advance_to(time);
        hashes.push_back(hash(simulation));
      }
      simulation.advance_to(3.0);
      REQUIRE(simulation.counters().collisions > 300);
      simulation.turn_back();
      CHECK(simulation.runs_backward());
      for (std::size_t k = 5; k-- > 0;) {
        CAPTURE(k);
        while (!simulation.is_back_at(kTimes[k])) simulation.go_back_to(kTimes[k], 5);
        CHECK(hash(simulation) == hashes[k]);
        std::stringstream bytes;
        simulation.save(bytes);
        SceneSimulation resumed(scene);
        resumed.load(bytes);
        CHECK(resumed.runs_backward());
        CHECK(hash(resumed) == hashes[k]);
        resumed.go_back_to(0.0);
        CHECK(hash(resumed) == hashes[0]);
        resumed.turn_back();  // and forward again
        for (const double time : kTimes) resumed.advance_to(time);
        CHECK(hash(resumed) == hashes[4]);
      }
      CHECK(simulation.summary().kinetic_energy == doctest::Approx(simulation.summary().energy_in));
    }
  }
}

TEST_CASE("floats go back to where they were up to rounding, as long as chaos permits, and are resumed on the way") {
  Scene scene = gas();
  scene.hard.arithmetic = Arithmetic::floating;
  SceneSimulation simulation(scene);
  const State start = simulation.state();
  simulation.advance_to(0.25);
  const State middle = simulation.state();
  simulation.advance_to(0.5);
  REQUIRE(simulation.counters().collisions > 30);
  simulation.turn_back();
  CHECK(simulation.runs_backward());
  const auto check = [](const State& a, const State& b, double most) {
    CHECK(a.time == doctest::Approx(b.time).epsilon(1e-12));
    for (std::size_t i = 0; i < a.particles.size(); ++i) {
      REQUIRE((a.particles.position[i] - b.particles.position[i]).norm() < most);
      REQUIRE((a.particles.velocity[i] - b.particles.velocity[i]).norm() < most);
    }
  };
  simulation.go_back_to(0.25);
  check(simulation.state(), middle, 1e-9);
  std::stringstream bytes;
  simulation.save(bytes);
  SceneSimulation resumed(scene);
  resumed.load(bytes);
  while (!resumed.is_back_at(0.0)) resumed.go_back_to(0.0, 3);
  check(resumed.state(), start, 1e-8);
  simulation.go_back_to(0.0);
  CHECK(hash(simulation) == hash(resumed));
}

TEST_CASE("scenes that cannot go back are refused by key, with the reason") {
  const auto refused = [](const std::string& key, auto change) {
    Scene scene = gas();
    scene.hard.arithmetic = Arithmetic::floating;
    change(scene);
    std::string text;
    try {
      hard::require_way_back(scene);
    } catch (const InvalidScene& error) {
      text = error.what();
    }
    CAPTURE(key);
    CAPTURE(text);
    CHECK(text.find(key) == 0);
    CHECK(text.find("go back") != std::string::npos);
  };
  Scene good = gas();
  good.hard.arithmetic = Arithmetic::floating;
  good.gravity = Vec2(0.0, -9.81);  // a parabola runs backwards, too
  CHECK_NOTHROW(hard::require_way_back(good));
  refused("mode", [](Scene& s) { s.mode = Mode::soft; });
  refused("time.reverse", [](Scene& s) { s.hard.reverse = 1.0; });
  refused("domain.sides", [](Scene& s) { s.domain.reflecting = false; });
  refused("growth", [](Scene& s) { s.hard.growth.rate = 0.1; });
  refused("materials.ball.restitution", [](Scene& s) { s.materials[0].restitution = 0.9; });
  refused("materials.ball.friction", [](Scene& s) { s.materials[0].friction = 0.1; });
  refused("particles[0].pour", [](Scene& s) { s.particles[0].how = Pour{.count = 1, .rate = 1.0, .region = {}}; });
  const auto with_wall = [&](auto change) {
    return [=](Scene& s) {
      s.walls = {{.name = "plate", .polygon = {Vec2(0.4, 0.4), Vec2(0.6, 0.4)}}};
      change(s.walls[0]);
    };
  };
  refused("walls.plate", with_wall([](Wall& wall) { wall.velocity = Vec2(0.0, 1.0); }));
  refused("walls.plate.until", with_wall([](Wall& wall) { wall.until = 1.0; }));
}

}  // namespace scree::exact_scene_test
