#include "dem/periodic.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::periodic_test {

namespace {

Domain domain(bool x, bool y) {
  return {.lo = {-1.0, 2.0}, .hi = {3.0, 5.0}, .periodic = {x, y}};
}

}  // namespace

TEST_CASE("a position minus its periods outside is inside the domain") {
  const Periodic periodic(domain(true, true));
  test::Dice dice(1);
  int outside = 0;
  for (int k = 0; k < 10000; ++k) {
    const Vec2 position(dice.between(-20.0, 20.0), dice.between(-20.0, 20.0));
    const Image image = periodic.periods_outside(position);
    outside += image != Image{0, 0} ? 1 : 0;
    const Vec2 inside = position - periodic.shift(image);
    CHECK(inside.x() >= -1.0);
    CHECK(inside.x() < 3.0 + 1e-14);  // rounding
    CHECK(inside.y() >= 2.0);
    CHECK(inside.y() < 5.0 + 1e-14);
  }
  CHECK(outside > 9000);
}

TEST_CASE("the lower side belongs to the domain, the upper one to its image") {
  const Periodic periodic(domain(true, true));
  CHECK(periodic.periods_outside({-1.0, 2.0}) == Image{0, 0});
  CHECK(periodic.periods_outside({3.0, 5.0}) == Image{1, 1});
  CHECK(periodic.periods_outside({std::nextafter(-1.0, -2.0), std::nextafter(5.0, 4.0)}) == Image{-1, 0});
}

TEST_CASE("a position that is far beyond all periods is outside by many of them, on its side") {
  const Periodic periodic(domain(true, true));
  for (const double far : {1e10, 1e20, 1e300, std::numeric_limits<double>::infinity()}) {
    const Image image = periodic.periods_outside({far, -far});
    CHECK(image[0] >= 1 << 24);
    CHECK(image[1] <= -(1 << 24));
    CHECK(is_moderate(image));
  }
}

TEST_CASE("axes that are not periodic have neither periods nor images") {
  const Periodic periodic(domain(false, true));
  CHECK(periodic.any());
  CHECK(!periodic.along(0));
  CHECK(periodic.period() == Vec2(0.0, 3.0));
  CHECK(periodic.periods_outside({100.0, 100.0}) == Image{0, 32});
  CHECK(periodic.shift({5, -2}) == Vec2(0.0, -6.0));
  std::vector<Image> images;
  periodic.for_each_near_image([&](const Image& image) { images.push_back(image); });
  CHECK(images == std::vector<Image>{{0, -1}, {0, 0}, {0, 1}});
  CHECK(!Periodic(domain(false, false)).any());
}

TEST_CASE("not-a-number is outside by 0 periods") {
  const Periodic periodic(domain(true, true));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(periodic.periods_outside({nan, nan}) == Image{0, 0});
}

TEST_CASE("a box needs an image exactly where that reaches into the closed domain") {
  const Periodic periodic(domain(true, true));
  test::Dice dice(2);
  int needed = 0;
  for (int k = 0; k < 10000; ++k) {
    const Vec2 centre(dice.between(-1.0, 3.0), dice.between(2.0, 5.0));
    const Aabb2 box = Aabb2{centre, centre}.expanded(dice.between(0.0, 1.0));
    const Aabb2 whole{{-1.0, 2.0}, {3.0, 5.0}};
    for (const int step : {-1, 1}) {
      for (const int axis : {0, 1}) {
        const Vec2 shift = periodic.shift(axis == 0 ? Image{step, 0} : Image{0, step});
        const Aabb2 there = box.shifted(shift);
        const bool reaches = there.lo[axis] <= whole.hi[axis] && there.hi[axis] >= whole.lo[axis];
        CHECK(periodic.needs_image(box, axis, step) == reaches);
        needed += reaches ? 1 : 0;
      }
    }
    CHECK(periodic.needs_image(box, 0, 0));
  }
  CHECK(needed > 1000);
}

}  // namespace scree::periodic_test
