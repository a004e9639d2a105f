#include "dem/hard/audit.hpp"

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/hard/rooms.hpp"
#include "tests/scenes.hpp"

namespace scree::audit_test {

using namespace scree::hard;
using test::Rooms;

namespace {

Setup approaching() {
  return test::disks_in_box({{2.0, 5.0}, {5.0, 5.0}}, {{1.0, 0.0}, {0.0, 0.0}});
}

/// The margin is so wide that no disk leaves its box.
Setup in_wide_boxes(Setup setup) {
  setup.margin = 20.0;
  return setup;
}

}  // namespace

TEST_CASE("disks that should have collided overlap") {
  const Rooms rooms(in_wide_boxes(approaching()));
  CHECK_NOTHROW(audit(rooms.view(2.0)));  // they touch
  CHECK_THROWS_WITH_AS(audit(rooms.view(2.0 + 1e-9)), doctest::Contains("disk 2 and disk 1 overlap"), PhysicsError);
}

TEST_CASE("a disk that should have left its box is outside it") {
  Setup setup = approaching();
  setup.margin = 0.5;
  const Rooms rooms(setup);
  CHECK_NOTHROW(audit(rooms.view(0.5)));
  CHECK_THROWS_WITH_AS(audit(rooms.view(0.51)), doctest::Contains("disk 1 is outside its box"), PhysicsError);
}

TEST_CASE("a disk that should have hit a side is outside the domain; beyond an open one only when it is wholly there") {
  Setup setup = in_wide_boxes(test::disks_in_box({{5.0, 5.0}}, {{0.0, 1.0}}));
  const Rooms closed(setup);
  CHECK_NOTHROW(audit(closed.view(4.5)));
  CHECK_THROWS_WITH_AS(audit(closed.view(4.51)), doctest::Contains("outside the domain"), PhysicsError);
  setup.open = true;
  const Rooms open(setup);
  CHECK_NOTHROW(audit(open.view(5.5)));
  CHECK_THROWS_WITH_AS(audit(open.view(5.51)), doctest::Contains("outside the domain"), PhysicsError);
}

TEST_CASE("a disk that should have hit a wall overlaps it") {
  Setup setup = in_wide_boxes(test::disks_in_box({{5.0, 5.0}}, {{0.0, -1.0}}));
  setup.walls = {test::box_wall({3.0, 1.0}, {7.0, 2.0})};
  const Rooms rooms(setup);
  CHECK_NOTHROW(audit(rooms.view(2.5)));
  CHECK_THROWS_WITH_AS(audit(rooms.view(2.51)), doctest::Contains("overlaps the wall 'wall'"), PhysicsError);
}

TEST_CASE("a pair that should have crossed the edge of its well is on the wrong side") {
  Setup setup = in_wide_boxes(approaching());
  setup.well = {2.0, -1.0};
  Rooms rooms(setup);
  CHECK_NOTHROW(audit(rooms.view(0.99)));
  CHECK_THROWS_WITH_AS(audit(rooms.view(1.01)), doctest::Contains("wrong side of their well's edge"), PhysicsError);
  rooms.wells.pairs.insert({0, 1, {0, 0}});
  CHECK_NOTHROW(audit(rooms.view(1.01)));
  CHECK_THROWS_AS(audit(rooms.view(0.99)), PhysicsError);
}

TEST_CASE("what cannot start where it is, is named by the property and the other disk") {
  Setup setup = approaching();
  CHECK_NOTHROW(check_start(Rooms(setup).view()));
  setup.position[1] = {2.9, 5.0};
  CHECK_THROWS_WITH_AS(check_start(Rooms(setup).view()), doctest::Contains("position[1]: the disk overlaps disk 0"),
                       DiskInTheWay);
  setup.position[1] = {9.6, 5.0};
  CHECK_THROWS_WITH_AS(check_start(Rooms(setup).view()), doctest::Contains("sticks out of the domain"), DiskInTheWay);
  setup.position[1] = {5.0, 5.0};
  setup.walls = {test::box_wall({1.0, 4.0}, {1.6, 6.0})};
  CHECK_THROWS_WITH_AS(check_start(Rooms(setup).view()), doctest::Contains("overlaps the wall"), DiskInTheWay);
}

}  // namespace scree::audit_test
