#include "dem/hard/boxes/box_margin.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/hard/rooms.hpp"

namespace scree::box_margin_test {

using namespace scree::hard;

TEST_CASE("in gravity the margin does not grow with a domain that the disks do not fill") {
  std::vector<Vec2> places;
  for (int k = 0; k < 20; ++k) places.emplace_back(0.6 + 1.2 * (k % 8), 1.0 + 1.2 * (k / 8));
  Setup setup = test::disks_in_box(places, std::vector<Vec2>(places.size(), Vec2::Zero()));
  const double wide = first_margin(setup);
  setup.gravity = {0.0, -1.0};
  CHECK(first_margin(setup) == 0.35);
  CHECK(first_margin(setup) < wide);
  setup.domain.hi.y() = 1000.0;
  CHECK(first_margin(setup) == 0.35);
  setup.margin = 2.0;
  CHECK(first_margin(setup) == 2.0);
}

TEST_CASE("a few disks that fall make no heap: their boxes are wide") {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {6.0, 5.0}}, {{0.0, 0.0}, {0.0, 0.0}});
  const double wide = first_margin(setup);
  setup.gravity = {0.0, -1.0};
  CHECK(first_margin(setup) == wide);
}

TEST_CASE("margins are such that two boxes fit beside each other along a periodic axis") {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {6.0, 5.0}}, {{0.0, 0.0}, {0.0, 0.0}});
  setup.margin = 20.0;
  CHECK(first_margin(setup) == 20.0);
  setup.domain.periodic = {true, false};
  const double margin = first_margin(setup);
  const double growing = 1.0 + kGrowthInBoxes;
  CHECK(2.0 * (margin * growing + 0.5) < 10.0);
  CHECK(2.0 * (1.05 * margin * growing + 0.5) > 10.0);  // nearly as wide as they may be
  setup.greatest_radius = 2.0;
  CHECK(2.0 * (first_margin(setup) * growing + 2.0) < 10.0);
  setup.domain.hi.x() = 1.0;
  CHECK_THROWS_WITH_AS(first_margin(setup), doctest::Contains("as wide as the periodic domain"), InvalidScene);
}

}  // namespace scree::box_margin_test
