#include "dem/hard/events/recorder.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/hard/rooms.hpp"
#include "tests/scenes.hpp"

namespace scree::recorder_test {

using namespace scree::hard;
using test::Rooms;

namespace {

Setup measured() {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {5.0, 5.0}}, {{1.0, 0.0}, {0.0, 0.0}});
  Measure& measure = setup.measure.emplace();
  measure.region = {setup.domain.lo, setup.domain.hi};
  measure.free_flights = true;
  return setup;
}

}  // namespace

TEST_CASE("a collision counts in the layer of its branch, with its virial") {
  const Setup setup = measured();
  Rooms rooms(setup);
  Recorder recorder(setup);
  const Event event = Event::collision(2.0, 0, 1, {});
  const Outcome outcome = rooms.handlers().collide_disks(event, 2.0);
  recorder.record(0, event, outcome, 2.0, rooms.walls, rooms.space, rooms.disks);
  REQUIRE(recorder.transfers().layers().size() == 1);
  CHECK(recorder.transfers().layers()[0].collisions == 1);
  CHECK(std::abs(recorder.transfers().layers()[0].virial.trace() - 1.0) < 1e-15);  // 1 m times 1 N s
}

TEST_CASE("a free flight counts from one collision to the next, not before the first one") {
  const Setup setup = measured();
  Rooms rooms(setup);
  Recorder recorder(setup);
  const auto collide_at = [&](double now) {
    const Event event = Event::collision(now, 0, 1, {});
    recorder.record(0, event, rooms.handlers().collide_disks(event, now), now, rooms.walls, rooms.space, rooms.disks);
  };
  const auto flights = [&] {
    const auto& counts = recorder.transfers().free_time().counts();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  collide_at(2.0);
  CHECK(flights() == 0);
  CHECK(rooms.disks.free_flight(0).since == 2.0);
  rooms.disks.synchronize(1, 2.75, rooms.space);
  CHECK(rooms.disks.free_flight(1).path == 0.75);
  collide_at(3.0);
  CHECK(flights() == 2);  // of either disk
  CHECK(rooms.disks.free_flight(1).path == 0.0);
}

TEST_CASE("what a wall and a side receive is told apart") {
  Setup setup = test::disks_in_box({{5.0, 5.0}}, {{0.0, -1.0}});
  setup.measure.emplace();
  setup.walls = {test::box_wall({4.0, 0.5}, {8.0, 1.0})};
  Rooms rooms(setup);
  Recorder recorder(setup);
  const Event on_wall = Event::wall(3.5, 0, kSides);
  recorder.record(0, on_wall, rooms.handlers().hit_wall(0, on_wall, 3.5), 3.5, rooms.walls, rooms.space, rooms.disks);
  const Event on_side = Event::wall(7.5, 0, 3);
  recorder.record(0, on_side, rooms.handlers().hit_side(0, 3, 7.5), 7.5, rooms.walls, rooms.space, rooms.disks);
  const std::vector<WallTransfer>& walls = recorder.transfers().walls();
  REQUIRE(walls.size() == 5);
  CHECK(walls[0].impulse == Vec2(0.0, -2.0));
  CHECK(walls[0].angular_impulse == 2.0);  // 1 m to the left of the wall's centroid
  CHECK(walls[4].impulse == Vec2(0.0, 2.0));
  for (const std::size_t k : {1, 2, 3}) CHECK(walls[k].impulse == Vec2(0.0, 0.0));
}

TEST_CASE("nothing is recorded for a setup that measures nothing") {
  Setup setup = measured();
  setup.measure = {};
  Rooms rooms(setup);
  Recorder recorder(setup);
  const Event event = Event::collision(2.0, 0, 1, {});
  recorder.record(0, event, rooms.handlers().collide_disks(event, 2.0), 2.0, rooms.walls, rooms.space, rooms.disks);
  CHECK(recorder.transfers().layers().empty());
}

}  // namespace scree::recorder_test
