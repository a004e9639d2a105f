#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "dem/hard/boxes/disk_cells.hpp"
#include "dem/hard/boxes/neighbourhood.hpp"
#include "dem/hard/exact/contact.hpp"
#include "dem/hard/exact/gas.hpp"
#include "dem/hard/exact/loss.hpp"
#include "tests/hard/exact_gases.hpp"

namespace scree::exact_loss_test {

using namespace scree::hard;
using namespace scree::hard::exact;
using namespace scree::tests;

namespace {

using Fast = Gas<DiskCells, BucketQueue>;

GasSetup lossy(const Sides& sides, int bits, double restitution, unsigned seed = 1) {
  GasSetup setup = setup_of(sides, 6, 0.4, bits, 0.4, seed);
  setup.restitution = {restitution};
  return setup;
}

double energy_of(const Fast& gas) {
  return static_cast<double>(gas.energy());
}

/// Of a pair on the way back: without remainders, or with another disk beside it.
void require_that_others_are_refused(const Grid& grid, const Cluster& pair, const Contraction& contraction,
                                     const Remainders& kept) {
  const auto goes_back = [&](Remainders remainders, const std::vector<Bystander>& others) {
    Cluster back = pair;
    try {
      regain(grid, back, contraction, remainders, others);
      return true;
    } catch (const InvalidState&) {
      return false;
    }
  };
  REQUIRE(goes_back(kept, {}));
  if (kept.bits() > 0) REQUIRE(!goes_back({}, {}));
  const Vector above{0, 2 * pair[0].radius + grid.fastest};
  REQUIRE(!goes_back(kept, {{pair[0].position + above, pair[0].radius}}));
}

}  // namespace

TEST_CASE("a contraction is a product rounded down, and each number is found again by which of its origins it had") {
  for (const double e : {1.0 / 64.0, 0.1, 0.3, 0.5, 0.77, 0.9, 0.999999, 1.0}) {
    const Contraction contraction(e);
    CHECK(contraction.loses() == (e < 1.0));
    for (std::int64_t n = 0; n < 5000; ++n) {
      const std::int64_t m = contraction(n);
      REQUIRE(std::abs(static_cast<double>(m) - (e * static_cast<double>(n) - 0.5)) <= 0.5 + 1e-5);
      const std::int64_t which = n - contraction.least(m);
      REQUIRE(which >= 0);
      REQUIRE(which < std::int64_t{1} << contraction.bits(m));
      REQUIRE(contraction(contraction.least(m)) == m);
      if (contraction.least(m) > 0) REQUIRE(contraction(contraction.least(m) - 1) < m);
    }
  }
}

TEST_CASE("remainders are a stack of bits") {
  std::mt19937_64 random(1);
  Remainders remainders;
  std::vector<std::array<std::uint64_t, 2>> pushed;
  std::uint64_t bits = 0;
  for (int k = 0; k < 20000; ++k) {
    if (pushed.empty() || random() % 3 != 0) {
      const auto count = static_cast<unsigned>(random() % 8);
      const std::uint64_t value = random() & ((1u << count) - 1);
      remainders.push(value, count);
      pushed.push_back({value, count});
      bits += count;
    } else {
      const auto [value, count] = pushed.back();
      REQUIRE(remainders.pop(static_cast<unsigned>(count)) == value);
      pushed.pop_back();
      bits -= count;
    }
    REQUIRE(remainders.bits() == bits);
    REQUIRE(remainders.is_sound());
  }
  while (!pushed.empty()) {
    REQUIRE(remainders.pop(static_cast<unsigned>(pushed.back()[1])) == pushed.back()[0]);
    pushed.pop_back();
  }
  CHECK(remainders == Remainders());
  CHECK_THROWS_AS(remainders.pop(1), InvalidState);
}

TEST_CASE("a collision loses what its restitution says, keeps momentum, and leads back") {
  std::mt19937_64 random(2);
  const auto whole = [&](std::int64_t lowest, std::int64_t highest) {
    return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
  };
  Grid grid;
  grid.size = {std::int64_t{1} << 60, std::int64_t{1} << 60};
  grid.fastest = std::int64_t{1} << 30;
  int lost = 0;
  int collisions = 0;
  for (int k = 0; k < 200000 && lost < 20000; ++k) {
    const Contraction contraction(k % 2 == 0 ? 0.9 : 0.3);
    const std::int64_t radius = std::int64_t{1} << 52;
    const double angle = 1e-9 * static_cast<double>(whole(0, 6283185307));
    const double distance = static_cast<double>(2 * radius + whole(100, 1 << 27));
    const Vector centre{grid.size[0] / 2, grid.size[1] / 3};
    const Vector r{std::llround(distance * std::cos(angle)), std::llround(distance * std::sin(angle))};
    constexpr std::int64_t kMost = 1 << 27;
    const std::int64_t ax = whole(-kMost, kMost), ay = whole(-kMost, kMost);
    const std::int64_t bx = whole(-kMost, kMost), by = whole(-kMost, kMost);
    const Cluster before{{centre + r, {ax, ay}, radius}, {centre, {bx, by}, radius}};
    const Vector v = before[0].velocity - before[1].velocity;
    if (hard::exact::overlap(r, 2 * radius) || !hard::exact::overlap(r + v, 2 * radius) ||
        hard::exact::overlap(r - v, 2 * radius))
      continue;
    ++collisions;
    const auto bounce = lose(grid, before, contraction, {});
    if (!bounce) continue;
    ++lost;
    const Cluster& after = bounce->disks;
    REQUIRE(after[0].velocity + after[1].velocity == before[0].velocity + before[1].velocity);
    const Vector w = after[0].velocity - after[1].velocity;
    const auto along = [&](const Vector& u) {
      return (static_cast<double>(u[0]) * std::cos(angle) + static_cast<double>(u[1]) * std::sin(angle));
    };
    const double e = k % 2 == 0 ? 0.9 : 0.3;
    REQUIRE(along(w) == doctest::Approx(-e * along(v)).epsilon(1e-3));
    const Vector gap = after[0].position - after[1].position;
    const double way = std::sqrt(static_cast<double>(squared(gap))) - static_cast<double>(2 * radius);
    REQUIRE(std::abs(way - e * (distance - static_cast<double>(2 * radius))) < 300.0);

    Remainders remainders;
    remainders.push(bounce->gap, bounce->bits_of_gap);
    remainders.push(bounce->speed, bounce->bits_of_speed);
    Cluster back = after;
    for (scree::hard::exact::Disk& disk : back) disk.velocity = -disk.velocity;
    const Remainders kept = remainders;
    regain(grid, back, contraction, remainders, {});
    REQUIRE(remainders.bits() == 0);
    for (const std::size_t i : {0u, 1u}) {
      REQUIRE(back[i].position == before[i].position);
      REQUIRE(back[i].velocity == -before[i].velocity);
    }
    require_that_others_are_refused(grid, reversed(after), contraction, kept);
  }
  CHECK(lost > 10000);
  CHECK(lost > 0.99 * collisions);
}

TEST_CASE("with restitution, events find what passing every tick with all pairs finds") {
  for (const Sides& sides : kSidesOfAllKinds) {
    for (const int bits : {49, 46, 43}) {
      CAPTURE(sides.what);
      CAPTURE(bits);
      const GasSetup setup = lossy(sides, bits, 0.8);
      Fast gas(setup);
      require_that_events_are_those_of_all_ticks(gas, setup, 30, bits == 43 ? 200 : bits == 46 ? 97 : 23);
      CHECK(gas.tally().losses > 0);
    }
  }
}

TEST_CASE("an inelastic gas goes back through all its states, bit for bit, and its buffers are empty at the start") {
  for (const Sides& sides : kSidesOfAllKinds) {
    for (const int bits : {27, 36, 43}) {
      for (const double restitution : {0.95, 0.4}) {
        CAPTURE(sides.what);
        CAPTURE(bits);
        CAPTURE(restitution);
        const GasSetup setup = lossy(sides, bits, restitution);
        Fast gas(setup);
        const double start_energy = energy_of(gas);
        const auto piece = static_cast<std::int64_t>(0.3 / setup.grid.tick) + 1;
        std::vector<Snapshot> states;
        std::vector<Tally> tallies;
        std::vector<std::uint64_t> kept;
        for (int k = 0; k < 12; ++k) {
          states.push_back(gas.snapshot());
          tallies.push_back(gas.tally());
          kept.push_back(gas.kept_bits());
          gas.advance(piece);
        }
        gas.audit();
        CHECK(gas.tally().losses > 100);
        CHECK(energy_of(gas) < 0.8 * start_energy);
        CHECK(energy_of(gas) + static_cast<double>(gas.tally().lost) == doctest::Approx(start_energy).epsilon(1e-6));
        gas.turn_back();
        for (int k = 11; k >= 0; --k) {
          gas.advance(piece);
          REQUIRE(gas.snapshot() == states[static_cast<std::size_t>(k)]);
          REQUIRE(gas.tally() == tallies[static_cast<std::size_t>(k)]);
          REQUIRE(gas.kept_bits() == kept[static_cast<std::size_t>(k)]);
          if (k != 6) continue;
          std::stringstream saved;  // on the way back, into another one
          OutArchive out(saved);
          gas.save(out);
          Gas<Neighbourhood<AllPairs<2>>, ImplicitHeap> other(setup);
          InArchive in(saved);
          other.load(in);
          other.advance(6 * piece);
          REQUIRE(other.snapshot() == states[0]);
          REQUIRE(other.kept_bits() == 0);
        }
        CHECK(gas.kept_bits() == 0);
        gas.turn_back();  // and forward again
        gas.advance(5 * piece);
        CHECK(gas.snapshot() == states[5]);
      }
    }
  }
}

TEST_CASE("two pairs that lose energy in one tick, side by side, go back, however near they are") {
  GasSetup setup;
  setup.domain = {.lo = Vec2(0.0, 0.0), .hi = Vec2(1.0, 1.0), .periodic = {true, true}};
  Grid& grid = setup.grid;
  grid.size = {std::int64_t{1} << 60, std::int64_t{1} << 60};
  grid.unit = 0x1p-60;
  grid.periodic = {true, true};
  constexpr std::int64_t c = std::int64_t{1} << 40;
  grid.fastest = c;
  setup.restitution = {Contraction::kLeast};
  constexpr std::int64_t kRadius = std::int64_t{1} << 56;
  constexpr std::int64_t kContact = 2 * kRadius;
  constexpr std::int64_t kGap = 8 * c / 5;
  constexpr std::int64_t kSpeed = 9 * c / 10;
  // Two disks on top of each other, and two side by side, to the right of the lower one: its way up, 0.8 c by the loss,
  // leads towards them, the way of the left one to the right away from it.
  const Vector lower{std::int64_t{1} << 58, std::int64_t{1} << 58};
  const Vector upper = lower + Vector{0, kContact + kGap};
  bool are_near_on_the_way = false;
  for (int tenths = 21; tenths <= 60; ++tenths) {
    CAPTURE(tenths);
    const auto distance = static_cast<double>(kContact + tenths * c / 10);
    constexpr double kAngle = 0.44;
    const Vector left =
        lower + Vector{std::llround(distance * std::cos(kAngle)), std::llround(distance * std::sin(kAngle))};
    setup.position = {left, left + Vector{kContact + kGap, 0}, upper, lower};
    setup.velocity = {{kSpeed, 0}, {-kSpeed, 0}, {0, -kSpeed}, {0, kSpeed}};
    setup.radius.assign(4, kRadius);
    Fast gas(setup);
    const Snapshot start = gas.snapshot();
    gas.advance(1);
    are_near_on_the_way |= gas.tally().losses == 1;
    CHECK(gas.tally().collisions == 2);
    gas.advance(2);
    gas.turn_back();
    gas.advance(3);
    CHECK(gas.snapshot() == start);
    CHECK(gas.tally() == Tally());
    CHECK(gas.kept_bits() == 0);
  }
  CHECK(are_near_on_the_way);
}

TEST_CASE("an inelastic gas whose buffers are not its own is refused where it goes back to what never was") {
  const GasSetup setup = lossy(kSidesOfAllKinds[1], 27, 0.4);
  Fast gas(setup);
  gas.advance(static_cast<std::int64_t>(2.0 / setup.grid.tick));
  gas.turn_back();
  REQUIRE(gas.tally().losses > 50);
  const std::int64_t ticks = gas.tick();
  const auto goes_back_with = [&](const std::vector<Remainders>& remainders) {
    std::stringstream saved;
    OutArchive out(saved);
    const Snapshot now = gas.snapshot();
    Snapshot::visit(out, now);
    const bool runs_backward = true, tick_is_over = true;
    out(ticks, runs_backward, tick_is_over, gas.tally(), remainders, std::vector<Losses::Exception>());
    Fast other(setup);
    InArchive in(saved);
    other.load(in);
    try {
      other.advance(ticks);
      return true;
    } catch (const InvalidState&) {
      return false;
    }
  };
  const std::vector<Remainders>& kept = gas.losses().remainders();
  REQUIRE(gas.losses().exceptions().empty());
  CHECK(goes_back_with(kept));
  CHECK(!goes_back_with(std::vector<Remainders>(kept.size())));
  std::vector<Remainders> others(kept.rbegin(), kept.rend());
  CHECK(!goes_back_with(others));
}

TEST_CASE("what is kept is near to the information that restitution takes") {
  const double restitution = 0.9;
  Fast gas(lossy(kSidesOfAllKinds[1], 27, restitution));
  gas.advance(static_cast<std::int64_t>(4.0 / gas.grid().tick));
  const double per_collision = static_cast<double>(gas.kept_bits()) / static_cast<double>(gas.tally().losses);
  const double least = -2.0 * std::log2(restitution);  // of the velocity, and of the gap
  CHECK(per_collision > least);
  CHECK(per_collision < 1.6 * least);
}

}  // namespace scree::exact_loss_test
