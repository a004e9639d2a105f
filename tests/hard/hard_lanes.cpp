#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/lanes/kernels.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/hard/gases.hpp"
#include "tests/hard/rooms.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_lanes_test {

using namespace scree::hard;
using test::Dice;
using test::Rooms;

namespace {

/// Small disks at random places of a periodic square, some of which touch; boxes are wide, so that many are partners.
Setup crowd(Dice& dice, const Vec2& gravity) {
  constexpr int kDisks = 30;
  std::vector<Vec2> position;
  std::vector<Vec2> velocity;
  for (int k = 0; k < kDisks; ++k) {
    position.emplace_back(dice.between(0, 10), dice.between(0, 10));
    velocity.emplace_back(dice.between(-1, 1), dice.between(-1, 1));
    if (k % 5 == 0) velocity.back() = Vec2::Zero();
    if (k % 7 == 1) position.back() = position[position.size() - 2] + Vec2(0.2, 0.0);  // touch, or nearly
  }
  Setup setup = test::disks_in_box(position, velocity);
  for (double& radius : setup.radius) radius = 0.1;
  setup.domain.periodic = {true, true};
  setup.gravity = gravity;
  setup.margin = 2.0;
  return setup;
}

/// The definition: every partner, one after the other, by the general code.
Event next_by_definition(const Rooms& rooms, Index i) {
  Event best = Event::advancement(kNever, i);
  for (const Partner partner : rooms.neighbourhood.boxes().partners_of(i)) {
    const Index j = partner.disk();
    const Vec2 shift = image_shift(rooms.disks[i], rooms.disks[j], partner.image(), rooms.space.periodic);
    const double time = rooms.space.in_field(
        [&](const auto& field) { return collision_time(rooms.disks.flight(i), rooms.disks.flight(j), shift, field); });
    const Event event = Event::collision(time, i, j, partner.image());
    if (event < best && event < rooms.events[j].event) best = event;
  }
  return best;
}

}  // namespace

TEST_CASE("lanes of every width find the event that the general code finds, to the last bit") {
  Dice dice(8);
  int collisions = 0;
  int images = 0;
  int ties = 0;
  for (int k = 0; k < 100; ++k) {
    Rooms rooms(crowd(dice, k % 2 == 0 ? Vec2::Zero() : Vec2(0.1, -0.3)));
    for (Index i = 0; i < rooms.disks.size(); ++i) {  // flights begin at different times, boxes are in other periods
      rooms.disks.synchronize(i, dice.between(0, 2), rooms.space);
      rooms.disks.place_box(i, 2.0, rooms.space);
    }
    for (Index i = 0; i < rooms.disks.size(); ++i) {
      const Event next = next_by_definition(rooms, i);
      const auto j = static_cast<Index>(dice.below(static_cast<std::uint32_t>(rooms.disks.size())));
      if (next.kind() == EventKind::collision && dice.below(4) == 0) {  // it has this one already, or an earlier one
        rooms.give(next.partner(i), dice.below(2) == 0 ? next : Event::wall(0.5 * next.time, next.partner(i), 0));
        ++ties;
      } else if (j != i) {
        rooms.give(j, Event::advancement(dice.between(0, 9), j));
      }
      const Event expected = next_by_definition(rooms, i);
      collisions += expected.kind() == EventKind::collision ? 1 : 0;
      if (expected.kind() == EventKind::collision) images += expected.image(i).is_none() ? 0 : 1;
      for (const int width : {1, 2, 4}) {
        if (!lanes::use_lanes(width)) continue;
        CAPTURE(width);
        CHECK(rooms.predictor().next_event(i) == expected);
      }
    }
  }
  CHECK(collisions > 500);
  CHECK(images > 100);
  CHECK(ties > 100);
}

TEST_CASE("whole runs have the same bits with lanes of every width") {
  for (const double packing : {0.3, 0.7}) {
    std::vector<StateHash> hashes;
    for (const int width : {1, 2, 4}) {
      if (!lanes::use_lanes(width)) continue;
      Simulation simulation(test::gas({.columns = 12, .rows = 12, .packing_fraction = packing, .smallest = 0.7}));
      simulation.advance_to(5.0);
      simulation.audit();
      CHECK(simulation.counters().collisions > 500);
      hashes.push_back(test::state_hash(simulation));
    }
    CHECK(std::ranges::count(hashes, hashes.front()) == static_cast<std::ptrdiff_t>(hashes.size()));
  }
}

}  // namespace scree::hard_lanes_test
