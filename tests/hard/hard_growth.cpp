#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/flight/growth.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/hard/gases.hpp"

namespace scree::hard_growth_test {

using namespace scree::hard;
using test::Dice;

namespace {

Setup growing_disks(std::vector<Vec2> position, std::vector<Vec2> velocity, double rate) {
  Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}};
  setup.radius.assign(position.size(), 0.5);
  setup.mass.assign(position.size(), 1.0);
  setup.position = std::move(position);
  setup.velocity = std::move(velocity);
  setup.growth.rate = rate;
  return setup;
}

/// Gap of the rims after a wait from the moment when both flights have begun [m].
long double gap(const Growing& a, const Growing& b, const Growth& growth, long double wait) {
  const Approach pair = approach(a.flight, b.flight, Vec2::Zero());
  const long double x = pair.distance.x() + static_cast<long double>(pair.velocity.x()) * wait;
  const long double y = pair.distance.y() + static_cast<long double>(pair.velocity.y()) * wait;
  const long double scale = growth.scale + static_cast<long double>(growth.rate) * (pair.begin + wait);
  const long double sum = static_cast<long double>(a.flight.radius) + b.flight.radius;
  return std::sqrt(x * x + y * y) - (sum * scale + a.fixed + b.fixed);
}

}  // namespace

TEST_CASE("growing disks collide at the first time at which their rims touch") {
  Dice dice(1);
  int met = 0;
  int outgrown = 0;  // though the centres part
  for (int k = 0; k < 6000; ++k) {
    const auto disk = [&] {
      const Flight flight{{dice.between(0, 4), dice.between(0, 4)},
                          {dice.between(-1, 1), dice.between(-1, 1)},
                          dice.between(0, 1),
                          dice.between(0.1, 0.5)};
      const double share = k % 3 == 0 ? dice.between(0, 1) : 1.0;
      return growing(flight, {0.2 * (1.0 - share), share});
    };
    const Growing a = disk();
    const Growing b = disk();
    const Growth growth{{}, dice.between(0.2, 1), std::pow(10.0, dice.between(-3, 0.7))};
    if (gap(a, b, growth, 0.0L) <= 0.0L) continue;
    const GrowingPairQuadratic disks = growing_pair_quadratic(a, b, Vec2::Zero(), growth);
    const double time = disks.time([&] { return close_discriminant(a, b, Vec2::Zero(), growth); });
    const long double wait = time - disks.begin;
    constexpr long double kEnd = 6.0L;  // s
    long double first = kEnd;           // when the gap closes, on a grid
    for (long double t = 0.0L; t < kEnd && first == kEnd; t += 0.01L) {
      if (gap(a, b, growth, t) < -1e-9L) first = t;
    }
    if (first < kEnd) {
      ++met;
      REQUIRE(time < kNever);
      CHECK(wait <= first);
      CHECK(std::abs(gap(a, b, growth, wait)) < 1e-13L * (1.0L + wait));
      CHECK(disks.can_collide_before(time));
      CHECK(disks.can_collide_before(std::nextafter(time, kNever)));
      if (approach(a.flight, b.flight, Vec2::Zero()).distance.dot(b.flight.velocity - a.flight.velocity) > 0.0)
        ++outgrown;
    } else {
      CHECK(time > disks.begin + 5.9);
    }
    const auto exchanged = growing_pair_quadratic(b, a, Vec2::Zero(), growth);
    CHECK(exchanged.time([&] { return close_discriminant(b, a, Vec2::Zero(), growth); }) == time);
  }
  CHECK(met > 800);
  CHECK(outgrown > 200);
}

