#include "dem/room.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::room_test {

namespace {

struct Body {
  std::vector<Vec2> outline;  // empty: a disk
  double radius;
  Pose pose;

  ShapeView view() const { return {outline, radius}; }
};

Body random_body(test::Dice& dice) {
  const Pose pose{{dice.between(-3.0, 3.0), dice.between(-3.0, 3.0)}, Rotation::by(dice.between(0.0, 6.0))};
  if (dice.below(2) == 0) return {{}, dice.between(0.1, 0.5), pose};
  const Polygon polygon = regular_polygon(3 + static_cast<int>(dice.below(5)), dice.between(0.1, 0.5));
  return {{polygon.vertices().begin(), polygon.vertices().end()}, polygon.bounding_radius(), pose};
}

}  // namespace

TEST_CASE("there is room exactly where no body overlaps, even if the boxes report more bodies") {
  test::Dice dice(3);
  int free = 0;
  constexpr int kSamples = 3000;
  for (int k = 0; k < kSamples; ++k) {
    std::vector<Body> bodies;
    for (int i = 0; i < 12; ++i) bodies.push_back(random_body(dice));
    const Body newcomer = random_body(dice);
    bool overlaps = false;
    for (const Body& body : bodies) {
      overlaps = overlaps || overlap_anywhere(newcomer.view(), newcomer.pose, body.view(), body.pose);
    }
    std::size_t taken = 0;
    const auto near = [&](const Aabb2& box, const auto& take) {
      for (const Body& body : bodies) {
        Extremes extremes{};
        if (!bounds(body.view(), body.pose, extremes).overlaps(box)) continue;
        ++taken;
        take(body.view(), body.pose);
      }
    };
    CHECK(has_room(newcomer.view(), newcomer.pose, 0.0, near) == !overlaps);
    CHECK(taken < bodies.size());
    free += overlaps ? 0 : 1;
  }
  CHECK(free > kSamples / 5);
  CHECK(free < 4 * kSamples / 5);
}

TEST_CASE("with the margin, boxes older than the poses are found") {
  const Body one{{}, 1.0, {{0.0, 0.0}, {}}};
  Aabb2 asked;
  const auto near = [&](const Aabb2& box, const auto&) { asked = box; };
  has_room(one.view(), one.pose, 0.25, near);
  CHECK(asked.lo == Vec2(-1.25, -1.25));
  CHECK(asked.hi == Vec2(1.25, 1.25));
}

TEST_CASE("there is room for a disk that touches others, not for one that overlaps them or their images") {
  const std::vector<Vec2> others = {{2.0, 5.0}, {9.75, 8.0}};
  for (const bool is_periodic : {true, false}) {
    CAPTURE(is_periodic);
    const Periodic periodic(Domain{{0.0, 0.0}, {10.0, 10.0}, {is_periodic, false}});
    const auto has_room_at = [&](const Vec2& at, double radius) {
      return has_room(disk_shape(radius), {at, {}}, periodic, [&](const Aabb2&, const auto& take) {
        for (const Vec2& other : others) take(disk_shape(0.5), Pose{other, {}});
      });
    };
    CHECK(has_room_at({3.0, 5.0}, 0.5));
    CHECK_FALSE(has_room_at({3.0, 5.0}, 0.5 + 1e-15));
    CHECK(has_room_at({0.5, 8.0}, 0.25));
    CHECK(has_room_at({0.5, 8.0}, 0.3) != is_periodic);
  }
}

TEST_CASE("the box around each image is searched") {
  const Periodic periodic(Domain{{0.0, 0.0}, {10.0, 10.0}, {true, true}});
  std::vector<Aabb2> boxes;
  has_room(disk_shape(0.5), {{1.0, 2.0}, {}}, periodic, [&](const Aabb2& box, const auto&) { boxes.push_back(box); });
  REQUIRE(boxes.size() == 9);
  CHECK(boxes[4].lo == Vec2(0.5, 1.5));
  CHECK(boxes[4].hi == Vec2(1.5, 2.5));
  CHECK(boxes[8].lo == Vec2(10.5, 11.5));
}

}  // namespace scree::room_test
