#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "dem/hard/observe.hpp"
#include "tests/hard/rooms.hpp"
#include "tests/scenes.hpp"

namespace scree::hard_observe_test {

using namespace scree::hard;
using test::Rooms;

namespace {

Setup three_disks() {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {9.0, 3.0}, {5.0, 8.0}}, {{-1.0, 0.5}, {3.0, 0.0}, {0.0, 0.0}});
  setup.domain.periodic = {true, false};
  setup.mass = {1.0, 2.0, 4.0};
  setup.angular_velocity = {2.0, 0.0, 0.0};
  setup.gravity = {0.0, -10.0};
  return setup;
}

}  // namespace

TEST_CASE("a state shows where disks are, inside the domain, and looking changes nothing") {
  const Rooms rooms(three_disks());
  const State now = state(rooms.view(0.5), 17);
  CHECK(now.time == 0.5);
  CHECK(now.step == 17);
  REQUIRE(now.particles.size() == 3);
  CHECK((now.particles.position[1] - Vec2(0.5, 1.75)).norm() < 1e-15);
  CHECK(now.particles.image[1] == Image{1, 0});
  CHECK(now.particles.velocity[0] == Vec2(-1.0, -4.5));
  CHECK(now.particles.angle[0] == 1.0);
  CHECK(now.particles.inertia[2] == 0.5);
  CHECK(rooms.disks.flight(1).time == 0.0);
  CHECK(images(rooms.view(0.5))[1] == Image{1, 0});
}

TEST_CASE("departed disks are not shown, nor counted") {
  Rooms rooms(three_disks());
  rooms.disks.remove(1);
  const State now = state(rooms.view(), 0);
  CHECK(now.particles.id == std::vector<std::uint64_t>{1, 3});
  const Summary sum = summary(rooms.view());
  CHECK(sum.particles == 2);
  CHECK(sum.particles_in == 3);
  CHECK(sum.particles_out == 1);
  CHECK(std::abs(sum.packing_fraction - 2.0 * 0.25 * std::numbers::pi / 100.0) < 1e-16);
  CHECK(energies(rooms.view()).kinetic == 0.5 * 1.25 + 0.25);
}

TEST_CASE("energies are those at the time of the view, and their sum stays as the disks fall") {
  const Rooms rooms(three_disks());
  const Energies start = energies(rooms.view());
  CHECK(start.potential == 10.0 * (5.0 + 2.0 * 3.0 + 4.0 * 8.0));
  CHECK(start.sum_of_magnitudes == start.potential);
  const Energies later = energies(rooms.view(0.5));
  CHECK(later.kinetic > start.kinetic + 10.0);
  CHECK(std::abs(later.kinetic + later.potential - start.kinetic - start.potential) < 1e-12);
}

TEST_CASE("wells count in the potential energy, pair by pair") {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {8.0, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}});
  setup.well = {2.0, -0.75};
  Rooms rooms(setup);
  CHECK(energies(rooms.view()).potential == 0.0);
  rooms.wells.pairs.insert({0, 1, {0, 0}});
  CHECK(energies(rooms.view()).potential == -0.75);
}

TEST_CASE("walls are shown where they are, until they are removed") {
  Setup setup = test::disks_in_box({{5.0, 5.0}}, {{0.0, 0.0}});
  setup.walls = {test::box_wall({1.0, 1.0}, {2.0, 2.0}), test::box_wall({7.0, 1.0}, {8.0, 2.0})};
  setup.walls[0].velocity = {0.0, 0.5};
  setup.walls[1].until = 1.5;
  const Rooms rooms(setup);
  const WallState before = state(rooms.view(1.0), 0).walls;
  REQUIRE(before.size() == 2);
  CHECK(before.velocity[0] == Vec2(0.0, 0.5));
  CHECK(before.outlines.vertices[0] == Vec2(1.0, 1.5));
  CHECK(before.outlines.first == std::vector<std::uint32_t>{0, 4, 8});
  CHECK(state(rooms.view(1.5), 0).walls.id == std::vector<std::uint64_t>{1});
}

TEST_CASE("contacts are those with a gap below a part of the distance, from either disk, and with sides") {
  const double gap = 1e-4;
  const Setup setup = test::disks_in_box({{0.5 + 0.4e-4, 5.0}, {1.5 + 1.3e-4, 5.0}, {2.5 + 2.5e-4, 5.0}},
                                         {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}});
  const Rooms rooms(setup);
  const std::vector<PackingContact> found = contacts(rooms.view(), gap);
  std::vector<std::pair<Index, Index>> pairs;
  for (const PackingContact& contact : found) pairs.emplace_back(contact.disk, contact.other);
  CHECK(pairs == std::vector<std::pair<Index, Index>>{{0, 1}, {0, 0}, {1, 0}});  // gaps 0.9, 0.4 and 1.2 x 1e-4
}

}  // namespace scree::hard_observe_test
