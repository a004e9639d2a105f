#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/threads/parts.hpp"
#include "dem/hard/threads/windows.hpp"
#include "tests/hard/gases.hpp"
#include "tests/scenes.hpp"

namespace scree::hard_windows_test {

using namespace scree::hard;

namespace {

constexpr double kEnd = test::kSanitized ? 3.0 : 12.0;  // s
constexpr std::uint64_t kManyWindows = test::kSanitized ? 3 : 10;
constexpr double kHalo = 3.0;  // greatest diameters: so narrow that copies go wrong

/// Long enough for eight strips.
test::GasRecipe recipe(double packing_fraction = 0.6) {
  return {.columns = 240, .rows = 6, .packing_fraction = packing_fraction};
}

Setup gas(double packing_fraction = 0.6) {
  return test::gas(recipe(packing_fraction));
}

/// All that decides what comes, and all sums.
template <class S>
std::string saved(const S& simulation) {
  std::ostringstream out;
  simulation.save(out);
  return out.str();
}

std::string saved_by_serial_run(const Setup& setup) {
  Simulation simulation(setup);
  simulation.advance_to(kEnd);
  return saved(simulation);
}

}  // namespace

TEST_CASE("windows on any number of threads have the bits of the serial run") {
  for (const double packing_fraction : {0.2, 0.5, 0.72}) {
    CAPTURE(packing_fraction);
    const Setup setup = gas(packing_fraction);
    const std::string serial = saved_by_serial_run(setup);
    for (const int threads : {1, 2, 3, 4, 8}) {
      CAPTURE(threads);
      Simulation simulation(setup);
      Windows windows({.threads = threads, .halo = kHalo});
      windows.advance_to(simulation.world(), kEnd);
      CHECK(simulation.time() == kEnd);
      CHECK((saved(simulation) == serial));
      CHECK((windows.counts().windows > kManyWindows) == (threads > 1));
      CHECK((windows.counts().cut_short > 0) == (threads > 1));  // the halo is narrow
      simulation.audit();
    }
  }
}

TEST_CASE("windows have the bits of the serial run with restitution, friction, spin, many sizes and measurements") {
  test::GasRecipe many_sizes = recipe();
  many_sizes.smallest = 0.5;
  Setup setup = test::gas(many_sizes);
  setup.rules.disks = {0.98, 0.1, 0.4};
  setup.contact_duration = 0.01;
  Measure& measure = setup.measure.emplace();
  measure.region = {setup.domain.lo, setup.domain.hi};
  measure.free_flights = true;
  measure.collisions = true;
  const std::string serial = saved_by_serial_run(setup);
  Simulation simulation(setup);
  Windows windows({.threads = 4, .halo = kHalo});
  windows.advance_to(simulation.world(), kEnd);
  CHECK((saved(simulation) == serial));
  CHECK(windows.counts().windows > kManyWindows);
  Simulation on_one_thread(setup);
  on_one_thread.advance_to(kEnd);
  const std::vector<Collision> listed = simulation.take_collisions();
  CHECK(listed.size() == simulation.counters().collisions);
  CHECK(std::ranges::equal(listed, on_one_thread.take_collisions(), [](const Collision& a, const Collision& b) {
    return a.time == b.time && a.id1 == b.id1 && a.id2 == b.id2 && a.position == b.position && a.impulse == b.impulse;
  }));
}

TEST_CASE("windows have the bits of the serial run between hard sides, with walls, in gravity") {
  test::GasRecipe in_a_box = recipe(0.4);
  in_a_box.periodic = false;
  Setup setup = test::gas(in_a_box);
  setup.rules.disks = {0.99, 0.05, 0.5};
  setup.rules.walls = {0.9, 0.2, 0.0};
  setup.gravity = {0.0, -0.3};
  setup.contact_duration = 0.01;
  std::vector<Wall> walls(2);
  walls[0] = {.name = "triangle", .polygon = {{-30.5, -0.3}, {-29.5, -0.4}, {-30.0, 0.5}}};
  walls[1] = {.name = "segment", .polygon = {{1.0, -1.0}, {2.0, 1.5}}};
  test::add_walls(setup, walls);
  const std::string serial = saved_by_serial_run(setup);
  for (const int threads : {2, 5}) {
    Simulation simulation(setup);
    Windows windows({.threads = threads, .halo = kHalo});
    windows.advance_to(simulation.world(), kEnd);
    CHECK((saved(simulation) == serial));
    CHECK(windows.counts().windows > kManyWindows);
  }
}

TEST_CASE("a disk that flies through several strips is noticed, and such windows are cut short") {
  Setup setup = gas(0.02);
  setup.velocity[setup.velocity.size() / 2] = {400.0, 0.0};  // m/s; the others: 1 m/s
  const std::string serial = saved_by_serial_run(setup);
  Simulation simulation(setup);
  Windows windows({.threads = 4, .halo = kHalo});
  windows.advance_to(simulation.world(), kEnd);
  CHECK((saved(simulation) == serial));
  CHECK(windows.counts().windows > 0);
  CHECK(windows.counts().cut_short > 0);
}

TEST_CASE("a collapse ends as in the serial run, with the same words and bits, and so does whoever goes on") {
  test::GasRecipe cold = recipe(0.4);
  Setup setup = test::gas(cold);
  setup.rules.disks.restitution = 0.5;
  const auto what_stops = [](const auto& advance) -> std::string {
    try {
      advance();
    } catch (const PhysicsError& error) {
      return error.what();
    }
    return {};
  };
  constexpr double kNeverReached = 1e3;  // s
  Simulation alone(setup);
  const auto advance_alone = [&] { alone.advance_to(kNeverReached); };
  const std::string why = what_stops(advance_alone);
  CHECK(why.find("time stands still") != std::string::npos);
  const std::string serial = saved(alone);
  const std::string why_again = what_stops(advance_alone);
  for (const int threads : {2, 3, 8}) {
    CAPTURE(threads);
    Simulation simulation(setup);
    Windows windows({.threads = threads, .halo = kHalo});
    const auto advance = [&] { windows.advance_to(simulation.world(), kNeverReached); };
    CHECK(what_stops(advance) == why);
    CHECK((saved(simulation) == serial));
    CHECK(windows.counts().windows > 0);
    CHECK(what_stops(advance) == why_again);
    CHECK((saved(simulation) == saved(alone)));
  }
}

TEST_CASE("a periodic gas is divided whatever its sides would be, and what is not says why") {
  Setup setup = gas();
  setup.open = true;
  Simulation simulation(setup);
  Windows windows({.threads = 2, .halo = kHalo});
  CHECK(windows.why_serial(simulation.world()).empty());
  windows.advance_to(simulation.world(), 1.0);
  CHECK(windows.counts().windows > 0);
  CHECK(Windows({.threads = 1}).why_serial(simulation.world()) == "it has one thread");
  const auto why = [&](const Setup& of) { return windows.why_serial(Simulation(of).world()); };
  setup.domain.periodic[1] = false;
  CHECK(why(setup) == "disks can leave through open sides (domain.sides)");
  setup.open = false;
  CHECK(why(setup).empty());
  setup.growth.rate = 0.1;
  setup.growth.from = 0.5;
  CHECK(why(setup) == "disks grow (growth)");
  setup.growth = {};
  setup.well = {1.1, -0.1};
  CHECK(why(setup) == "disks have wells (well)");
  setup.well = {};
  setup.walls = {{.name = "line", .polygon = {{0.0, 20.0}, {1.0, 20.0}}, .until = 1.0}};
  CHECK(why(setup) == "a wall moves, or is removed");
  setup.walls.clear();
  test::GasRecipe small = recipe();
  small.columns = 20;
  CHECK(why(test::gas(small)) ==
        "the half of the domain that has half of its disks is narrower than 12 of the greatest disk");
}

TEST_CASE("where tiles can never agree the run is serial") {
  constexpr double kTooNarrow = 0.4;  // greatest diameters: disks that touch own ones are not there
  const Setup setup = gas();
  const std::string serial = saved_by_serial_run(setup);
  Simulation simulation(setup);
  Windows windows({.threads = 2, .halo = kTooNarrow});
  windows.advance_to(simulation.world(), kEnd);
  CHECK((saved(simulation) == serial));
  CHECK(windows.counts().serial > 0);
}

TEST_CASE("more tiles than threads have the bits of the serial run") {
  const Setup setup = gas(0.3);
  const std::string serial = saved_by_serial_run(setup);
  for (const int threads : {1, 2}) {
    Simulation simulation(setup);
    Windows windows({.threads = threads, .tiles = 5, .halo = 2.0 * kHalo});
    windows.advance_to(simulation.world(), kEnd);
    CHECK((saved(simulation) == serial));
    CHECK(windows.counts().windows > kManyWindows);
  }
}

TEST_CASE("copies that move otherwise than the disks that they are of are noticed") {
  constexpr double kContact = 1.001;  // m
  constexpr double kHaloWidth = 6.0;  // m
  constexpr double kWindow = 0.04;    // s; half a mean free time
  const Setup setup = gas();
  Simulation simulation(setup);
  simulation.advance_to(1.0);
  const DiskWorld& whole = simulation.world();
  const Strips strips(whole.disks, whole.space, whole.now_on_clock(), 2, 4.0 * kHaloWidth);
  REQUIRE(strips.count() == 2);
  const auto coordinate = [&](Index i) { return strips.coordinate(whole.disks, i, whole.now_on_clock()); };
  Owners owners;
  for (Index i = 0; i < whole.disks.size(); ++i) owners.push_back(static_cast<std::uint32_t>(strips.at(coordinate(i))));
  /// Whether the second tile agrees with the first one, if it was begun from another whole.
  const auto agree = [&](const DiskWorld& of_second) {
    const TileWidths widths{.contact = kContact, .halo = kHaloWidth, .border = kHaloWidth};
    std::vector<Tile> tiles;
    tiles.emplace_back(whole, strips, 0, widths, owners);
    tiles.emplace_back(of_second, strips, 1, widths, owners);
    for (Tile& tile : tiles) tile.hand_over(&tile == &tiles[0] ? whole : of_second, tiles, owners);
    CHECK(tiles[0].run(whole, owners, whole.time + kWindow));
    CHECK(tiles[1].run(of_second, owners, whole.time + kWindow));
    return tiles[1].agrees_until(tiles, owners) == kNever;
  };
  CHECK(agree(whole));
  // Disks of the first tile, at the border, have velocities that differ by some roundings in the other.
  std::stringstream state;
  simulation.save(state);
  Simulation other(setup);
  other.load(state);
  int altered = 0;
  for (Index i = 0; i < owners.size(); ++i) {
    if (owners[i] != 0 || strips.distance(1, coordinate(i)) > 1.0) continue;
    Disks::Motion motion = whole.disks.motion(i);
    motion.velocity *= 1.0 + 1e-15;
    const Change change{Event::wall(whole.now_on_clock(), i, 0), i, {0, 0}, {motion, motion}};
    const KeptChange planted[] = {{&change, nullptr}};
    CHECK(repeat(other.world(), planted, whole.time));
    ++altered;
  }
  CHECK(altered > 5);
  CHECK(!agree(other.world()));
}

TEST_CASE("windows have the same bits for any output interval, after loading, and back on one thread") {
  const Setup setup = gas();
  const std::string serial = saved_by_serial_run(setup);
  Windows windows({.threads = 3, .halo = kHalo});
  Simulation simulation(setup);
  for (int k = 1; k < 40; ++k) {
    windows.advance_to(simulation.world(), kEnd * k / 40);
    (void)simulation.state();
  }
  windows.advance_to(simulation.world(), kEnd);
  CHECK((saved(simulation) == serial));

  Simulation first(setup);
  windows.advance_to(first.world(), 0.3 * kEnd);
  std::istringstream state(saved(first));
  windows.advance_to(first.world(), 0.5 * kEnd);
  first.load(state);
  windows.advance_to(first.world(), 0.8 * kEnd);
  windows.advance_to(first.world(), 0.9 * kEnd, 10);  // stops after a window or so
  CHECK(first.time() < 0.9 * kEnd);
  first.advance_to(kEnd);
  CHECK((saved(first) == serial));
  first.audit();
}

}  // namespace scree::hard_windows_test
