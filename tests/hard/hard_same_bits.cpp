#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/hard/gases.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::hard_same_bits_test {

using namespace scree::hard;

namespace {

// The clock is set back more than twice; under sanitizers, which take ten times as long, just more than once.
constexpr double kEnd = test::kSanitized ? 35.0 : 80.0;  // s
constexpr std::uint64_t kEnough = test::kSanitized ? 2500 : 7000;

Setup gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.8, .smallest = 0.8});
  setup.rules.disks = {0.999, 0.05, 0.5};
  setup.domain.periodic = {true, false};
  setup.domain.hi.y() += 0.1;
  setup.domain.lo.y() -= 0.1;
  setup.margin = margin;
  return setup;
}

/// Plain disks, for which the event loop is compiled once more.
Setup plain_gas(double margin = 0.0) {
  Setup setup = gas(margin);
  setup.rules.disks = {0.9995, 0.0, 0.0};
  setup.rules.walls = {1.0, 0.2, 0.0};
  setup.angular_velocity.assign(setup.radius.size(), 0.3);
  return setup;
}

Setup dissipating_gas(double margin = 0.0) {
  Setup setup = gas(margin);
  setup.rules.disks = {0.97, 0.05, 0.5};
  setup.rules.disks.law = RestitutionLaw::bizon;
  setup.contact_duration = 0.05;
  return setup;
}

Setup falling_gas(double margin = 0.0) {
  Setup setup = gas(margin);
  setup.gravity = {0.0, -0.1};
  setup.rules.disks = {};  // else it all comes to lie on the floor
  return setup;
}

/// Between sides along y; at the end the disks have jammed and stopped.
Setup growing_gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 6, .rows = 6, .packing_fraction = 0.2, .smallest = 0.8});
  setup.domain.periodic = {true, false};
  setup.growth.rate = 0.05;
  setup.margin = margin;
  return setup;
}

Setup walled_gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.75, .smallest = 0.8});
  setup.margin = margin;
  test::add_walls(setup, test::walls_of_all_kinds(Vec2::Zero()));
  setup.rules.walls = {0.9, 0.2, 0.0};
  return setup;
}

/// A pair may be in a well on both sides of a period.
Setup well_gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 2, .rows = 12, .packing_fraction = 0.6, .smallest = 0.8});
  setup.domain.periodic = {true, false};
  setup.domain.hi.y() += 0.1;
  setup.domain.lo.y() -= 0.1;
  setup.well = {1.4, -0.5};
  setup.margin = margin;
  return setup;
}

/// Few disks that fly far: the clock is set back because of that, not after so many changes.
Setup far_flying_gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 2, .rows = 2, .packing_fraction = 0.05, .smallest = 0.8});
  for (Vec2& velocity : setup.velocity) velocity *= 250.0;
  setup.margin = margin;
  return setup;
}

using Maker = Setup (*)(double);
constexpr Maker kGases[] = {gas,         plain_gas,  dissipating_gas, falling_gas,
                            growing_gas, walled_gas, well_gas,        far_flying_gas};

template <class S>
StateHash run(const Setup& setup, int pieces = 1) {
  S simulation(setup);
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance_to(k == pieces ? kEnd : kEnd * k / pieces);
    (void)simulation.state();
  }
  simulation.audit();
  CHECK(simulation.counters().collisions + simulation.counters().crossings > kEnough);
  return test::state_hash(simulation);
}

}  // namespace

TEST_CASE("the same bits with any broadphase and any queue") {
  for (const Maker make : kGases) {
    const Setup setup = make(0.0);
    const StateHash reference = run<Simulation>(setup);
    CHECK(run<BasicSimulation<DiskCells, ImplicitHeap>>(setup) == reference);
    CHECK(run<BasicSimulation<LinkedCells<2>, ImplicitHeap>>(setup) == reference);
    CHECK(run<BasicSimulation<HierarchicalGrid<2>, BucketQueue>>(setup) == reference);
    CHECK(run<BasicSimulation<SortedStrips<2>, BucketQueue>>(setup) == reference);
    CHECK(run<BasicSimulation<SortAndUpdate<2>, BucketQueue>>(setup) == reference);
    CHECK(run<BasicSimulation<DistanceSort<2>, BucketQueue>>(setup) == reference);
    CHECK(run<BasicSimulation<AllPairs<2>, ImplicitHeap>>(setup) == reference);
  }
}

