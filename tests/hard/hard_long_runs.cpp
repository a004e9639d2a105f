#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"

namespace scree::hard_long_runs_test {

// What only shows after many collisions. Largest diameters are 1 m, the thermal speed is 1 m/s.

using namespace scree::hard;

namespace {

double energy(const Simulation& simulation) {
  return simulation.summary().kinetic_energy;
}

/// @return momentum over the sum of its magnitudes
double relative_momentum(const Simulation& simulation) {
  const ParticleState now = simulation.state().particles;
  Vec2 sum = Vec2::Zero();
  double magnitudes = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    sum += now.mass[i] * now.velocity[i];
    magnitudes += now.mass[i] * now.velocity[i].norm();
  }
  return sum.norm() / magnitudes;
}

void collide(Simulation& simulation, std::uint64_t collisions) {
  const std::uint64_t end = simulation.counters().collisions + collisions;
  while (simulation.counters().collisions < end) simulation.advance_to(simulation.time() + 1.0);
}

/// How precise a run is: how far it is, 1/8 s after it was looked at, from one that begins with what was seen, on a
/// clock that shows 0. Median of 41 looks, each a collision a disk long [m].
double divergence(Setup setup, Simulation& simulation) {
  std::vector<double> farthest(41, 0.0);
  double time = std::ceil(simulation.time());
  for (double& far : farthest) {
    simulation.advance_to(time += 1.0);
    const ParticleState seen = simulation.state().particles;
    setup.position = seen.position;
    setup.velocity = seen.velocity;
    Simulation anew(setup);
    anew.advance_to(0.125);
    simulation.advance_to(time + 0.125);  // no rounding: eighths
    const std::vector<Vec2> one = simulation.state().particles.position;
    const std::vector<Vec2> other = anew.state().particles.position;
    for (std::size_t i = 0; i < one.size(); ++i) {
      far = std::max(far, shorter_way(other[i] - one[i], setup.domain).norm());
    }
  }
  const auto middle = farthest.begin() + 20;
  std::nth_element(farthest.begin(), middle, farthest.end());
  return *middle;
}

}  // namespace

TEST_CASE("a gas is as precise after a million mean free times as at the beginning") {
  const Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.5});
  Simulation simulation(setup);
  const double before = energy(simulation);
  collide(simulation, 5000);
  const double early = divergence(setup, simulation);
  CHECK(early < 1e-13);
  CHECK(early > 0.0);
  for (int k = 1; k <= 1000; ++k) {
    collide(simulation, 50000);  // 1000 of each disk
    simulation.audit();
    if (k == 200) CHECK(std::abs(energy(simulation) / before - 1.0) < 1e-12);
  }
  CHECK(std::abs(energy(simulation) / before - 1.0) < 3e-12);  // five times as many collisions
  CHECK(relative_momentum(simulation) < 1e-13);
  const double late = divergence(setup, simulation);
  CHECK(late < 4.0 * early);
  MESSAGE("energy " << energy(simulation) / before - 1.0 << ", momentum " << relative_momentum(simulation)
                    << ", divergence " << early << ", " << late);
}

TEST_CASE(
    "energy is constant over ten million collisions: dilute, dense, many sizes, hard walls, far from the origin") {
  const test::GasRecipe recipes[] = {
      {.columns = 10, .rows = 10, .packing_fraction = 0.1, .smallest = 0.5},
      {.columns = 10, .rows = 10, .packing_fraction = 0.8, .smallest = 0.02},
      {.columns = 10, .rows = 10, .packing_fraction = 0.7, .periodic = false},
      {.columns = 10, .rows = 10, .packing_fraction = 0.4, .smallest = 0.5, .centre = {1e6, -1e6}},
  };
  for (const test::GasRecipe& recipe : recipes) {
    CAPTURE(recipe.packing_fraction);
    Simulation simulation(test::gas(recipe));
    const double before = energy(simulation);
    for (int k = 0; k < 200; ++k) {
      collide(simulation, 50000);
      simulation.audit();
    }
    CHECK(std::abs(energy(simulation) / before - 1.0) < 1e-12);
    if (recipe.periodic) CHECK(relative_momentum(simulation) < 1e-13);
    MESSAGE("energy " << energy(simulation) / before - 1.0 << ", momentum " << relative_momentum(simulation));
  }
}

}  // namespace scree::hard_long_runs_test