TEST_CASE("the rebound is relative to the growing rims, and keeps momentum") {
  for (const double e : {1.0, 0.6}) {
    Setup setup = growing_disks({{3.0, 5.0}, {6.0, 5.0}}, {{0.75, 0.2}, {-0.25, 0.2}}, 0.1);
    setup.mass[1] = 3.0;
    setup.rules.disks.restitution = e;
    Simulation simulation(setup);
    const double meeting = 2.0 / 1.1;  // s: a gap of 2 closes at 1 m/s and 0.1 m/s
    simulation.advance_to(meeting - 1e-9);
    CHECK(simulation.counters().collisions == 0);
    simulation.advance_to(meeting + 1e-9);
    CHECK(simulation.counters().collisions == 1);
    const ParticleState now = simulation.state().particles;
    CHECK(std::abs(now.velocity[1].x() - now.velocity[0].x() - (e * 1.1 + 0.1)) < 1e-12);
    CHECK(std::abs(now.velocity[0].x() + 3.0 * now.velocity[1].x()) < 1e-15);  // as before
    CHECK(now.velocity[0].y() == 0.2);
    CHECK(std::abs(now.radius[0] - 0.5 * (1.0 + 0.1 * simulation.time())) < 1e-15);
    simulation.audit();
  }
}

TEST_CASE("a disk that grows between walls hits both and rebounds relative to its growing rim") {
  Setup setup = growing_disks({{4.0, 5.0}}, {{-1.0, 0.0}}, 0.2);
  Simulation simulation(setup);
  simulation.advance_to(3.5 / 1.1 - 1e-9);
  CHECK(simulation.counters().wall_hits == 0);
  simulation.advance_to(3.5 / 1.1 + 1e-9);
  CHECK(simulation.counters().wall_hits == 1);
  CHECK(std::abs(simulation.state().particles.velocity[0].x() - 1.2) < 1e-12);
  simulation.advance_to(20.0);
  simulation.audit();
  // At rest along y it reaches both sides at once, when the radius is 5.
  CHECK_THROWS_AS(simulation.advance_to(46.0), PhysicsError);
  CHECK(simulation.time() < 45.0 + 1e-9);
}

TEST_CASE("growth ends at the packing fraction that was asked for, with the energy of the start") {
  for (const bool periodic : {true, false}) {
    Setup setup =
        test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.1, .smallest = 0.5, .periodic = periodic});
    setup.growth = {.rate = 0.1, .packing_fraction = 0.7};
    Simulation simulation(setup);
    const double energy = simulation.summary().kinetic_energy;
    while (simulation.grows()) {
      simulation.advance_to(simulation.time() + 0.5);
      simulation.audit();
      REQUIRE(simulation.time() < 100.0);
    }
    CHECK(std::abs(simulation.packing_fraction() - 0.7) < 1e-12);
    CHECK(std::abs(simulation.summary().kinetic_energy / energy - 1.0) < 1e-12);
    const std::uint64_t collisions = simulation.counters().collisions;
    simulation.advance_to(simulation.time() + 20.0);
    CHECK(simulation.counters().collisions > collisions + 1000);
    CHECK(std::abs(simulation.summary().kinetic_energy / energy - 1.0) < 1e-12);
    CHECK(std::abs(simulation.packing_fraction() - 0.7) < 1e-12);
    simulation.audit();
  }
}

TEST_CASE("points grow to the density at which they jam, a million times their size") {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.3});
  setup.growth = {.rate = 2e-3, .from = 1e-6};  // slow, so that all jam, not some of them
  Simulation simulation(setup);
  while (simulation.grows()) {
    simulation.advance_to(simulation.time() + 5.0);
    simulation.audit();
    REQUIRE(simulation.time() < 2000.0);
  }
  CHECK(simulation.packing_fraction() > 0.8);
  CHECK(simulation.packing_fraction() < 0.9069);
  CHECK(simulation.has_jammed());
  CHECK(simulation.summary().packing_fraction == simulation.packing_fraction());
  CHECK(simulation.summary().reduced_pressure > 1e6);
  CHECK(simulation.summary().contacts > 150);
  CHECK(simulation.summary().coordination > 3.0);
  CHECK(simulation.state().particles.coordination == simulation.backbone().contacts);
  CHECK(simulation.summary().kinetic_energy == 0.0);
  simulation.advance_to(1e9);
  CHECK(simulation.time() == 1e9);
}