TEST_CASE("the same bits with plain disks of random sizes, sides and restitution, whether or not they are measured") {
  test::Dice dice(11);
  constexpr int kTrials = test::kSanitized ? 20 : 100;
  std::uint64_t collisions = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    CAPTURE(trial);
    const double smallest[] = {1.0, 0.8, 0.1};
    Setup setup = test::gas({.columns = 2 * (1 + static_cast<int>(dice.below(4))),
                             .rows = 2 * (1 + static_cast<int>(dice.below(4))),
                             .packing_fraction = dice.between(0.05, 0.85),
                             .smallest = smallest[dice.below(3)],
                             .periodic = dice.below(3) != 0,
                             .centre = {dice.below(2) * 1e5, 0.0},
                             .seed = static_cast<std::uint64_t>(trial)});
    if (dice.below(3) == 0) setup.rules.disks.restitution = 0.95;
    if (dice.below(4) == 0) setup.domain.side_temperature.fill(1.0);
    setup.margin = dice.below(2) * dice.between(0.05, 1.5);
    if (dice.below(2) == 0) {
      setup.measure = Measure{.every = 1.0, .from = 0.0, .region = {setup.domain.lo, setup.domain.hi}};
      setup.measure->free_flights = dice.below(2) == 0;
    }
    const double end = dice.between(2.0, 10.0);
    Simulation plain(setup);
    BasicSimulation<AllPairs<2>, ImplicitHeap> general(setup);
    plain.advance_to(end);
    general.advance_to(end);
    plain.audit();
    CHECK(test::state_hash(plain) == test::state_hash(general));
    collisions += plain.counters().collisions;
  }
  CHECK(collisions > 100 * kTrials);
}

TEST_CASE("the same bits with any margin of the boxes") {
  for (const Maker make : kGases) {
    const StateHash reference = run<Simulation>(make(0.0));
    for (const double margin : {0.01, 0.07, 0.2, 0.5, 1.0, 3.0}) {
      if (test::kSanitized && margin != 0.07 && margin != 1.0) continue;
      CAPTURE(margin);
      CHECK(run<Simulation>(make(margin)) == reference);
    }
  }
}

TEST_CASE("the same bits with any output interval") {
  for (const Maker make : kGases) {
    const StateHash reference = run<Simulation>(make(0.0));
    CHECK(run<Simulation>(make(0.0), 7) == reference);
    CHECK(run<Simulation>(make(0.0), 10007) == reference);
  }
}

TEST_CASE("the same bits after saving and loading, into another broadphase, queue and margin too") {
  for (const Maker make : kGases) {
    const StateHash reference = run<Simulation>(make(0.0));
    for (const double when : {0.0, 3.7, 11.1, kEnd - 0.001}) {
      CAPTURE(when);
      Simulation first(make(0.0));
      first.advance_to(when);
      std::stringstream saved;
      first.save(saved);
      Simulation second(make(0.0));
      second.advance_to(1.0);  // must leave no trace
      std::istringstream again(saved.str());
      second.load(again);
      CHECK(second.time() == when);
      CHECK(test::state_hash(second) == test::state_hash(first));
      second.audit();
      second.advance_to(kEnd);
      CHECK(test::state_hash(second) == reference);
      BasicSimulation<AllPairs<2>, ImplicitHeap> third(make(0.15));
      third.load(saved);
      third.advance_to(kEnd);
      CHECK(test::state_hash(third) == reference);
    }
  }
}

TEST_CASE("the same bits after saving and loading when all disks have left, for those that come later, too") {
  Setup setup = test::gas({.columns = 4, .rows = 4, .packing_fraction = 0.1, .periodic = false});
  setup.open = true;
  setup.greatest_radius = 0.5;
  const auto go_on = [](Simulation& simulation) {
    simulation.advance_to(1e4);  // long after the clock would have been set back
    simulation.add({{0.1, 0.2}, {0.3, -0.7}, 0.0, 0.0, 0.5, 1.0, 0, 0});
    simulation.advance_to(1e4 + 3.0);
    return test::state_hash(simulation);
  };
  Simulation first(setup);
  first.advance_to(200.0);
  REQUIRE(first.particles() == 0);
  std::stringstream saved;
  first.save(saved);
  Simulation second(setup);
  second.load(saved);
  CHECK(go_on(second) == go_on(first));
}

TEST_CASE("one velocity that differs by 1e-13 makes other bits") {
  Setup setup = gas();
  setup.velocity[7].x() += 1e-13;  // m/s
  CHECK(run<Simulation>(setup) != run<Simulation>(gas()));
}

}  // namespace scree::hard_same_bits_test
