#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/exact/contact.hpp"
#include "dem/hard/exact/gas.hpp"
#include "tests/hard/exact_gases.hpp"

namespace scree::exact_gas_test {

using namespace scree::hard;
using namespace scree::hard::exact;
using namespace scree::tests;

namespace {

using Fast = Gas<DiskCells, BucketQueue>;

double seconds_to_ticks(const GasSetup& setup, double seconds) {
  return seconds / setup.grid.tick;
}

}  // namespace

TEST_CASE("events find what passing every tick with all pairs finds, also where ticks are so long that clusters form") {
  for (const Sides& sides : kSidesOfAllKinds) {
    std::int64_t retraces = 0;
    for (const int bits : {52, 49, 46}) {
      CAPTURE(sides.what);
      CAPTURE(bits);
      const GasSetup setup = setup_of(sides, 5, 0.3, bits, 0.4);
      Fast gas(setup);
      require_that_events_are_those_of_all_ticks(gas, setup, 60, bits == 46 ? 97 : 23);
      CHECK(gas.tally().collisions > 20);
      if (!sides.periodic[0]) CHECK(gas.tally().side_hits > 5);
      retraces += gas.tally().retraces;
    }
    CHECK(retraces > 20);
  }
}

TEST_CASE("a gas that is turned back passes all its states again, bit for bit, at every kind of side") {
  for (const Sides& sides : kSidesOfAllKinds) {
    for (const int bits : {27, 40, 46}) {  // at 40 and 46 ticks are long, and clusters form
      for (const double spread : {0.0, 0.6}) {
        CAPTURE(sides.what);
        CAPTURE(bits);
        const GasSetup setup = setup_of(sides, 8, 0.45, bits, spread);
        Fast gas(setup);
        const auto piece = static_cast<std::int64_t>(seconds_to_ticks(setup, 0.21)) + 1;
        std::vector<Snapshot> states;
        std::vector<Tally> tallies;
        for (int k = 0; k < 20; ++k) {
          states.push_back(gas.snapshot());
          tallies.push_back(gas.tally());
          REQUIRE(gas.tick() == k * piece);
          gas.advance(piece);
        }
        CHECK(gas.tally().collisions > 1000);
        CHECK((gas.tally().retraces > 0) == (bits > 27));
        gas.audit();
        gas.turn_back();
        for (int k = 19; k >= 0; --k) {
          gas.advance(piece);
          REQUIRE(gas.tick() == k * piece);
          REQUIRE(gas.snapshot() == states[static_cast<std::size_t>(k)]);
          REQUIRE(gas.tally() == tallies[static_cast<std::size_t>(k)]);
        }
        gas.turn_back();  // and forward again
        gas.advance(20 * piece);
        gas.turn_back();
        gas.advance(20 * piece);
        CHECK(gas.snapshot() == states[0]);
      }
    }
  }
}

TEST_CASE("turned back at any tick, also at those at which disks collide, a gas is where it was") {
  const GasSetup setup = setup_of(kSidesOfAllKinds[2], 5, 0.4, 46, 0.3);
  Fast gas(setup);
  std::vector<Snapshot> states;
  constexpr std::int64_t kTicks = 6000;
  for (std::int64_t t = 0; t <= kTicks; ++t) {
    states.push_back(gas.snapshot());
    gas.advance(1);
  }
  REQUIRE(gas.tally().collisions > 50);
  for (std::int64_t there = 0; there < kTicks; there += 37) {
    Fast other(setup);
    other.advance(there);
    REQUIRE(other.snapshot() == states[static_cast<std::size_t>(there)]);
    other.turn_back();
    REQUIRE(other.snapshot() == states[static_cast<std::size_t>(there)]);
    const std::int64_t back = there / 3;
    other.advance(there - back);
    REQUIRE(other.snapshot() == states[static_cast<std::size_t>(back)]);
    other.turn_back();
    other.advance(there + 1 - back);
    REQUIRE(other.snapshot() == states[static_cast<std::size_t>(there + 1)]);
  }
}

TEST_CASE("reversed velocities lead back to the start while time goes on") {
  const GasSetup setup = setup_of(kSidesOfAllKinds[0], 6, 0.4, 27);
  Fast gas(setup);
  const Snapshot start = gas.snapshot();
  const auto ticks = static_cast<std::int64_t>(seconds_to_ticks(setup, 3.0));
  gas.advance(ticks);
  gas.reverse();
  gas.advance(ticks);
  CHECK(gas.tick() == 2 * ticks);
  const Snapshot end = gas.snapshot();
  CHECK(end.position == start.position);
  for (std::size_t i = 0; i < gas.size(); ++i) CHECK(end.velocity[i] == -start.velocity[i]);
}

TEST_CASE("any way to find neighbours, any margin, any pieces and a save in between give the same bits") {
  for (const Sides& sides : kSidesOfAllKinds) {
    CAPTURE(sides.what);
    const GasSetup setup = setup_of(sides, 7, 0.4, 36, 0.5);
    const auto ticks = static_cast<std::int64_t>(seconds_to_ticks(setup, 2.0));
    Fast gas(setup);
    gas.advance(ticks);
    const Snapshot expected = gas.snapshot();
    CHECK(gas.tally().collisions > 300);
    const auto check = [&](auto other) {
      other.advance(ticks);
      CHECK(other.snapshot() == expected);
      CHECK(other.tally() == gas.tally());
      other.audit();
    };
    check(Gas<DiskCells, ImplicitHeap>(setup));
    check(Gas<Neighbourhood<AllPairs<2>>, ImplicitHeap>(setup));
    check(Gas<Neighbourhood<HierarchicalGrid<2>>, BucketQueue>(setup));
    check(Gas<Neighbourhood<SortAndUpdate<2>>, BucketQueue>(setup));
    check(Gas<Neighbourhood<SortedStrips<2>>, BucketQueue>(setup));
    check(Gas<Neighbourhood<DistanceSort<2>>, BucketQueue>(setup));
    GasSetup narrow = setup;
    narrow.margin = 0.004;
    check(Fast(narrow));

    Fast pieces(setup);
    std::uint64_t k = 0;
    while (!pieces.advance(ticks - pieces.tick(), 1 + k % 5)) ++k;
    CHECK(k > 100);
    CHECK(pieces.snapshot() == expected);
  }
}

TEST_CASE("a gas is saved and resumed on its way there and back, with its direction and what it counted") {
  const GasSetup setup = setup_of(kSidesOfAllKinds[1], 6, 0.5, 44, 0.2);  // clusters form
  const auto ticks = static_cast<std::int64_t>(seconds_to_ticks(setup, 0.3));
  const auto resumed = [&](const Fast& gas) {
    std::stringstream bytes;
    OutArchive out(bytes);
    gas.save(out);
    Fast other(setup);
    InArchive in(bytes);
    other.load(in);
    CHECK(other.snapshot() == gas.snapshot());
    CHECK(other.tick() == gas.tick());
    return other;
  };
  Fast gas(setup);
  std::vector<Snapshot> states;
  for (int k = 0; k < 5; ++k) {
    states.push_back(gas.snapshot());
    gas.advance(ticks, 100 * static_cast<std::uint64_t>(k));
    gas.advance(ticks * (k + 1) - gas.tick());
    gas = resumed(gas);
  }
  CHECK(gas.tally().retraces > 0);
  gas.turn_back();
  for (int k = 4; k >= 0; --k) {
    gas.advance(ticks / 2);
    gas = resumed(gas);
    CHECK(gas.runs_backward());
    gas.advance(gas.tick() - k * ticks);
    CHECK(gas.snapshot() == states[static_cast<std::size_t>(k)]);
  }
  CHECK(gas.tally() == Tally{});
}

TEST_CASE("collisions keep momentum exactly and energy to the rounding of velocities") {
  const GasSetup setup = setup_of(kSidesOfAllKinds[1], 8, 0.5, 27);
  Fast gas(setup);
  const auto momentum = [](const Snapshot& state) {
    Vector sum = {0, 0};
    for (const Vector& v : state.velocity) sum = sum + v;
    return sum;
  };
  const Vector before = momentum(gas.snapshot());
  const auto energy = static_cast<double>(gas.energy());
  gas.advance(static_cast<std::int64_t>(seconds_to_ticks(setup, 8.0)));
  REQUIRE(gas.tally().collisions > 5000);
  const Vector after = momentum(gas.snapshot());
  CHECK(after == before + gas.tally().momentum);
  CHECK(gas.tally().retraces == 0);
  const double drift = std::abs(static_cast<double>(gas.energy()) / energy - 1.0);
  CHECK(drift > 0.0);  // velocities are rounded
  CHECK(drift < 1e-7);
}

}  // namespace scree::exact_gas_test
