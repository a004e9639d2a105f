#include "dem/soft/contact/chord_jump.hpp"

#include <cmath>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"

namespace scree::chord_jump_test {

using soft::Simulation;

namespace {

constexpr double kSide = 0.01;  // m

/// A block as wide as the slab under it, `depth_ratio` of its side deep in it. The slab slides away below. The block
/// comes from the side on which the law pushes it back, so it has weight enough to be hardly moved.
Scene flush_slide(double depth_ratio, double speed) {
  Scene scene = test::empty_scene();
  scene.materials[0].friction = 0.0;
  scene.materials[0].density = 1e9;
  scene.soft.initial_depth = 0.2;
  Wall slab = test::box_wall({-0.5 * kSide, -kSide}, {0.5 * kSide, 0.0});
  slab.velocity = {speed, 0.0};
  scene.walls = {slab};
  scene.particles = {test::placed(test::square(), test::size_of_square(kSide),
                                  {{.position = {0.02 * kSide, (0.5 - depth_ratio) * kSide}}})};
  return scene;
}

std::uint64_t jumps_after(double time, const Scene& scene, int threads = 1) {
  Simulation simulation(scene, {.threads = threads});
  simulation.advance_to(time);
  return simulation.summary().chord_jumps;
}

}  // namespace

TEST_CASE("the chord's jump is counted when a block slides over a slab of its width, at any time step") {
  for (const double depth_ratio : {0.01, 0.04, 0.1}) {
    for (const double of_step : {1.0, 0.3}) {
      CAPTURE(depth_ratio);
      CAPTURE(of_step);
      const double speed = 0.002;  // m/s; flush after 0.1 s
      Scene scene = flush_slide(depth_ratio, speed);
      scene.soft.step = of_step * soft::time_step(scene).dt;
      CHECK(jumps_after(0.06, scene) == 0);
      const std::uint64_t jumps = jumps_after(0.14, scene);
      CHECK(jumps == 1);
    }
  }
}

TEST_CASE("what motion explains at any angle of the edges is no jump") {
  using namespace soft;
  test::Dice dice(11);
  int explained = 0;
  int jumps = 0;
  for (int k = 0; k < 20000; ++k) {
    const auto outline = [&] {
      const Polygon made = regular_polygon(3 + static_cast<int>(dice.below(5)), dice.between(0.5, 1.0));
      return std::vector<Vec2>(made.vertices().begin(), made.vertices().end());
    };
    const std::vector<Vec2> a = outline();
    const std::vector<Vec2> b = outline();
    const auto crossings = [&]() -> PairHint {
      const auto edge = [&](const std::vector<Vec2>& of) {
        return 2 * dice.below(static_cast<std::uint32_t>(of.size())) + 1;
      };
      return {{edge(a), edge(b)}, {edge(a), edge(b)}};
    };
    const auto vector = [&] { return Vec2(dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)); };
    const Chord before{dice.below(20) == 0 ? Vec2(Vec2::Zero()) : vector(), crossings()};
    const Vec2 change = std::pow(10.0, dice.between(-3.0, 0.0)) * vector();
    const Chord now{dice.below(20) == 0 ? Vec2(Vec2::Zero()) : Vec2(before.vector + change), crossings()};
    const double displacement = std::pow(10.0, dice.between(-3.0, 0.0));
    const Pose b_in_a{vector(), Rotation::by(dice.between(0.0, 6.0))};
    const bool jumped =
        chord_jumped(a, b, b_in_a, before, now, dice.between(0.0, 0.785), displacement, dice.between(0.0, 1e-3));
    jumps += jumped ? 1 : 0;
    if (!is_explained_at_any_angle(before, now, displacement)) continue;
    ++explained;
    REQUIRE(!jumped);
  }
  CHECK(explained > 3000);
  CHECK(jumps > 1000);
}

