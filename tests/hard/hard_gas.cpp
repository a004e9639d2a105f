#include <cmath>
#include <cstdint>
#include <numbers>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"
#include "tests/scenes.hpp"

namespace scree::hard_gas_test {

// Gases of hard disks: diameter sigma = 1 m, mass m = 1 kg; temperature kT = E / (N - 1) in periodic boxes, whose
// momentum is zero; packing fraction eta = N pi sigma^2 / (4 A).

using namespace scree::hard;
using test::GasRecipe;

namespace {

/// What a simulation is now, as a beginning. `speed` multiplies the velocities.
Setup continued(Setup setup, const Simulation& simulation, double speed = 1.0) {
  const ParticleState now = simulation.state().particles;
  setup.position = now.position;
  setup.velocity = now.velocity;
  for (Vec2& velocity : setup.velocity) velocity *= speed;
  return setup;
}

double energy(const Simulation& simulation) {
  return simulation.summary().kinetic_energy;
}

/// Collisions a disk and second at temperature kT: Gamma = 4 (Z - 1) / (sigma sqrt(pi)) sqrt(kT / m), with what a
/// finite number of disks adds.
double collision_rate(double z, double temperature, double disks) {
  return 4.0 * (z - 1.0) / std::sqrt(std::numbers::pi) * std::sqrt(temperature) * (1.0 + 1.0 / (8.0 * (disks - 1.0)));
}

}  // namespace

TEST_CASE("the energy of an elastic gas is constant over a million collisions, and so is its precision") {
  const Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.7});
  Simulation simulation(setup);
  const double before = energy(simulation);
  double time = 0.0;
  while (simulation.counters().collisions < 1000000) {
    simulation.advance_to(time += 50.0);
    simulation.audit();
    REQUIRE(std::abs(energy(simulation) / before - 1.0) < 1e-12);
  }
}

TEST_CASE("with all velocities reversed a gas returns to its initial state, as long as chaos permits") {
  struct Case {
    int columns;
    double packing_fraction;
    double collisions;  // of a disk, each way
  };
  for (const Case& c : {Case{4, 0.1, 5.0}, Case{10, 0.1, 5.0}, Case{10, 0.4, 12.0}, Case{40, 0.4, 12.0},
                        Case{10, 0.7, 30.0}, Case{40, 0.7, 30.0}}) {
    if (test::kSanitized && c.columns > 10) continue;
    CAPTURE(c.columns);
    CAPTURE(c.packing_fraction);
    const Setup setup = test::gas({.columns = c.columns, .rows = c.columns, .packing_fraction = c.packing_fraction});
    const double disks = c.columns * c.columns;
    double error = 0.0;  // of positions and velocities, when it is back [m, m/s]
    double collisions = 0.0;
    for (double time = 1.0 / 16.0; error < 1e-3; time *= 1.125) {
      Simulation there(setup);
      there.advance_to(time);
      Simulation back(continued(setup, there, -1.0));
      back.advance_to(time);
      const ParticleState now = back.state().particles;
      for (std::size_t i = 0; i < setup.position.size(); ++i) {
        error = std::max(error, shorter_way(now.position[i] - setup.position[i], setup.domain).norm());
        error = std::max(error, (now.velocity[i] + setup.velocity[i]).norm());
      }
      if (error >= 1e-3) break;
      CHECK(back.counters().collisions == there.counters().collisions);
      collisions = 2.0 * static_cast<double>(there.counters().collisions) / disks;
    }
    CHECK(collisions > c.collisions);
    CHECK(collisions < 100.0);
    MESSAGE("comes back from " << collisions << " collisions a disk");
  }
}

TEST_CASE("the collision rate agrees with the pressure") {
  struct Case {
    double packing_fraction;
    double z;  // virial series with b1 ... b10 (Clisby & McCoy 2006), Pade
  };
  // Single runs of 4e5 collisions scatter by 0.2 %: slow waves. Means of four, by 0.1 %.
  for (const Case& c :
       {Case{0.1, 1.236144}, Case{0.2, 1.570366}, Case{0.3, 2.06326}, Case{0.4, 2.82932}, Case{0.5, 4.1063}}) {
    CAPTURE(c.packing_fraction);
    constexpr int kDisks = 1600;
    constexpr std::uint64_t kRuns = test::kSanitized ? 1 : 4;
    double mean = 0.0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      Simulation gas(test::gas({.columns = 40, .rows = 40, .packing_fraction = c.packing_fraction, .seed = seed}));
      const double rate = collision_rate(c.z, energy(gas) / (kDisks - 1), kDisks);
      const double start = 10.0 / rate;  // the lattice melts in ten collisions a disk
      gas.advance_to(start);
      const std::uint64_t before = gas.counters().collisions;
      const double watched = (test::kSanitized ? 100.0 : 500.0) / rate;
      gas.advance_to(start + watched);
      const auto collisions = static_cast<double>(gas.counters().collisions - before);
      mean += 2.0 * collisions / (kDisks * watched * rate) / static_cast<double>(kRuns);
    }
    CHECK(std::abs(mean - 1.0) < (test::kSanitized ? 0.015 : 0.003));
  }
}

TEST_CASE("an inelastic gas cools by Haff's law") {
  constexpr int kDisks = 2500;
  for (const double e : {0.95, 0.9}) {
    CAPTURE(e);
    Setup setup = test::gas({.columns = 50, .rows = 50, .packing_fraction = 0.1});
    Simulation warm(setup);
    warm.advance_to(20.0);
    setup.rules.disks.restitution = e;
    Simulation cooling(continued(setup, warm));
    const double energy_before = energy(cooling);
    const double rate = collision_rate(1.236144, energy_before / (kDisks - 1), kDisks);
    const double tau = 4.0 / ((1.0 - e * e) * rate);
    for (const double time : {0.5 * tau, tau}) {
      cooling.advance_to(time);
      const double collisions = 2.0 * static_cast<double>(cooling.counters().collisions) / kDisks;  // of a disk
      CHECK(collisions > 5.0);
      const double left = energy(cooling) / energy_before;
      CHECK(std::abs(left / std::exp(-0.5 * (1.0 - e * e) * collisions) - 1.0) < 0.04);
      CHECK(std::abs(left * std::pow(1.0 + time / tau, 2) - 1.0) < 0.06);
    }
  }
}

TEST_CASE("a gas of viscoelastic disks cools as t^(-5/3)") {
  // dT/dt goes as -T^(3/2) (1 - e^2), 1 - e as v^(1/5): T = T0 (1 + t/tau)^(-5/3) (Schwager & Poeschel 1998).
  Setup setup = test::gas({.columns = 50, .rows = 50, .packing_fraction = 0.1});
  Simulation warm(setup);
  warm.advance_to(20.0);
  setup.rules.disks.law = RestitutionLaw::viscoelastic;
  setup.rules.disks.reference_speed = viscoelastic_reference_speed(0.93, 1.0);
  Simulation cooling(continued(setup, warm));
  const double before = energy(cooling);
  const auto clock = [&] { return std::pow(energy(cooling) / before, -0.6) - 1.0; };  // t / tau
  cooling.advance_to(30.0);
  const double early = clock();
  cooling.advance_to(90.0);
  const double late = clock();
  CHECK(early > 0.5);
  CHECK(std::abs(late / early / 3.0 - 1.0) < 0.04);  // with Haff's exponent, 2, it would be 8 % more
}

}  // namespace scree::hard_gas_test
