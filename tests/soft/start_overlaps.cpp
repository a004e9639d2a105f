#include "dem/soft/checks/start_overlaps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <numbers>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/room.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"
#include "tests/soft/complaint.hpp"

namespace scree::start_overlaps_test {

using namespace scree::test;

namespace {

Scene disks_at(const Place& place, double size = 0.1) {
  Scene scene = empty_scene();
  scene.particles = {placed(Disk{}, size, place)};
  return scene;
}

/// Slanting needles, 1 m long, beside one another: they do not touch, but all their boxes overlap.
Scene slanting_needles(int count, double width) {
  const ExplicitPolygon needle{{{0.0, 0.0}, {1.0, 0.0}, {1.0, width}, {0.0, width}}};
  const double angle = 0.7;
  const Vec2 aside = Rotation::by(angle) * Vec2(0.0, 1.01 * width);
  Place place;
  for (int k = 0; k < count; ++k) place.push_back({.position = k * aside, .angle = angle});
  Scene scene = empty_scene();
  scene.particles = {placed(needle, std::sqrt(4.0 * width / std::numbers::pi), place)};
  return scene;
}

/// Processor time [s]: the least of several attempts, those of two acts in turn, so that other programs disturb
/// neither.
struct Costs {
  double one = std::numeric_limits<double>::infinity();
  double other = std::numeric_limits<double>::infinity();
};
template <class One, class Other>
Costs costs_of(const One& one, const Other& other) {
  const auto seconds_for = [](const auto& act) {
    const std::clock_t begin = std::clock();
    act();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  Costs least;
  for (int attempt = 0; attempt < 3; ++attempt) {
    least.one = std::min(least.one, seconds_for(one));
    least.other = std::min(least.other, seconds_for(other));
  }
  return least;
}

}  // namespace

TEST_CASE("disks that overlap at the start are refused, by key, ids and depth") {
  const Complaint two = complaint(disks_at({{.position = {0.0, 0.0}}, {.position = {0.085, 0.0}}}));
  CHECK(two.key == "particles[0].place[1]");
  CHECK(two.says("particle 2 overlaps particle 1 (particles[0].place[0]) by 15 % of the smaller one's diameter"));
  CHECK(two.says("contact.initial_depth"));

  // The deepest of several is named.
  Place place;
  for (const double x : {0.0, 0.099, 0.3, 0.393, 0.6, 0.699}) place.push_back({.position = {x, 0.0}});
  const Complaint three = complaint(disks_at(place));
  CHECK(three.key == "particles[0].place[3]");
  CHECK(three.says("particle 4 overlaps particle 3 (particles[0].place[2]) by 7 %"));
  CHECK(three.says("(the deepest of 3 overlaps)"));
}

TEST_CASE("grains that overlap a wall at the start are refused, whatever becomes of the wall") {
  Scene scene = disks_at({{.position = {1.0, 2.0}}, {.position = {0.0, 0.04}}});
  scene.walls = {floor_wall()};
  scene.walls[0].name = "floor";
  const Complaint still = complaint(scene);
  CHECK(still.key == "particles[0].place[1]");
  CHECK(still.says("particle 3 overlaps the wall 'floor' by 10 % of its diameter"));
  scene.walls[0].until = 0.1;
  scene.walls[0].velocity = {0.0, -1.0};
  CHECK(complaint(scene).text == still.text);
}

TEST_CASE("grains that touch at the start are allowed, to within six digits") {
  CHECK(complaint(disks_at({{.position = {0.0, 0.0}}, {.position = {0.1, 0.0}}})).text.empty());
  const double touching = 0.1 * (1.0 - 0.9 * soft::kTouchingDepth);
  CHECK(complaint(disks_at({{.position = {0.0, 0.0}}, {.position = {touching, 0.0}}})).text.empty());
  const double overlapping = 0.1 * (1.0 - 1.1 * soft::kTouchingDepth);
  CHECK_FALSE(complaint(disks_at({{.position = {0.0, 0.0}}, {.position = {overlapping, 0.0}}})).text.empty());

  Scene squares = empty_scene();  // a stack on the floor, flush
  squares.walls = {floor_wall()};
  squares.particles = {placed(square(), size_of_square(0.1), {{.position = {0.0, 0.05}}, {.position = {0.0, 0.15}}})};
  CHECK(complaint(squares).text.empty());

  CHECK(complaint(disks_at({})).text.empty());
  CHECK(complaint(disks_at({{.position = {0.0, 0.0}}})).text.empty());
  CHECK(complaint(empty_scene()).text.empty());
}

TEST_CASE("small overlaps are allowed by contact.initial_depth") {
  Scene scene = disks_at({{.position = {0.0, 0.0}}, {.position = {0.096, 0.0}}});  // 4 %
  scene.soft.initial_depth = 0.05;
  CHECK(complaint(scene).text.empty());
  scene.soft.initial_depth = 0.03;
  CHECK(complaint(scene).says("by 4 % of the smaller one's diameter at the start; allowed: at most 3 %"));
}

TEST_CASE("pairs of materials that may pass through each other may overlap at the start") {
  Scene scene = disks_at({{.position = {0.0, 0.0}}, {.position = {0.05, 0.0}}});
  CHECK_FALSE(complaint(scene).text.empty());
  Material ghost = scene.materials[0];
  ghost.stiffness *= 1e-7;
  scene.pairs = {{0, 0, ghost}};
  CHECK(complaint(scene).text.empty());
}

TEST_CASE("overlaps across periodic sides are found, in each direction once") {
  Scene scene = disks_at({{.position = {-9.96, 0.0}}, {.position = {9.96, 0.0}}});
  CHECK(complaint(scene).text.empty());
  scene.domain.periodic = {true, false};
  CHECK(complaint(scene).says("particle 2 overlaps particle 1 (particles[0].place[0]) by 20 %"));
  CHECK_FALSE(complaint(scene).says("deepest of"));

  scene.particles = {placed(Disk{}, 0.1, {{.position = {-9.97, -9.97}}, {.position = {9.97, 9.97}}})};
  CHECK(complaint(scene).text.empty());  // the corners meet only if both axes are periodic
  scene.domain.periodic = {true, true};
  CHECK(complaint(scene).says("particle 2 overlaps particle 1"));

  // Two grains that overlap each other on both sides.
  scene.domain = {.lo = {0.0, 0.0}, .hi = {0.19, 1.0}, .periodic = {true, false}};
  scene.particles = {placed(Disk{}, 0.1, {{.position = {0.01, 0.5}}, {.position = {0.105, 0.5}}})};
  CHECK(complaint(scene).says("(the deepest of 2 overlaps)"));
}

TEST_CASE("a wall as wide as a periodic domain has no ends that a grain could stick in") {
  Scene scene = empty_scene();
  scene.domain.periodic = {true, false};
  scene.walls = {box_wall({-10.0, -0.5}, {10.0, 0.0})};
  scene.particles = {placed(Disk{}, 0.1, {{.position = {9.99, 0.05}}, {.position = {-9.9, 0.05}}})};
  CHECK(complaint(scene).text.empty());
  scene.soft.initial_depth = 0.1;  // at the end of the wall the depth would be another one
  scene.particles = {placed(Disk{}, 0.1, {{.position = {9.99, 0.042}}})};
  CHECK(complaint(scene).text.empty());
}

TEST_CASE("a grain inside another one, or inside a wall, is refused") {
  Scene scene = empty_scene();
  scene.particles = {placed(square(), 1.0, {{.position = {0.0, 0.0}}}),
                     placed(RegularPolygon{5}, 0.01, {{.position = {0.1, 0.1}}})};
  const Complaint inside = complaint(scene);
  CHECK(inside.key == "particles[1].place[0]");
  CHECK(inside.says("particle 2 overlaps particle 1 (particles[0].place[0])"));
  scene.particles.erase(scene.particles.begin());
  CHECK(complaint(scene).text.empty());
  scene.walls = {box_wall({-1.0, -1.0}, {1.0, 1.0})};
  CHECK(complaint(scene).says("overlaps the wall 'wall'"));
}

TEST_CASE("a polygon through which a thin wall goes is refused, though the overlap is shallow") {
  Scene scene = empty_scene();
  scene.soft.initial_depth = 0.1;
  scene.walls = {box_wall({-1.0, 0.0}, {1.0, 0.001})};
  scene.particles = {placed(square(), size_of_square(0.1), {{.position = {0.0, 0.03}}})};
  CHECK(complaint(scene).says("more than half of the thickness of the thinner one"));
}

TEST_CASE("a group that is placed over one that fills a region is refused; one that fills leaves room") {
  const ParticleGroup fill = {
      .how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = {}}, .shape = Disk{}, .size = {0.1, 0.1}};
  const ParticleGroup stone = placed(RegularPolygon{6}, 0.3, {{.position = {0.5, 0.5}}});
  Scene scene = empty_scene();
  scene.particles = {stone, fill, fill};
  CHECK(complaint(scene).text.empty());
  scene.particles = {fill, stone};
  const Complaint over = complaint(scene);
  CHECK(over.key == "particles[1].place[0]");
  CHECK(over.says("(particles[0].fill) by "));
}

TEST_CASE("many slanting needles beside one another start in less than twice the time of one close look at each pair" *
          doctest::skip(kSanitized)) {
  constexpr int kNeedles = 400;
  constexpr double kWidth = 1e-3;
  const Scene scene = slanting_needles(kNeedles, kWidth);
  const GrainShape grain = make_grain(scene, 0, 0);
  bool overlaps = false;
  const auto look_closely = [&] {
    for (int a = 0; a < kNeedles; ++a) {
      for (int b = 0; b < a; ++b) {
        overlaps |= overlap(grain.outline, grain.outline, {Vec2(0.0, (b - a) * 1.01 * kWidth), {}}).touching();
      }
    }
  };
  const auto start = [&] {
    const soft::Simulation simulation(scene, {.threads = 1});
    CHECK(simulation.summary().contacts == 0);
    CHECK(simulation.state().particles.size() == kNeedles);
  };
  const Costs cost = costs_of(look_closely, start);
  CHECK_FALSE(overlaps);
  CHECK(cost.other < 2.0 * cost.one);
}

TEST_CASE("slanting needles whose boxes overlap in too many pairs are refused" * doctest::skip(kSanitized)) {
  const Complaint over = complaint(slanting_needles(9000, 1e-5));  // all pairs: 4e7
  CHECK(over.key == "particles");
  CHECK(over.says("of the first 9000 bodies overlap in more than 30000000 pairs"));
}

TEST_CASE("many groups that fill places of their own start in a few times what one takes" * doctest::skip(kSanitized)) {
  constexpr int kGrains = 40000;
  constexpr double kWide = 400.0;
  const auto groups = [&](int count) {
    Scene scene = empty_scene();
    scene.domain = {{0.0, 0.0}, {kWide, 2.0}};
    for (int k = 0; k < count; ++k) {
      const double width = kWide / count;
      ParticleGroup group = placed(Disk{}, 0.1, {});
      group.how = Fill{.region = {{k * width, 0.0}, {(k + 1) * width, 2.0}}, .count = kGrains / count, .jitter = 0.1};
      scene.particles.push_back(group);
    }
    return scene;
  };
  const Scene one = groups(1);
  const Scene several = groups(40);
  const auto start = [&](const Scene& scene) { CHECK(soft::Simulation(scene, {.threads = 1}).particles() == kGrains); };
  const Costs cost = costs_of([&] { start(one); }, [&] { start(several); });
  CAPTURE(cost.one);
  CAPTURE(cost.other);
  CHECK(cost.other < 4.0 * cost.one);  // 7 times as much where each looks at all boxes
}

TEST_CASE("there is room for a shape where it overlaps no body and no periodic image of one") {
  for (const std::array<bool, 2> periodic : {std::array{false, false}, {true, false}, {true, true}}) {
    Dice dice(31);
    Scene scene = empty_scene();
    scene.domain = {.lo = {0.0, 0.0}, .hi = {4.0, 3.0}, .periodic = periodic};
    const soft::ContactLaws laws(scene, 4);
    const Proxies proxies(scene.domain);
    Bodies bodies;
    soft::Placement placement;
    soft::StartOverlaps overlaps;
    int refused = 0;
    for (std::uint64_t id = 1; id <= 300; ++id) {
      const Motion at(dice.between(0.0, 4.0), dice.between(0.0, 3.0), dice.between(-3.0, 3.0));
      const bool is_disk = dice.below(2) == 0;
      const double radius = dice.between(0.05, 0.3);
      const Polygon form = random_convex_polygon(5, 1.5, [&] { return dice.between(0.0, 1.0); }).scaled(radius);
      const auto add_to = [&](Bodies& some) {
        is_disk ? add_disk(some, id, linear(at), radius) : add_polygon(some, id, at, form);
      };
      Bodies one;
      add_to(one);
      bool is_free = true;
      for (std::uint32_t other = 0; other < bodies.size(); ++other) {
        proxies.periodic().for_each_near_image([&](const Image& image) {
          Pose there = bodies.pose(other);
          there.position += proxies.periodic().shift(image);
          is_free = is_free && !overlap_anywhere(one.shape(0), one.pose(0), bodies.shape(other), there);
        });
      }
      const soft::StartOverlaps::View view{scene, laws, proxies, bodies, placement};
      REQUIRE(overlaps.has_room(view, one.shape(0), one.pose(0)) == is_free);
      refused += is_free ? 0 : 1;
      if (!is_free) continue;
      add_to(bodies);
      placement.add_missing(bodies);
      overlaps.add({scene, laws, proxies, bodies, placement});
    }
    CHECK(refused > 50);
    CHECK(bodies.size() > 20);
  }
}

TEST_CASE("grains that are all at one place, or of very different sizes, are not looked at in pairs") {
  constexpr std::size_t kMany = 10000;  // all pairs: 5e7
  const auto at_one_place = [](std::size_t count) { return disks_at(Place(count, Placed{.position = {0.5, 0.5}})); };
  CHECK(complaint(at_one_place(kMany)).says("more than 1000 overlaps"));
  // Sizes 1 : 1e6, the small ones along a line and the large ones around them.
  const auto wide = [](std::size_t count) {
    Scene scene = disks_at(Place{}, 1e-5);
    Place& small = std::get<Place>(scene.particles[0].how);
    for (std::size_t k = 0; k < count; ++k) small.push_back({.position = {1.1e-5 * static_cast<double>(k), 0.0}});
    Place large;
    for (const double x : {-8.0, 8.0}) large.push_back({.position = {x, 5.5}});
    scene.particles.push_back(placed(Disk{}, 10.0, large));
    return scene;
  };
  const auto check = [](const auto& scene_of, bool is_good) {
    const Scene some = scene_of(kMany);
    const Scene more = scene_of(4 * kMany);
    const Costs cost = costs_of([&] { CHECK(complaint(some).text.empty() == is_good); },
                                [&] { CHECK(complaint(more).text.empty() == is_good); });
    CAPTURE(cost.one);
    CAPTURE(cost.other);
    CHECK(cost.other < 10.0 * cost.one + 0.02);  // 16 times as much for all pairs
  };
  check(at_one_place, false);
  check(wide, true);
}

}  // namespace scree::start_overlaps_test
