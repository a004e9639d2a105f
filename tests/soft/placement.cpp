#include "dem/soft/motion/placement.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/archive.hpp"
#include "geometry/polygon_makers.hpp"
#include "parallel/threads.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::placement_test {

using namespace scree::soft;
using test::Dice;

namespace {

Bodies random_bodies(int count, Dice& dice) {
  Bodies bodies;
  test::add_wall(bodies, 1, {0.0, -1.0, 0.1}, rectangle(20.0, 0.5));
  for (int k = 0; k < count; ++k) {
    const auto id = static_cast<std::uint64_t>(k) + 2;
    if (k % 4 == 0) {
      test::add_disk(bodies, id, {dice.between(-5.0, 5.0), dice.between(-5.0, 5.0)}, dice.between(0.1, 1.0));
      bodies.position.back().z() = dice.between(-3.0, 3.0);
      continue;
    }
    const int vertices = 3 + static_cast<int>(dice.below(9));
    test::add_polygon(bodies, id, {dice.between(-5.0, 5.0), dice.between(-5.0, 5.0), dice.between(-9.0, 9.0)},
                      random_convex_polygon(vertices, 2.0, [&] { return dice.between(0.0, 1.0); }));
  }
  return bodies;
}

/// The smallest box around all vertices, or around the disk.
Aabb2 expected_box(const Bodies& bodies, std::uint32_t body) {
  const Vec2 centre = linear(bodies.position[body]);
  const ShapeView shape = bodies.shape(body);
  if (shape.is_disk()) return {centre.array() - shape.radius, centre.array() + shape.radius};
  const Pose pose = bodies.pose(body);
  Aabb2 box{pose * shape.outline[0], pose * shape.outline[0]};
  for (const Vec2& vertex : shape.outline) box.extend(pose * vertex);
  return box;
}

void check_boxes(const Placement& placement, const Bodies& bodies) {
  REQUIRE(placement.box.size() == bodies.size());
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    const Aabb2 expected = expected_box(bodies, body);
    CHECK((placement.box[body].lo - expected.lo).cwiseAbs().maxCoeff() < 1e-14);  // m
    CHECK((placement.box[body].hi - expected.hi).cwiseAbs().maxCoeff() < 1e-14);  // m
  }
}

}  // namespace

TEST_CASE("boxes are the smallest around bodies as they lie, also after they have turned far since the last time") {
  Dice dice(3);
  Bodies bodies = random_bodies(60, dice);
  Placement placement;
  placement.add_missing(bodies);
  check_boxes(placement, bodies);
  for (int step = 0; step < 20; ++step) {
    for (Motion& position : bodies.position) {
      position += Motion(dice.between(-1.0, 1.0), dice.between(-1.0, 1.0), dice.between(-2.0, 2.0));
    }
    placement.update(bodies);
    check_boxes(placement, bodies);
  }
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    const Rotation as_it_lies = Rotation::by(bodies.position[body].z());
    const bool disk = bodies.shape(body).is_disk();
    CHECK(placement.rotation_of(body).cos == (disk ? 1.0 : as_it_lies.cos));
    CHECK(placement.rotation_of(body).sin == (disk ? 0.0 : as_it_lies.sin));
  }
}

TEST_CASE("bodies that are new get a placement, the others keep theirs until the next update") {
  Dice dice(4);
  Bodies bodies = random_bodies(10, dice);
  Placement placement;
  placement.add_missing(bodies);
  const std::vector<Aabb2> before = placement.box;
  bodies.position[3].x() += 1.0;
  test::add_disk(bodies, 99, {7.0, 7.0}, 0.5);
  placement.add_missing(bodies);
  REQUIRE(placement.box.size() == 12);
  CHECK(placement.box[3].lo == before[3].lo);
  CHECK(placement.box[11].lo == Vec2(6.5, 6.5));
  CHECK(placement.box[11].hi == Vec2(7.5, 7.5));
  placement.update(bodies);
  CHECK(placement.box[3].lo != before[3].lo);
  check_boxes(placement, bodies);
}

TEST_CASE("the placement of bodies that remain goes with them when others are removed") {
  Dice dice(5);
  Bodies bodies = random_bodies(11, dice);
  test::add_polygon(bodies, 13, {3.0, 2.0, 0.5}, regular_polygon(40, 0.5));
  Placement placement;
  placement.add_missing(bodies);
  REQUIRE(placement.extremes.size() == bodies.size());  // the last one has many vertices
  const Placement before = placement;
  std::vector<char> leaving(bodies.size(), 0);
  leaving[0] = leaving[4] = leaving[9] = 1;
  const auto new_index = bodies.remove(leaving);
  placement.remove(new_index);
  check_boxes(placement, bodies);
  for (std::uint32_t old = 0; old < new_index.size(); ++old) {
    if (new_index[old] == Bodies::kGone) continue;
    CHECK(placement.box[new_index[old]].lo == before.box[old].lo);
    CHECK(placement.rotation_of(new_index[old]).sin == before.rotation_of(old).sin);
    CHECK(placement.extremes[new_index[old]] == before.extremes[old]);
  }
}

TEST_CASE("boxes are saved, and an update after loading gives the bits of one without") {
  Dice dice(6);
  Bodies bodies = random_bodies(30, dice);
  Placement placement;
  placement.add_missing(bodies);
  std::stringstream bytes;
  OutArchive out(bytes);
  Placement::visit(out, placement);
  Placement loaded;
  test::add_disk(bodies, 99, {7.0, 7.0}, 0.5);
  loaded.add_missing(bodies);  // what was there is replaced
  bodies.remove([&] {
    std::vector<char> last(bodies.size(), 0);
    last.back() = 1;
    return last;
  }());
  InArchive in(bytes);
  Placement::visit(in, loaded);
  loaded.restore(bodies);
  check_boxes(loaded, bodies);
  for (Motion& position : bodies.position) position += Motion(0.1, -0.2, 0.7);
  placement.update(bodies);
  loaded.update(bodies);
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    CHECK(loaded.box[body].lo == placement.box[body].lo);
    CHECK(loaded.box[body].hi == placement.box[body].hi);
    CHECK(loaded.rotation_of(body).cos == placement.rotation_of(body).cos);
  }
}

TEST_CASE("the same boxes for 1 to 4 threads") {
  Dice dice(7);
  const Bodies bodies = random_bodies(2000, dice);
  Placement one;
  one.add_missing(bodies);
  for (const int threads : {1, 2, 3, 4}) {
    CAPTURE(threads);
    Placement more;
    more.restore(bodies);
    more.box.resize(bodies.size());
    Threads(threads).run([&] { more.update(bodies); });
    std::size_t differ = 0;
    for (std::uint32_t body = 0; body < bodies.size(); ++body) {
      differ += more.box[body].lo == one.box[body].lo && more.box[body].hi == one.box[body].hi ? 0 : 1;
    }
    CHECK(differ == 0);
  }
}

}  // namespace scree::placement_test
