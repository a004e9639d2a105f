#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/contact/energy.hpp"

namespace scree::soft_energy_test {

using soft::half_squared_thickness;

TEST_CASE("the energy integral has its closed form for a strip, a wedge and a kite, in any direction") {
  const double depth = 2e-3;  // m
  const double chord = 0.01;  // m
  for (const double angle : {0.0, 0.4, 1.5707963267948966, 3.0}) {
    CAPTURE(angle);
    const Rotation turn = Rotation::by(angle);
    const auto turned = [&](std::vector<Vec2> region) {
      for (Vec2& p : region) p = turn * p + Vec2(0.3, -0.2);
      return region;
    };
    const Vec2 normal = turn * Vec2(0.0, 1.0);
    const double strip = half_squared_thickness(turned({{0, 0}, {chord, 0}, {chord, depth}, {0, depth}}), normal);
    CHECK(std::abs(strip / (0.5 * chord * depth * depth) - 1.0) < 1e-9);
    const double wedge = half_squared_thickness(turned({{0, 0}, {chord, 0}, {0.3 * chord, depth}}), normal);
    CHECK(std::abs(wedge / (chord * depth * depth / 6.0) - 1.0) < 1e-9);
    const double kite = half_squared_thickness(
        turned({{0, 0}, {0.3 * chord, -0.5 * depth}, {chord, 0}, {0.3 * chord, 0.5 * depth}}), normal);
    CHECK(std::abs(kite / (chord * depth * depth / 6.0) - 1.0) < 1e-9);
  }
  CHECK(half_squared_thickness({}, {0.0, 1.0}) == 0.0);
}

}  // namespace scree::soft_energy_test
