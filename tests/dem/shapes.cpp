#include "dem/shapes.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "tests/geometry/random_pairs.hpp"

namespace scree::shapes_test {

namespace {

ShapeView view(const Polygon& polygon) {
  return {polygon.vertices(), polygon.bounding_radius()};
}

}  // namespace

TEST_CASE("polygons are clearly apart where they do not overlap, unless they are as near as rounding") {
  test::Uniform uniform(3);
  const test::Shapes shapes(uniform, 3, 12, 30.0, 100.0);
  int apart = 0;
  int touching = 0;
  for (int k = 0; k < 50000; ++k) {
    const Polygon& a = shapes.pick(uniform);
    const Polygon& b = shapes.pick(uniform);
    const double reach = 1.2 * (a.bounding_radius() + b.bounding_radius());
    const Vec2 position(uniform.between(-reach, reach), uniform.between(-reach, reach));
    const Pose b_in_a{position, test::random_rotation(uniform)};
    const bool overlaps = overlap(a.vertices(), b.vertices(), b_in_a).touching();
    (overlaps ? touching : apart)++;
    CHECK(clearly_apart(view(a), view(b), b_in_a) == !overlaps);
  }
  CHECK(apart > 10000);
  CHECK(touching > 5000);
}

TEST_CASE("polygons that touch within rounding, disks, and polygons with many corners are never clearly apart") {
  const Polygon square(std::vector<Vec2>{{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}});
  for (const double gap : {-1e-6, 0.0, 1e-16, 1e-13}) {
    CHECK_FALSE(clearly_apart(view(square), view(square), {{1.0 + gap, 0.3}, {}}));
  }
  CHECK(clearly_apart(view(square), view(square), {{1.0 + 1e-10, 0.3}, {}}));
  CHECK_FALSE(clearly_apart(disk_shape(1.0), view(square), {{9.0, 0.0}, {}}));
  const Polygon round = regular_polygon(13, 1.0);
  CHECK_FALSE(clearly_apart(view(round), view(square), {{9.0, 0.0}, {}}));
}

}  // namespace scree::shapes_test
