#include "dem/hard/disk/predictor.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/hard/rooms.hpp"
#include "tests/scenes.hpp"

namespace scree::predictor_test {

using namespace scree::hard;
using test::Rooms;

namespace {

/// Wide boxes, so that leaving them does not come first.
Setup in_wide_boxes(std::vector<Vec2> position, std::vector<Vec2> velocity) {
  Setup setup = test::disks_in_box(std::move(position), std::move(velocity));
  setup.margin = 20.0;
  return setup;
}

}  // namespace

TEST_CASE(
    "a disk alone between periodic sides has no event; it leaves its box when its centre has gone by the margin") {
  Setup setup = test::disks_in_box({{5.0, 5.0}}, {{-2.0, 1.0}});
  setup.margin = 0.5;
  setup.domain.periodic = {true, true};
  const Rooms rooms(setup);
  CHECK(rooms.predictor().next_event(0).time == kNever);
  const double exit = rooms.predictor().box_exit_time(0, 0.0);
  CHECK(std::abs(exit - 0.5 / std::sqrt(5.0)) < 1e-15);
  CHECK(rooms.predictor().stays_in_box(0, 0.0, 0.99 * exit));
  CHECK_FALSE(rooms.predictor().stays_in_box(0, 0.0, 1.01 * exit));
}

TEST_CASE("the side that a disk hits first comes next; an open one when the disk is wholly beyond") {
  Setup setup = in_wide_boxes({{5.0, 6.0}}, {{1.0, 2.0}});
  const Rooms closed(setup);
  const Event hit = closed.predictor().next_event(0);
  CHECK(hit.kind() == EventKind::wall);
  CHECK(hit.side() == 3);  // above along y
  CHECK(hit.time == 1.75);
  setup.open = true;
  const Rooms open(setup);
  CHECK(open.predictor().next_event(0).time == 2.25);
  setup.domain.periodic = {false, true};
  setup.open = false;
  setup.margin = 4.4;  // two boxes fit beside each other
  const Rooms periodic(setup);
  CHECK(periodic.predictor().next_event(0).kind() == EventKind::wall);
}

TEST_CASE("the earliest collision with a partner comes next") {
  const Rooms rooms(in_wide_boxes({{2.0, 5.0}, {8.0, 5.0}, {5.0, 2.0}}, {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}}));
  const Event next = rooms.predictor().next_event(0);
  CHECK(next.kind() == EventKind::collision);
  CHECK(next.partner(0) == 2);  // at (3 - 1/sqrt 2) s, before disk 1 at 2.5 s
  CHECK(std::abs(next.time - (3.0 - std::sqrt(0.5))) < 1e-15);
  CHECK(rooms.predictor().next_event(2) == next);  // the same event for both
}

TEST_CASE("a partner that has an earlier event is not available") {
  Rooms rooms(in_wide_boxes({{2.0, 5.0}, {8.0, 5.0}, {5.0, 2.0}}, {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}}));
  rooms.give(2, Event::wall(1.0, 2, 0));
  const Event next = rooms.predictor().next_event(0);
  CHECK(next.partner(0) == 1);
  CHECK(next.time == 2.5);
  rooms.give(1, Event::wall(2.6, 1, 1));  // later: that makes no difference
  CHECK(rooms.predictor().next_event(0) == next);
  rooms.give(1, Event::wall(2.4, 1, 1));
  CHECK(rooms.predictor().next_event(0).kind() == EventKind::wall);
}

TEST_CASE("more partners than are taken at once: the earliest is found wherever it is in the list") {
  for (Index first = 1; first < 40; ++first) {
    CAPTURE(first);
    Setup setup = test::disks_in_box({{5.0, 1.0}}, {{0.0, 1.0}});
    for (Index j = 1; j < 40; ++j) {  // in a row above; all but one wait farther up
      setup.position.emplace_back(5.0, j == first ? 3.0 : 5.0 + 0.1 * j);
      setup.velocity.emplace_back(0.0, 0.0);
    }
    setup.radius.assign(40, 0.01);
    setup.mass.assign(40, 1.0);
    setup.margin = 20.0;
    const Rooms rooms(setup);
    const Event next = rooms.predictor().next_event(0);
    CHECK(next.kind() == EventKind::collision);
    CHECK(next.partner(0) == first);
    CHECK(std::abs(next.time - 1.98) < 1e-14);
  }
}

TEST_CASE("a wall in the way comes before what lies behind it, and one that was removed does not") {
  Setup setup = in_wide_boxes({{2.0, 5.0}, {8.0, 5.0}}, {{1.0, 0.0}, {0.0, 0.0}});
  setup.walls = {test::box_wall({4.5, 4.0}, {5.0, 6.0})};
  setup.walls[0].until = 0.5;
  Rooms rooms(setup);
  const Event hit = rooms.predictor().next_event(0);
  CHECK(hit.kind() == EventKind::wall);
  CHECK(hit.side() == kSides);
  CHECK(hit.time == 2.0);
  CHECK(rooms.walls.change() == 0);
  CHECK(rooms.predictor().next_event(0).time == 5.0);
}

TEST_CASE("growing disks collide earlier, and touch sides earlier") {
  Setup setup = in_wide_boxes({{3.0, 5.0}, {6.0, 5.0}}, {{0.75, 0.0}, {-0.25, 0.0}});
  setup.growth.rate = 0.1;
  const Rooms rooms(setup);
  const Event next = rooms.predictor().next_event(0);
  CHECK(next.kind() == EventKind::collision);
  CHECK(std::abs(next.time - 2.0 / 1.1) < 1e-15);
  setup = in_wide_boxes({{4.0, 5.0}}, {{-1.0, 0.0}});
  setup.growth.rate = 0.2;
  const Rooms alone(setup);
  CHECK(std::abs(alone.predictor().next_event(0).time - 3.5 / 1.1) < 1e-15);
}

TEST_CASE("disks with a well reach its edge first, and inside it each other") {
  Setup setup = in_wide_boxes({{2.0, 5.0}, {8.0, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}});
  setup.well = {2.0, -1.0};
  Rooms rooms(setup);
  const Event edge = rooms.predictor().next_event(0);
  CHECK(edge.kind() == EventKind::collision);
  CHECK(edge.crosses());
  CHECK(edge.time == 2.0);
  rooms.wells.pairs.assign(2, {{0, 1, {0, 0}}});
  const Event core = rooms.predictor().next_event(0);
  CHECK_FALSE(core.crosses());
  CHECK(core.time == 2.5);
}

}  // namespace scree::predictor_test
