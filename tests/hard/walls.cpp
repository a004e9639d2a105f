#include "dem/hard/events/walls.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scenes.hpp"

namespace scree::walls_test {

using namespace scree::hard;

namespace {

constexpr double kMargin = 0.5;  // m

Domain domain(bool periodic) {
  return {{0.0, 0.0}, {10.0, 10.0}, {periodic, false}};
}

/// A wall at rest, one that rises at 2 m/s, and one that is removed after 3 s.
std::vector<Wall> three_walls() {
  std::vector<Wall> walls = {test::box_wall({1.0, 1.0}, {2.0, 2.0}), test::box_wall({4.0, 1.0}, {5.0, 2.0}),
                             test::box_wall({9.0, 1.0}, {9.8, 2.0})};
  walls[1].velocity = {0.0, 2.0};
  walls[2].until = 3.0;
  walls[2].name = "gate";
  return walls;
}

std::size_t found(Walls& walls, const Vec2& at) {
  walls.find(0, Aabb2{at, at}.expanded(0.1));
  return walls.of(0).size();
}

}  // namespace

TEST_CASE("a disk finds the walls whose boxes overlap its own, across periodic sides too") {
  Walls walls(three_walls(), domain(true));
  walls.start(Clock(), 0.0, kMargin, 1);
  CHECK(found(walls, {1.5, 1.5}) == 1);
  CHECK(walls.of(0)[0].disk() == 0);
  CHECK(found(walls, {1.5, 2.2}) == 0);
  CHECK(found(walls, {4.5, 2.4}) == 1);  // in the margin of one that moves
  CHECK(found(walls, {0.05, 1.5}) == 0);
  walls.find(0, {{-0.3, 1.0}, {0.3, 1.2}});
  REQUIRE(walls.of(0).size() == 1);
  CHECK(walls.of(0)[0].disk() == 2);
  CHECK(walls.of(0)[0].image().x() == -1);
  Walls closed(three_walls(), domain(false));
  closed.start(Clock(), 0.0, kMargin, 1);
  closed.find(0, {{-0.3, 1.0}, {0.3, 1.2}});
  CHECK(closed.of(0).empty());
}

TEST_CASE("a wall that moves gets another box before it has left its own, and one is removed when its time is over") {
  Walls walls(three_walls(), domain(false));
  walls.start(Clock(), 0.0, kMargin, 1);
  CHECK(walls.stays_until(1) == 0.25);
  int moves = 0;
  while (walls.next_change() < 3.0) {
    const double now = walls.next_change();
    CHECK(walls.change() == 1);
    CHECK(walls.reaches(1, Aabb2{{4.5, 1.0 + 2.0 * now}, {4.5, 2.0 + 2.0 * now}}));
    CHECK(walls.stays_until(1) == now + 0.25);
    ++moves;
  }
  CHECK(moves == 11);
  CHECK(walls.next_change() == 3.0);
  CHECK(walls.stands(2));
  CHECK_FALSE(walls.is_over(2, std::nextafter(3.0, 0.0)));
  CHECK(walls.is_over(2, 3.0));
  const Index first = walls.change();  // the rising wall is due at that time, too
  const Index second = walls.change();
  CHECK(first + second == 1 + 2);
  CHECK_FALSE(walls.stands(2));
  CHECK(found(walls, {9.4, 1.5}) == 0);
  CHECK(walls.stands(0));
}

TEST_CASE("on a clock that was set back walls go on as they were") {
  Walls walls(three_walls(), domain(false));
  walls.start(Clock(), 0.0, kMargin, 1);
  CHECK(walls[1].outline(0.2)[0] == Vec2(4.0, 1.4));
  Clock clock;
  clock.set_back(0.125);
  walls.rebase(clock, 0.125);
  CHECK((walls[1].outline(0.075)[0] - Vec2(4.0, 1.4)).norm() < 1e-15);
  CHECK(walls.stays_until(1) == 0.125);
  walls.change();
  while (walls.stands(2)) walls.change();
  CHECK(walls.next_change() >= 3.0 - 0.125);
}

TEST_CASE("the nearest wall to a disk is found by all images of those that stand") {
  Walls walls(three_walls(), domain(true));
  walls.start(Clock(), 0.0, kMargin, 1);
  const Space space(domain(true), false, Vec2::Zero());
  const FlyingDisk disk{{{0.25, 1.5}, Vec2::Zero(), 0.0, 0.2}, 1.0, {0, 0}};
  const Walls::Nearest nearest = walls.nearest(disk, space, 0.0);
  CHECK(nearest.wall == 2);  // its right side is at -0.2 m
  CHECK(std::abs(nearest.gap - 0.25) < 1e-15);
  while (walls.stands(2)) walls.change();
  CHECK(walls.nearest(disk, space, 0.0).wall == 0);
  CHECK(std::abs(walls.nearest(disk, space, 0.0).gap - 0.55) < 1e-15);
  CHECK(Walls({}, domain(true)).nearest(disk, space, 0.0).gap == kNever);
}

}  // namespace scree::walls_test