TEST_CASE("disks that cannot grow as asked are refused, or the run ends") {
  const Setup good = growing_disks({{3.0, 5.0}, {6.0, 5.0}}, {{0.5, 0.0}, {-0.5, 0.0}}, 0.1);
  const auto refused = [&](const char* text, auto change) {
    Setup bad = good;
    change(bad);
    CHECK_THROWS_WITH_AS(Simulation{bad}, doctest::Contains(text), InvalidScene);
  };
  refused("growth.rate", [](Setup& s) { s.growth.rate = -1.0; });
  refused("growth.from", [](Setup& s) { s.growth.from = 1.5; });
  refused("growth.packing_fraction", [](Setup& s) { s.growth.packing_fraction = 1.1; });
  refused("growth.packing_fraction: is reached", [](Setup& s) { s.growth.packing_fraction = 0.01; });
  refused("growth.pressure", [](Setup& s) { s.growth.pressure = std::numeric_limits<double>::quiet_NaN(); });
  refused("growth.rescaling", [](Setup& s) { s.growth.rescaling = 0.0; });
  refused("no gravity", [](Setup& s) { s.gravity = {0.0, -9.81}; });
  refused("smooth", [](Setup& s) { s.rules.walls.friction = 0.1; });
  refused("must move", [](Setup& s) { s.velocity.assign(2, Vec2::Zero()); });
  CHECK_NOTHROW(Simulation(growing_disks({}, {}, 0.1)).advance_to(1.0));

  Setup alone = growing_disks({{3.0, 5.0}}, {{0.5, 0.0}}, 0.1);
  alone.domain.periodic = {true, true};
  Simulation wide(alone);
  CHECK_THROWS_WITH_AS(wide.advance_to(1e3), doctest::Contains("as wide as the periodic domain"), PhysicsError);
  CHECK(wide.state().particles.radius[0] < 5.0);
  CHECK(wide.state().particles.radius[0] > 4.9);
}

TEST_CASE("a rattler is a disk with fewer than three contacts, not counting rattlers") {
  // A square with diagonals is rigid here; 4 hangs on 5, 5 on three of which 4 is one.
  std::vector<PackingContact> contacts;
  const auto touch = [&](Index a, Index b) {
    contacts.push_back({a, b});
    contacts.push_back({b, a});
  };
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < a; ++b) touch(a, b);
  }
  touch(4, 5);
  touch(5, 0);
  touch(5, 1);
  const Backbone backbone = find_backbone(7, contacts);
  CHECK(backbone.contacts == std::vector<int>{3, 3, 3, 3, 0, 0, 0});
  CHECK(backbone.total == 6);
  CHECK(backbone.rattlers == 3);
  CHECK(backbone.coordination == 3.0);
  CHECK(find_backbone(0, {}).coordination == 0.0);
  CHECK(find_backbone(2, {}).rattlers == 2);
}

TEST_CASE("the fewest contacts that can jam disks are one more than they have degrees of freedom") {
  CHECK(least_contacts(20, {false, false}) == 21);
  CHECK(least_contacts(20, {true, false}) == 20);
  CHECK(least_contacts(20, {true, true}) == 19);
  CHECK(least_contacts(0, {true, true}) == 0);
}

TEST_CASE("gaps of contacts shrink as the pressure grows, and are never larger than boxes allow") {
  CHECK(std::abs(greatest_gap(1e6) - 2e-4) < 1e-18);
  CHECK(std::abs(greatest_gap(1e9) - 2e-6) < 1e-20);
  CHECK(greatest_gap(10.0) == 1e-3);
}

TEST_CASE("what became of growing disks is told while they grow and when they end, and of no others") {
  Setup setup = growing_disks({{3.0, 5.0}, {6.0, 5.0}}, {{0.5, 0.0}, {-0.5, 0.0}}, 0.0);
  CHECK_FALSE(Simulation(setup).packing());
  setup.growth = {.rate = 0.1, .packing_fraction = 0.03};
  Simulation simulation(setup);
  CHECK(simulation.packing()->grows);
  simulation.advance_to(100.0);
  CHECK_FALSE(simulation.packing()->grows);
  CHECK_FALSE(simulation.packing()->jammed);
  CHECK(simulation.packing()->disks == 2);
  CHECK(std::abs(simulation.packing()->packing_fraction - 0.03) < 1e-12);
}

}  // namespace scree::hard_growth_test
