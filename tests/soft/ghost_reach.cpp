#include "dem/soft/ranks/ghost_reach.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::ghost_reach_test {

using namespace scree::soft;
using test::Dice;

namespace {

const Domain kDomain{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, true}};

CellShape shape_of(Dice& dice) {
  CellShape shape{.centre = {5.0, 4.0}, .length = {10.0, 8.0}};
  shape.length.x() = dice.between(6.0, 12.0);
  shape.length.y() = dice.between(6.0, 12.0);
  shape.tilt = dice.between(-0.5, 0.5) * shape.length.x();
  shape.flips = static_cast<std::int32_t>(dice.between(-5.0, 5.0));
  return shape;
}

Aabb2 box_around(const Vec2& centre, double reach) {
  return {centre.array() - reach, centre.array() + reach};
}

}  // namespace

TEST_CASE("which grains reach an extent in a tilted cell: those of which an image does, among very many images") {
  Dice dice(1);
  Periodic periodic(kDomain);
  int near = 0;
  for (int k = 0; k < 4000; ++k) {
    const CellShape shape = shape_of(dice);
    periodic.deform(shape);
    const Vec2 lo = periodic.lo();
    const auto inside = [&] {
      const double x = lo.x() + dice.between(0.0, 0.999) * periodic.period().x();
      return Vec2(x, lo.y() + dice.between(0.0, 0.999) * periodic.period().y());
    };
    const Vec2 first = inside();
    const Vec2 second = inside();
    const double radius = dice.between(0.0, 2.9);
    const Aabb2 extent{first.cwiseMin(second).array() - radius, first.cwiseMax(second).array() + radius};
    const Vec2 centre = inside();
    const double reach = dice.between(0.0, 1.0) < 0.9 ? dice.between(0.0, 3.0) : dice.between(0.0, 5.9);
    bool is_near = false;
    for (int x = -9; x <= 9; ++x) {
      for (int y = -5; y <= 5; ++y) {
        const Vec2 at = centre + periodic.shift(periodic.named(x, y));
        is_near = is_near || extent.overlaps(box_around(at, reach));
      }
    }
    near += is_near ? 1 : 0;
    CHECK(reaches_in_cell(periodic, centre, reach, extent) == is_near);
  }
  CHECK(near > 500);
  CHECK(near < 3900);
}

TEST_CASE("whatever a cell does until condition (1) ends, grains that meet were near each other before") {
  // Two grains and an image; the cell becomes another one, and each goes some way beside the flow.
  Dice dice(2);
  int meet = 0;
  double nearest_to_limit = 0.0;  // how much of the reach was needed
  double without_flow = 0.0;      // the same, if only ways beside the flow counted
  for (int k = 0; k < 200000; ++k) {
    const CellShape before = shape_of(dice);
    CellShape now = before;
    const double stretch_x = dice.between(0.8, 1.2);
    const double stretch_y = dice.between(0.8, 1.2);
    const double sheared = dice.between(-0.3, 0.3);
    now.length = {stretch_x * before.length.x(), stretch_y * before.length.y()};
    now.tilt = stretch_x * before.tilt + sheared * before.length.y();
    const double turns = std::nearbyint(now.tilt / now.length.x());
    now.tilt -= turns * now.length.x();
    now.flips += static_cast<std::int32_t>(turns);
    const Components f = deformation(before, now);
    REQUIRE((f - Components(stretch_x, stretch_y, sheared)).abs().maxCoeff() < 1e-12);

    Periodic then(kDomain);
    Periodic later(kDomain);
    then.deform(before);
    later.deform(now);
    const double radius_a = dice.between(0.1, 1.0);
    const double radius_b = dice.between(0.1, 1.0);
    const double way = dice.between(0.0, 0.3);  // w
    const auto go = [&] {
      const double x = dice.between(-way, way);
      return Vec2(x, dice.between(-way, way));
    };
    const Vec2 a = then.lo() + Vec2(dice.between(0.0, 0.3), dice.between(0.0, 0.3));
    const Image image = then.named(static_cast<std::int32_t>(std::floor(dice.between(-1.0, 2.0))),
                                   static_cast<std::int32_t>(std::floor(dice.between(-1.0, 2.0))));
    const double bx = dice.between(-2.5, 2.5);
    const Vec2 b = a + Vec2(bx, dice.between(-2.5, 2.5)) - then.shift(image);
    const Vec2 a_now = before.centre + times(f, a - before.centre) + go();
    const Vec2 b_now = before.centre + times(f, b - before.centre) + go();
    const Vec2 r = b_now + later.shift(image) - a_now;
    if (r.lpNorm<Eigen::Infinity>() > radius_a + radius_b) continue;
    ++meet;
    const double q = greatest_approach(f);
    const double slack = q * way + (q - 1.0) * 1.0;  // the greatest radius is 1
    const Vec2 r_before = b + then.shift(image) - a;
    const double needed = 0.5 * (r_before.lpNorm<Eigen::Infinity>() - radius_a - radius_b);
    CHECK(needed <= slack + 1e-9);
    nearest_to_limit = std::max(nearest_to_limit, needed / slack);
    without_flow = std::max(without_flow, needed - way);
  }
  CHECK(meet > 10000);
  CHECK(nearest_to_limit > 0.8);
  CHECK(without_flow > 0.1);
}

}  // namespace scree::ghost_reach_test
