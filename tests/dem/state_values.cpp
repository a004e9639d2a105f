#include "dem/state_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::state_values_test {

namespace {

/// All quantities of two bodies and their contact, one of whose values may be another one.
struct Planted {
  Quantity quantity = Quantity::run;
  std::uint64_t body = ~std::uint64_t{0};  // none
};

StateValues state(const Planted& planted, StateValues::Keep keep = StateValues::Keep::values, bool backwards = false) {
  StateValues values(keep);
  std::vector<std::uint64_t> bodies = {3, 7, 1000};
  if (backwards) std::ranges::reverse(bodies);
  for (std::size_t q = 0; q < kQuantities; ++q) {
    const auto quantity = static_cast<Quantity>(backwards ? kQuantities - 1 - q : q);
    for (const std::uint64_t body : bodies) {
      const bool is_planted = quantity == planted.quantity && body == planted.body;
      const double y = is_planted ? std::nextafter(0.2, 1.0) : 0.2;
      values.add(quantity, {.body = body}, Vec2(0.1, y), 5);
      values.add(quantity, {.body = body, .partner = 12, .image = {0, -1}}, 0.3, true);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("a difference in one value of one body is found, and named by the hashes as well") {
  const StateValues reference = state({});
  for (std::size_t q = 0; q < kQuantities; ++q) {
    for (const std::uint64_t body : {3, 7, 1000}) {
      const auto quantity = static_cast<Quantity>(q);
      CAPTURE(name(quantity));
      CAPTURE(body);
      const StateValues other = state({quantity, body});
      for (std::size_t k = 0; k < kQuantities; ++k) {
        CHECK((other.hashes()[k] == reference.hashes()[k]) == (k != q));
      }
      CHECK(only_body_that_differs(reference.hashes()[q], other.hashes()[q]) == body);
      CHECK(combined(other.hashes()) != combined(reference.hashes()));
      const auto found = differences(reference, other);
      REQUIRE(found.size() == 1);
      CHECK(found[0].quantity == quantity);
      CHECK(found[0].owner == Owner{.body = body});
      CHECK(found[0].component == 1);
      CHECK(text(found[0].first.value()) == "0.2");
      CHECK(text(found[0].second.value()) == "0.20000000000000004");
    }
  }
}

TEST_CASE("the order in which values come does not matter") {
  const StateValues one = state({});
  const StateValues other = state({}, StateValues::Keep::values, /*backwards=*/true);
  CHECK(one.hashes() == other.hashes());
  CHECK(differences(one, other).empty());
  CHECK(state({}, StateValues::Keep::hashes).hashes() == one.hashes());
}

TEST_CASE("hashes that differ in several bodies name none") {
  int named = 0;
  for (std::uint64_t k = 0; k < 200; ++k) {
    StateValues one;
    StateValues other;
    for (const std::uint64_t body : {k + 1, 3 * k + 5}) {
      one.add(Quantity::position, {.body = body}, 0.1);
      other.add(Quantity::position, {.body = body}, 0.2);
    }
    if (only_body_that_differs(one.hashes()[4], other.hashes()[4])) ++named;
  }
  CHECK(named == 0);
  const StateHash same = state({}).hashes();
  CHECK(!only_body_that_differs(same[4], same[4]));
}

TEST_CASE("a body, a contact and a pair that only one state has are told") {
  StateValues one(StateValues::Keep::values);
  StateValues other(StateValues::Keep::values);
  one.add(Quantity::well, {1, 2, {0, 1}});
  for (StateValues* both : {&one, &other}) {
    both->add(Quantity::well, {1, 3, {0, 0}});
    both->add(Quantity::position, {.body = 1}, 0.5, 0.5);
  }
  other.add(Quantity::position, {.body = 2}, 0.5);
  const auto found = differences(one, other);
  REQUIRE(found.size() == 2);
  CHECK(found[0].owner.body == 2);
  CHECK(!found[0].first);
  CHECK(found[0].second);
  CHECK(found[1].owner.partner == 2);
  CHECK(found[1].first);
  CHECK(!found[1].second);
}

TEST_CASE("zeros of both signs are different values; numbers and components are told in full") {
  StateValues zero;
  StateValues minus_zero;
  zero.add(Quantity::position, {.body = 1}, 0.0);
  minus_zero.add(Quantity::position, {.body = 1}, -0.0);
  CHECK(zero.hashes() != minus_zero.hashes());
  CHECK(text({static_cast<std::uint64_t>(-3), true}) == "-3");
  CHECK(name(Quantity::velocity, 1) == "velocity y");
  CHECK(name(Quantity::body, 11) == "body [11]");
}

TEST_CASE("a state of each mode has values of each of its quantities, and of no others") {
  const auto quantities_in = [](const auto& simulation) {
    StateValues values(StateValues::Keep::values);
    simulation.list_values(values);
    std::array<bool, kQuantities> found = {};
    for (const OwnedValues& each : values.values()) found[static_cast<std::size_t>(each.quantity)] = true;
    return found;
  };
  Scene scene = test::pouring_scene(20);
  soft::Simulation soft(scene, {.threads = 1});
  while (soft.summary().contacts == 0) soft.advance_to(soft.time() + 0.005);
  const auto of_soft = quantities_in(soft);

  scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {false, false}, true};
  scene.particles = {test::placed(Disk{}, 0.1, {{.position = {0.3, 0.5}}, {.position = {0.41, 0.5}}})};
  scene.hard.contact_duration = 1e-6;
  scene.hard.well = {1.5, -1.0};
  const auto of_wells = quantities_in(hard::SceneSimulation(scene));
  scene.hard.well = {};
  scene.domain.reflecting = false;
  scene.particles.push_back(test::pouring_scene(1).particles[0]);
  scene.particles[1].shape = Disk{};
  auto& pour = std::get<Pour>(scene.particles[1].how);
  pour.region = {{0.6, 0.6}, {0.9, 0.9}};
  const auto of_pours = quantities_in(hard::SceneSimulation(scene));

  const auto has = [](Mode mode, std::size_t quantity) {
    return std::ranges::count(quantities_of(mode), static_cast<Quantity>(quantity)) == 1;
  };
  for (std::size_t q = 0; q < kQuantities; ++q) {
    CAPTURE(name(static_cast<Quantity>(q)));
    CHECK(of_soft[q] == has(Mode::soft, q));
    CHECK((of_wells[q] || of_pours[q]) == has(Mode::hard, q));
  }
}

}  // namespace scree::state_values_test