TEST_CASE("no chord jumps while stones pour, roll, slide and come to rest" * doctest::skip(test::kSanitized)) {
  for (const double of_step : {1.0, 0.5}) {
    Scene scene = test::pouring_scene(80);
    std::get<RandomPolygon>(scene.particles[0].shape).vertices = {5, 12};
    scene.soft.step = of_step * soft::time_step(scene).dt;
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.25);
    CHECK(simulation.summary().contacts > 60);
    CHECK(simulation.impact_depths().total() > 300);
    CHECK(simulation.summary().chord_jumps == 0);
  }
}

TEST_CASE("the same count for any number of threads, and across save and load") {
  // Many slides beside one another, so that the loops are shared; each reaches its jump a little later.
  constexpr int kSlides = 200;
  Scene scene = flush_slide(0.04, 0.002);
  const Wall slab = scene.walls[0];
  const auto block = std::get<Place>(scene.particles[0].how)[0];
  scene.walls.clear();
  Place blocks;
  for (int k = 0; k < kSlides; ++k) {
    const Vec2 aside = {0.03 * (k - kSlides / 2), 0.0};
    scene.walls.push_back(slab);
    for (Vec2& corner : scene.walls.back().polygon) corner += aside;
    blocks.push_back(block);
    blocks.back().position += aside + Vec2(1e-4 * kSide * k, 0.0);
  }
  scene.particles[0].how = blocks;
  const double end = 0.25;  // s
  CHECK(jumps_after(end, scene, 1) == kSlides);
  CHECK(jumps_after(end, scene, 2) == kSlides);
  const double stop = 0.15;
  std::stringstream file;
  Simulation first(scene, {.threads = 2});
  first.advance_to(stop);
  CHECK(first.summary().chord_jumps > 0);
  CHECK(first.summary().chord_jumps < kSlides);
  first.save(file);
  Simulation second(scene, {.threads = 1});
  second.load(file);
  second.advance_to(end);
  CHECK(second.summary().chord_jumps == kSlides);
}

TEST_CASE("a chord jumps when a slab comes to contain a grain, but not if it contains it from the first touch on" *
          doctest::skip(test::kThreadSanitizer)) {
  struct Fall {
    double height;  // [m]
    double speed;   // [m/s]
    std::uint64_t jumps;
  };
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 1.0;  // nothing stops it
  scene.walls = {test::box_wall({-1.0, -2.0}, {1.0, 0.0})};
  scene.soft.step = 1e-4;
  scene.soft.initial_depth = 0.2;
  // Sticking out by a little of its side; or so fast that it is above the slab and in it one step later.
  for (const Fall& fall : {Fall{0.3 * kSide, 1.0, 1}, Fall{0.52 * kSide, 110.0, 0}}) {
    CAPTURE(fall.speed);
    scene.particles = {test::placed(test::square(), test::size_of_square(kSide),
                                    {{.position = {0.0, fall.height}, .velocity = {0.0, -fall.speed}}})};
    Simulation simulation(scene, {.threads = 1});
    CHECK(simulation.summary().contacts == (fall.jumps > 0 ? 1 : 0));
    for (int step = 0; step < 100; ++step) {
      try {
        simulation.advance_to(1.0, 1);
      } catch (const PhysicsError&) {  // too deep, or too fast, and on
      }
    }
    CHECK(simulation.summary().contacts == 1);
    CHECK(simulation.summary().chord_jumps == fall.jumps);
  }
}

TEST_CASE("rocking from face to face is no jump" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.materials[0].stiffness = 1e7;
  scene.walls = {test::floor_wall()};
  for (const int sides : {4, 6, 12, 200}) {
    CAPTURE(sides);
    scene.particles = {test::placed(
        RegularPolygon{sides}, kSide,
        {{.position = {0.0, 0.9 * kSide}, .angle = 0.3, .velocity = {0.3, 0.0}, .angular_velocity = -40.0}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.5);
    CHECK(simulation.summary().contacts == 1);
    CHECK(simulation.summary().chord_jumps == 0);
  }
}

}  // namespace scree::chord_jump_test
