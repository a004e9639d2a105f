#include "dem/hard/flight/disks.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/hard/rooms.hpp"

namespace scree::disks_test {

using namespace scree::hard;

namespace {

Setup periodic_along_x() {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {9.0, 3.0}, {5.0, 8.0}}, {{-1.0, 0.5}, {3.0, 0.0}, {0.0, 0.0}});
  setup.domain.periodic = {true, false};
  setup.angular_velocity = {2.0, 0.0, -1.0};
  return setup;
}

Space space_of(const Setup& setup) {
  return {setup.domain, setup.open, setup.gravity};
}

}  // namespace

TEST_CASE("a disk that is synchronized is where its flight has come, inside the domain, and counts its periods") {
  const Setup setup = periodic_along_x();
  const Space space = space_of(setup);
  Disks disks(setup, space);
  disks.synchronize(1, 4.0, space);  // 12 m on from x = 9 m
  CHECK(disks.flight(1).position == Vec2(1.0, 3.0));
  CHECK(disks.flight(1).time == 4.0);
  CHECK(disks.wraps(1) == Image{2, 0});
  CHECK(disks[1].box_image_offset == Image{2, 0});
  disks.synchronize(0, 4.0, space);
  CHECK(disks.flight(0).position == Vec2(8.0, 7.0));
  CHECK(disks.wraps(0) == Image{-1, 0});
  CHECK(disks.spin(0).angle == 8.0);
  CHECK(disks.flight(2).time == 0.0);  // the others are not
}

TEST_CASE("gravity bends the flight that is synchronized") {
  Setup setup = test::disks_in_box({{2.0, 5.0}}, {{1.0, 0.0}});
  setup.gravity = {0.0, -2.0};
  const Space space = space_of(setup);
  Disks disks(setup, space);
  disks.synchronize(0, 1.5, space);
  CHECK(disks.flight(0).position == Vec2(3.5, 2.75));
  CHECK(disks.flight(0).velocity == Vec2(1.0, -3.0));
  CHECK(disks.energy(0, 1.5, space) == doctest::Approx(0.5 + 2.0 * 5.0).epsilon(1e-15));  // as at the start
}

TEST_CASE("a place of a departed disk stays until it is taken out; ids are never used again") {
  const Setup setup = periodic_along_x();
  const Space space = space_of(setup);
  Disks disks(setup, space);
  disks.remove(1);
  CHECK(disks.has_left(1));
  CHECK(disks.size() == 3);
  CHECK(disks.present() == 2);
  const Index added = disks.add({{5.0, 5.0}, {0.0, 1.0}, 0.25, 0.5, 0.1, 2.0, 7, 0}, 1.0);
  CHECK(added == 3);
  CHECK(disks.label(3).id == 4);
  disks.compact();
  CHECK(disks.size() == 3);
  CHECK_FALSE(disks.has_places_of_departed());
  const std::vector<std::uint64_t> ids = {disks.label(0).id, disks.label(1).id, disks.label(2).id};
  CHECK(ids == std::vector<std::uint64_t>{1, 3, 4});
  CHECK(disks.flight(1).position == Vec2(5.0, 8.0));
  CHECK(disks.spin(1).angular_velocity == -1.0);
  CHECK(disks.label(2).type == 7);
  CHECK(disks.flight(2).time == 1.0);
  CHECK(disks.entered() == 4);
  CHECK(disks.left() == 1);
  CHECK(disks.smallest_radius() == 0.1);
}

TEST_CASE("energies are those of the disks that are present") {
  const Setup setup = periodic_along_x();
  const Space space = space_of(setup);
  Disks disks(setup, space);
  const double spins = 0.25 * 0.25 * (4.0 + 1.0);  // m r^2 / 4 times the squares of the angular velocities
  CHECK(disks.kinetic_energy(0.0, space) == 0.5 * (1.25 + 9.0) + spins);
  CHECK(disks.translational_energy() == 0.5 * (1.25 + 9.0));
  disks.remove(1);
  CHECK(disks.kinetic_energy(0.0, space) == 0.5 * 1.25 + spins);
}

TEST_CASE("rebased flights begin when the clock shows 0, and go on as they were") {
  Setup setup = periodic_along_x();
  setup.contact_duration = 0.1;
  setup.gravity = {0.0, -0.5};
  const Space space = space_of(setup);
  Disks disks(setup, space);
  CHECK(disks.exchange_last_collision(0, 2.0) == -kNever);
  disks.synchronize(1, 1.0, space);
  const Vec2 position = disks.wrapped_position(0, 3.5, space).position;
  const Vec2 velocity = space.velocity_at(disks.flight(0), 3.5);
  const auto other = disks.wrapped_position(1, 3.5, space);
  disks.rebase(3.0, space);
  for (Index i = 0; i < disks.size(); ++i) CHECK(disks.flight(i).time == 0.0);
  CHECK((disks.wrapped_position(0, 0.5, space).position - position).norm() < 1e-14);
  CHECK((space.velocity_at(disks.flight(0), 0.5) - velocity).norm() < 1e-15);
  CHECK((disks.wrapped_position(1, 0.5, space).position - other.position).norm() < 1e-14);
  CHECK(disks.wrapped_position(1, 0.5, space).image == other.image);
  CHECK(disks.exchange_last_collision(0, 0.0) == -1.0);
}

TEST_CASE("reversed disks fly back to where they came from") {
  const Setup setup = periodic_along_x();
  const Space space = space_of(setup);
  Disks disks(setup, space);
  disks.reverse(2.5, space);
  for (Index i = 0; i < disks.size(); ++i) {
    disks.synchronize(i, 5.0, space);
    CHECK((disks.flight(i).position - setup.position[i]).norm() < 1e-14);
    CHECK(std::abs(disks.spin(i).angle) < 1e-14);
    CHECK(disks.wraps(i) == Image{0, 0});
  }
}

TEST_CASE("a box is placed inside the domain, ahead of the disk, and the disk refers to it") {
  const Setup setup = periodic_along_x();
  const Space space = space_of(setup);
  Disks disks(setup, space);
  const Vec2 centre = disks.place_box(1, 0.25, space, {0.5, 0.1});  // the disk is at x = 9.75 m
  CHECK((centre - Vec2(0.25, 3.1)).norm() < 1e-15);
  CHECK(disks[1].box_image_offset == Image{-1, 0});
  CHECK(disks.flight(1).position == Vec2(9.0, 3.0));  // its flight goes on
}

TEST_CASE("free flights lengthen with every part that is synchronized, from the last collision on") {
  Setup setup = test::disks_in_box({{2.0, 5.0}}, {{3.0, 4.0}});
  setup.domain.periodic = {true, true};
  setup.measure.emplace().free_flights = true;
  const Space space = space_of(setup);
  Disks disks(setup, space);
  CHECK(disks.free_flight(0).since == -kNever);
  disks.begin_free_flight(0, 0.0);
  disks.synchronize(0, 0.5, space);
  disks.synchronize(0, 2.0, space);
  CHECK(std::abs(disks.free_flight(0).path - 10.0) < 1e-14);
  CHECK(disks.free_flight(0).since == 0.0);
}

}  // namespace scree::disks_test
