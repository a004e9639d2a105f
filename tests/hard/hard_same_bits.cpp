#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"

using namespace scree;
using namespace scree::hard;

namespace {

constexpr double kEnd = 80.0;  // s: the clock is set back more than twice

Setup gas(double margin = 0.0) {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = 0.8, .smallest = 0.8});
  setup.disks = {0.999, 0.05, 0.5};
  setup.domain.periodic = {true, false};
  setup.domain.hi.y() += 0.1;
  setup.domain.lo.y() -= 0.1;
  setup.margin = margin;
  return setup;
}

template <class S>
std::string hash_bytes(const S& simulation) {
  std::ostringstream out;
  simulation.save_for_hash(out);
  return out.str();
}

template <class S>
std::string run(const Setup& setup, int pieces = 1) {
  S simulation(setup);
  for (int k = 1; k <= pieces; ++k) {
    simulation.advance_to(k == pieces ? kEnd : kEnd * k / pieces);
    (void)simulation.state();
  }
  simulation.audit();
  CHECK(simulation.counters().collisions > 7000);
  return hash_bytes(simulation);
}

}  // namespace

TEST_CASE("the same bits with any broadphase and any queue") {
  const std::string reference = run<Simulation>(gas());
  CHECK(run<BasicSimulation<LinkedCells<2>, ImplicitHeap>>(gas()) == reference);
  CHECK(run<BasicSimulation<HierarchicalGrid<2>, BucketQueue>>(gas()) == reference);
  CHECK(run<BasicSimulation<SortedStrips<2>, BucketQueue>>(gas()) == reference);
  CHECK(run<BasicSimulation<SortAndUpdate<2>, BucketQueue>>(gas()) == reference);
  CHECK(run<BasicSimulation<DistanceSort<2>, BucketQueue>>(gas()) == reference);
  CHECK(run<BasicSimulation<AllPairs<2>, ImplicitHeap>>(gas()) == reference);
}

TEST_CASE("the same bits with any margin of the boxes") {
  const std::string reference = run<Simulation>(gas());
  for (const double margin : {0.01, 0.07, 0.2, 0.5, 1.0, 3.0}) {
    CAPTURE(margin);
    CHECK(run<Simulation>(gas(margin)) == reference);
  }
}

TEST_CASE("the same bits however often one looks") {
  const std::string reference = run<Simulation>(gas());
  CHECK(run<Simulation>(gas(), 7) == reference);
  CHECK(run<Simulation>(gas(), 10007) == reference);
}

TEST_CASE("the same bits after saving and loading, into another broadphase, queue and margin too") {
  const std::string reference = run<Simulation>(gas());
  for (const double when : {0.0, 3.7, 11.1, 79.999}) {
    CAPTURE(when);
    Simulation first(gas());
    first.advance_to(when);
    std::stringstream saved;
    first.save(saved);
    Simulation second(gas());
    second.advance_to(1.0);  // must leave no trace
    std::istringstream again(saved.str());
    second.load(again);
    CHECK(second.time() == when);
    CHECK(hash_bytes(second) == hash_bytes(first));
    second.audit();
    second.advance_to(kEnd);
    CHECK(hash_bytes(second) == reference);
    BasicSimulation<AllPairs<2>, ImplicitHeap> third(gas(0.15));
    third.load(saved);
    third.advance_to(kEnd);
    CHECK(hash_bytes(third) == reference);
  }
}

TEST_CASE("one velocity that differs by 1e-13 makes other bits") {
  Setup setup = gas();
  setup.velocity[7].x() += 1e-13;  // m/s
  CHECK(run<Simulation>(setup) != run<Simulation>(gas()));
}
