#include "dem/soft/forces/pair_finder.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/archive.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::pair_finder_test {

using namespace scree::soft;
using test::Dice;

namespace {

const Domain kDomain{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, true}};

void add_disk(Bodies& bodies, std::uint64_t id, const Vec2& position, double radius) {
  bodies.add(id, 0, 0, 1.0, 1.0, radius, radius, {});
  bodies.position.back() = {position.x(), position.y(), 0.0};
}

/// A wall that spans the domain along x, and disks.
Bodies random_bodies(Dice& dice, int disks) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Bodies bodies;
  const std::vector<Vec2> bar = {{-5.0, -0.2}, {5.0, -0.2}, {5.0, 0.2}, {-5.0, 0.2}};
  bodies.add(1, 0, 0, kInfinity, kInfinity, kInfinity, 5.1, Polygon(bar).vertices());
  bodies.position.back() = {5.0, 0.1, 0.0};
  bodies.walls = 1;
  for (int k = 0; k < disks; ++k) {
    add_disk(bodies, static_cast<std::uint64_t>(k) + 2, {dice.between(0.0, 10.0), dice.between(0.0, 8.0)},
             dice.between(0.1, 0.8));
  }
  return bodies;
}

/// Pairs by comparing all bodies with all images of all others. Images count from unwrapped positions.
std::map<PairKey, int> all_pairs(const Bodies& bodies, const Placement& placement) {
  std::map<PairKey, int> pairs;
  const Periodic periodic(kDomain);
  for (std::uint32_t a = bodies.walls; a < bodies.size(); ++a) {
    for (std::uint32_t b = 0; b < bodies.size(); ++b) {
      const bool wall = bodies.is_wall(b);
      if (!wall && b <= a) continue;
      for (int x = wall ? 0 : -1; x <= (wall ? 0 : 1); ++x) {
        for (int y = -1; y <= 1; ++y) {
          if (!placement.box[a].overlaps(placement.box[b].shifted(periodic.shift({x, y})))) continue;
          const Image image{wall ? 0 : x - bodies.image[b][0] + bodies.image[a][0],
                            y - bodies.image[b][1] + bodies.image[a][1]};
          pairs[{.a = bodies.id[a], .b = bodies.id[b], .image = image}] = 1;
        }
      }
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("pairs and their images are those that comparing everything with everything finds, for every broadphase") {
  for (std::size_t kind = 0; kind < kBroadphaseNames.size(); ++kind) {
    CAPTURE(kBroadphaseNames[kind]);
    Dice dice(7);
    Bodies bodies = random_bodies(dice, 30);
    PairFinder finder(kDomain, static_cast<BroadphaseKind>(kind));
    finder.set_spans({{true, false}});
    Placement placement;
    placement.add_missing(bodies);
    finder.insert(0, bodies, placement);
    finder.insert_images(bodies, placement);
    std::map<PairKey, int> boxes;  // pairs of boxes by key
    std::size_t across = 0;
    for (int step = 0; step < 200; ++step) {
      for (const PairChange& change : finder.changes()) {
        boxes[change.key] += change.boxes;
        CHECK(boxes[change.key] >= 0);
        CHECK(bodies.id[change.bodies.a] == change.key.a);
        CHECK(bodies.id[change.bodies.b] == change.key.b);
      }
      finder.changes().clear();
      std::erase_if(boxes, [](const auto& entry) { return entry.second == 0; });
      const auto expected = all_pairs(bodies, placement);
      REQUIRE(boxes.size() == expected.size());
      for (const auto& [key, count] : expected) {
        CHECK(boxes.contains(key));
        across += key.image != Image{0, 0} ? 1 : 0;
      }
      for (std::uint32_t body = 1; body < bodies.size(); ++body) {
        bodies.position[body] += Motion(dice.between(-0.2, 0.3), dice.between(-0.2, 0.3), 0.0);
      }
      wrap(finder.periodic(), bodies);
      placement.update(bodies);
      finder.update(bodies, placement);
    }
    CHECK(across > 100);
  }
}

TEST_CASE("a body that leaves ends all its pairs; what is found again after loading changes nothing") {
  Dice dice(9);
  Bodies bodies = random_bodies(dice, 30);
  PairFinder finder(kDomain, BroadphaseKind::sort_and_update);
  finder.set_spans({{true, false}});
  Placement placement;
  placement.add_missing(bodies);
  finder.insert(0, bodies, placement);
  finder.insert_images(bodies, placement);
  std::map<PairKey, int> boxes;
  const auto take = [&](PairFinder& from) {
    for (const PairChange& change : from.changes()) boxes[change.key] += change.boxes;
    from.changes().clear();
    std::erase_if(boxes, [](const auto& entry) { return entry.second == 0; });
  };
  take(finder);
  std::vector<char> leaving(bodies.size(), 0);
  leaving[5] = leaving[17] = 1;
  finder.erase(leaving, bodies);
  take(finder);
  const auto new_index = bodies.remove(leaving);
  placement.remove(new_index);
  finder.renumber(new_index, bodies);
  CHECK(boxes.size() == all_pairs(bodies, placement).size());

  std::stringstream bytes;
  OutArchive out(bytes);
  PairFinder::visit(out, finder);
  PairFinder loaded(kDomain, BroadphaseKind::linked_cells);
  InArchive in(bytes);
  PairFinder::visit(in, loaded);
  loaded.restore(placement);
  CHECK(loaded.changes().empty());
  for (PairFinder* each : {&finder, &loaded}) {
    each->update(bodies, placement);
    CHECK(each->changes().empty());  // nothing has moved
  }
}

TEST_CASE(
    "a wall that is not there yet has no pairs, others have all of theirs, and each state is sound after loading") {
  const Domain open{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}};
  for (const int disks : {0, 30}) {
    CAPTURE(disks);
    Dice dice(11);
    Bodies bodies = random_bodies(dice, disks);
    bodies.absent = {1};
    PairFinder finder(open, BroadphaseKind::sort_and_update);
    finder.set_spans({{false, false}});
    Placement placement;
    placement.add_missing(bodies);
    finder.insert(0, bodies, placement);
    std::map<PairKey, int> boxes;
    const auto check = [&](const char* when) {
      CAPTURE(when);
      for (const PairChange& change : finder.changes()) boxes[change.key] += change.boxes;
      finder.changes().clear();
      std::erase_if(boxes, [](const auto& entry) { return entry.second == 0; });
      std::map<PairKey, int> expected;
      for (std::uint32_t a = bodies.walls; a < bodies.size(); ++a) {
        for (std::uint32_t b = 0; b < a; ++b) {
          if (bodies.is_absent(b) || !placement.box[a].overlaps(placement.box[b])) continue;
          const bool wall = bodies.is_wall(b);  // is always b; of two grains the lower id is a
          expected[{.a = bodies.id[wall ? a : b], .b = bodies.id[wall ? b : a]}] = 1;
        }
      }
      CHECK(boxes == expected);
      std::stringstream bytes;
      OutArchive out(bytes);
      PairFinder::visit(out, finder);
      PairFinder loaded(open, BroadphaseKind::linked_cells);
      InArchive in(bytes);
      PairFinder::visit(in, loaded);
      CHECK_NOTHROW(loaded.require_sound(bodies));
      loaded.restore(placement);
      loaded.update(bodies, placement);
      CHECK(loaded.changes().empty());  // nothing has moved
    };
    const auto move = [&] {
      for (std::uint32_t body = 1; body < bodies.size(); ++body) {
        bodies.position[body] += Motion(dice.between(-0.5, 0.5), dice.between(-0.5, 0.5), 0.0);
      }
      placement.update(bodies);
      finder.update(bodies, placement);
    };
    check("at the start");
    move();
    check("before it comes");
    add_disk(bodies, 100, {5.0, 0.2}, 0.5);
    placement.add_missing(bodies);
    finder.insert(bodies.size() - 1, bodies, placement);
    check("after a birth");
    bodies.absent.clear();
    finder.insert_one(0, bodies, placement);
    check("when it comes");
    CHECK(boxes.contains({.a = 100, .b = 1}));
    move();
    check("after it came");
  }
}

TEST_CASE("bodies near a box are found where their images are") {
  Bodies bodies;
  add_disk(bodies, 1, {9.9, 4.0}, 0.3);
  PairFinder finder(kDomain, BroadphaseKind::linked_cells);
  Placement placement;
  placement.add_missing(bodies);
  finder.insert(0, bodies, placement);
  finder.insert_images(bodies, placement);
  std::vector<Vec2> found;
  finder.for_each_near({{0.0, 3.9}, {0.1, 4.1}}, bodies,
                       [&](const ShapeView&, const Pose& pose) { found.push_back(pose.position); });
  REQUIRE(found.size() == 1);
  CHECK((found[0] - Vec2(-0.1, 4.0)).norm() < 1e-14);  // m
}

}  // namespace scree::pair_finder_test
