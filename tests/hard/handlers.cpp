#include "dem/hard/disk/handlers.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/hard/rooms.hpp"
#include "tests/scenes.hpp"

namespace scree::handlers_test {

using namespace scree::hard;
using test::Rooms;

namespace {

double kinetic_energy(const Rooms& rooms, double now) {
  return rooms.disks.kinetic_energy(now, rooms.space);
}

Vec2 momentum(const Rooms& rooms) {
  Vec2 sum = Vec2::Zero();
  for (Index i = 0; i < rooms.disks.size(); ++i) sum += rooms.disks.mass(i) * rooms.disks.flight(i).velocity;
  return sum;
}

/// Two disks of different masses that collide off the centre at 2 s.
Setup oblique() {
  Setup setup = test::disks_in_box({{2.0, 5.0}, {7.0 + 0.8, 5.6}}, {{1.0, 0.0}, {-1.5, 0.0}});
  setup.mass = {1.0, 3.0};
  return setup;
}

}  // namespace

TEST_CASE("a collision keeps momentum, and what it took of the energy is told") {
  Setup setup = oblique();
  setup.rules.disks = {0.6, 0.3, 0.2};
  Rooms rooms(setup);
  const Vec2 before = momentum(rooms);
  const double energy = kinetic_energy(rooms, 0.0);
  const Vec2 of_b = setup.mass[1] * setup.velocity[1];
  const Outcome outcome = rooms.handlers().collide_disks(Event::collision(2.0, 1, 0, {}), 2.0);
  CHECK(outcome.kind == Outcome::Kind::collision);
  CHECK((outcome.branch - Vec2(0.8, 0.6)).norm() < 1e-15);  // from the lower disk to the higher one
  CHECK((momentum(rooms) - before).norm() < 1e-15);
  CHECK((3.0 * rooms.disks.flight(1).velocity - of_b - outcome.impulse).norm() < 1e-15);
  CHECK(outcome.lost_normal > 0.1);
  CHECK(outcome.lost_tangential > 0.1);
  CHECK(std::abs(energy - kinetic_energy(rooms, 2.0) - outcome.lost_normal - outcome.lost_tangential) < 1e-14);
  for (const Index i : {0u, 1u}) CHECK(rooms.disks.flight(i).time == 2.0);
  CHECK(rooms.disks.spin(0).angular_velocity != 0.0);
}

TEST_CASE("a collision across a periodic side has its branch across that side") {
  Setup setup = test::disks_in_box({{0.25, 5.0}, {9.25, 5.0}}, {{-1.0, 0.0}, {1.0, 0.0}});
  setup.domain.periodic = {true, false};
  Rooms rooms(setup);
  const Outcome outcome = rooms.handlers().collide_disks(Event::collision(0.0, 0, 1, NearImage::of(-1, 0)), 0.0);
  CHECK(outcome.branch == Vec2(-1.0, 0.0));
  CHECK(rooms.disks.flight(0).velocity == Vec2(1.0, 0.0));
  CHECK(outcome.impulse == Vec2(-2.0, 0.0));
}

TEST_CASE("within the contact duration a second collision keeps the energy of the normal motion") {
  for (const double contact_duration : {0.0, 0.09, 0.11}) {
    CAPTURE(contact_duration);
    Setup setup = test::disks_in_box({{2.0, 5.0}, {5.0, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}});
    setup.rules.disks.restitution = 0.5;
    setup.contact_duration = contact_duration;
    Rooms rooms(setup);
    const Event event = Event::collision(1.0, 0, 1, {});
    CHECK(rooms.handlers().collide_disks(event, 1.0).lost_normal == 0.75);  // the first one dissipates
    rooms.disks.reverse(1.0, rooms.space);
    const Outcome second = rooms.handlers().collide_disks(event, 1.1);
    CHECK((second.lost_normal == 0.0) == (contact_duration > 0.1));
  }
}

TEST_CASE("growing rims give energy, which is told apart from what restitution takes") {
  Setup setup = test::disks_in_box({{3.0, 5.0}, {5.2, 5.0}}, {{0.5, 0.0}, {-0.5, 0.0}});
  setup.growth.rate = 0.1;
  setup.rules.disks.restitution = 0.7;
  Rooms rooms(setup);
  const double energy = kinetic_energy(rooms, 0.0);
  const double contact = 1.2 / 1.1;  // s: a gap of 1.2 closes at 1 m/s and 0.1 m/s
  const Outcome outcome = rooms.handlers().collide_disks(Event::collision(contact, 0, 1, {}), contact);
  CHECK(outcome.given_by_growth > 0.05);
  CHECK(std::abs(kinetic_energy(rooms, contact) - energy - outcome.given_by_growth + outcome.lost_normal) < 1e-14);
  const Vec2 relative = rooms.disks.flight(1).velocity - rooms.disks.flight(0).velocity;
  CHECK(std::abs(relative.x() - (0.7 * 1.1 + 0.1)) < 1e-14);
}

TEST_CASE("a side reverses a disk, and its impulse is what the disk lost") {
  Setup setup = test::disks_in_box({{5.0, 5.0}}, {{2.0, 1.0}});
  setup.mass = {3.0};
  setup.rules.walls.restitution = 0.5;
  Rooms rooms(setup);
  const Outcome outcome = rooms.handlers().hit_side(0, 1, 2.25);
  CHECK(outcome.kind == Outcome::Kind::wall_hit);
  CHECK(rooms.disks.flight(0).position == Vec2(9.5, 7.25));
  CHECK(rooms.disks.flight(0).velocity == Vec2(-1.0, 1.0));
  CHECK(outcome.branch == Vec2(0.5, 0.0));
  CHECK(outcome.impulse == Vec2(9.0, 0.0));  // on the wall
  CHECK(outcome.lost_normal == 4.5);
  CHECK(outcome.wall_work == 0.0);
}

TEST_CASE("a wall that moves works on the disk that it hits") {
  Setup setup = test::disks_in_box({{5.0, 5.0}}, {{0.0, -1.0}});
  setup.walls = {test::box_wall({3.0, 0.5}, {7.0, 1.0})};
  setup.walls[0].velocity = {0.0, 0.75};
  Rooms rooms(setup);
  const double contact = 2.0;  // s: a gap of 3.5 m closes at 1.75 m/s
  const Outcome outcome = rooms.handlers().hit_wall(0, Event::wall(contact, 0, kSides), contact);
  CHECK(std::abs(rooms.disks.flight(0).velocity.y() - 2.5) < 1e-15);
  CHECK(std::abs(outcome.wall_work - (0.5 * 2.5 * 2.5 - 0.5)) < 1e-14);
  CHECK((outcome.branch - Vec2(0.0, -0.5)).norm() < 1e-15);
  CHECK(outcome.lost_normal == 0.0);
}

TEST_CASE("a disk that gravity presses on a side is lifted, with a contact duration") {
  for (const double contact_duration : {0.0, 0.01}) {
    CAPTURE(contact_duration);
    Setup setup = test::disks_in_box({{5.0, 0.5}}, {{0.0, 0.0}});
    setup.gravity = {0.0, -8.0};
    setup.rules.walls.restitution = 0.0;
    setup.contact_duration = contact_duration;
    Rooms rooms(setup);
    const Outcome outcome = rooms.handlers().hit_side(0, 2, 0.0);
    const double speed = 0.5 * 8.0 * contact_duration;  // back after the contact duration
    CHECK(rooms.disks.flight(0).velocity.y() == speed);
    CHECK(outcome.given_by_lift == 0.5 * speed * speed);
  }
}

TEST_CASE("at the edge of a well the velocity changes by the well's energy, or the pair bounces") {
  for (const double energy : {-0.5, 0.2, 2.0}) {
    CAPTURE(energy);
    Setup setup = test::disks_in_box({{2.0, 5.0}, {8.0, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}});
    setup.well = {2.0, energy};
    Rooms rooms(setup);
    const Outcome outcome = rooms.handlers().cross_well_edge(Event::crossing(2.0, 0, 1, {}), 2.0);
    CHECK(outcome.kind == Outcome::Kind::crossing);
    CHECK(outcome.branch == Vec2(2.0, 0.0));
    const bool passes = energy < 1.0;  // what the pair has
    CHECK(rooms.wells.pairs.size() == (passes ? 1 : 0));
    CHECK(std::abs(kinetic_energy(rooms, 2.0) - (passes ? 1.0 - energy : 1.0)) < 1e-14);
    CHECK((rooms.disks.flight(0).velocity.x() > 0.0) == passes);
    CHECK((outcome.impulse + rooms.disks.flight(0).velocity - Vec2(1.0, 0.0)).norm() < 1e-15);
  }
}

TEST_CASE("an outcome is entered into the accounts of the energy balance, each part into its own") {
  const Outcome outcome{.kind = Outcome::Kind::wall_hit,
                        .branch = Vec2::Zero(),
                        .impulse = Vec2::Zero(),
                        .lost_normal = 1.0,
                        .lost_tangential = 2.0,
                        .given_by_growth = 4.0,
                        .given_by_lift = 8.0,
                        .wall_work = 16.0};
  EnergyBalance accounts;
  for (int k = 0; k < 2; ++k) outcome.add_to(accounts);
  CHECK(accounts.damping == 2.0);
  CHECK(accounts.friction == 4.0);
  CHECK(accounts.growth == 8.0);
  CHECK(accounts.lifting == 16.0);
  CHECK(accounts.wall_work == 32.0);
}

}  // namespace scree::handlers_test
