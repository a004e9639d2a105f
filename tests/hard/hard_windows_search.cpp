#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/threads/windows.hpp"
#include "tests/hard/gases.hpp"
#include "tests/scenes.hpp"

namespace scree::hard_windows_search_test {

// Random gases on several threads, beside the serial run. Those of the test that is skipped are chosen by the variable
// SCREE_SEEDS: FIRST:COUNT.

using namespace scree::hard;

namespace {

constexpr int kThreads[] = {2, 3, 4, 8};

/// What a scene is made of, from its seed.
struct Draw {
  explicit Draw(std::uint64_t seed) : random(seed, 78, 0) {}

  Random random;
  double between(double lo, double hi) { return random.uniform(lo, hi); }
  bool one_in(int n) { return random.integer(1, n) == 1; }
};

/// Gases 36 to 460 diameters long, of 80 to 1200 disks.
struct RandomGas {
  explicit RandomGas(std::uint64_t seed) : draw(seed) {
    test::GasRecipe recipe{.columns = 2 * draw.random.integer(20, 100), .rows = 2 * draw.random.integer(1, 3)};
    recipe.packing_fraction = draw.between(0.05, 0.8);
    if (!draw.one_in(3)) recipe.smallest = draw.between(0.2, 1.0);
    recipe.seed = seed;
    recipe.periodic = !draw.one_in(3);
    setup = test::gas(recipe);
    if (!recipe.periodic && draw.one_in(2)) setup.domain.periodic[0] = true;
    setup.open = recipe.periodic && draw.one_in(2);
    choose_rules();
    if (!recipe.periodic && draw.one_in(2)) setup.gravity = {0.0, draw.between(-1.0, 0.0)};
    if (draw.one_in(3)) add_walls();
    if (draw.one_in(3)) {
      setup.measure.emplace().region = {setup.domain.lo, setup.domain.hi};
      setup.measure->free_flights = draw.one_in(2);
    }
    end = draw.between(2.0, 12.0);
    halo = draw.one_in(2) ? 3.0 : draw.between(2.0, 5.0);
  }

  Draw draw;
  Setup setup;
  double end;   // [s]
  double halo;  // greatest diameters

 private:
  CollisionRule rule() {
    CollisionRule rule;
    if (!draw.one_in(4)) rule.restitution = draw.one_in(3) ? draw.between(0.3, 0.9) : draw.between(0.9, 1.0);
    if (!draw.one_in(3)) rule.friction = draw.between(0.0, 0.5);
    if (draw.one_in(2)) rule.tangential_restitution = draw.between(-0.5, 0.8);
    return rule;
  }

  void choose_rules() {
    setup.rules.disks = rule();
    setup.rules.walls = rule();
    if (draw.one_in(2)) setup.contact_duration = draw.between(0.001, 0.05);
  }

  void add_walls() {
    const Vec2 size = setup.domain.hi - setup.domain.lo;
    std::vector<Wall> walls(static_cast<std::size_t>(draw.random.integer(1, 3)));
    for (std::size_t k = 0; k < walls.size(); ++k) {
      walls[k].name = "wall " + std::to_string(k);
      const double x = draw.between(0.1, 0.9);
      const double y = draw.between(0.2, 0.8);
      const Vec2 middle = setup.domain.lo + size.cwiseProduct(Vec2(x, y));
      const double height = draw.between(0.1, 0.5);
      walls[k].polygon = {middle + Vec2(-0.5, -0.5 * height), middle + Vec2(0.5, -0.3 * height)};
      if (draw.one_in(2)) walls[k].polygon.push_back(middle + Vec2(0.1, 0.5 * height));
    }
    test::add_walls(setup, walls);
  }
};

/// What is left at the end: all that decides what comes, all sums, and what went wrong.
struct End {
  std::string saved;
  std::string message;

  bool operator==(const End&) const = default;
};

template <class Run>
End end_of(Simulation& simulation, const Run& run) {
  End end;
  try {
    run();
  } catch (const PhysicsError& error) {
    end.message = error.what();
  }
  std::ostringstream out;
  simulation.save(out);
  end.saved = out.str();
  return end;
}

/// @param agreed counts windows in which all tiles agreed
End end_on(int threads, const RandomGas& gas, Simulation& simulation, double until, std::uint64_t& agreed) {
  Windows windows({.threads = threads, .halo = gas.halo});
  End end = end_of(simulation, [&] { windows.advance_to(simulation.world(), until); });
  agreed += windows.counts().windows;
  return end;
}

/// @return windows in which all tiles agreed
std::uint64_t compare_with_serial_run(std::uint64_t seed) {
  CAPTURE(seed);
  RandomGas gas(seed);
  Simulation alone(gas.setup);
  const End serial = end_of(alone, [&] { alone.advance_to(gas.end); });
  std::uint64_t agreed = 0;
  for (const int threads : kThreads) {
    CAPTURE(threads);
    Simulation simulation(gas.setup);
    const End end = end_on(threads, gas, simulation, gas.end, agreed);
    CHECK(end.message == serial.message);
    CHECK((end.saved == serial.saved));
  }
  if (!serial.message.empty()) return agreed;
  // Saved at some time, and resumed on another number of threads.
  const double at = gas.end * gas.draw.between(0.2, 0.8);
  const int first = gas.draw.random.integer(0, 3);
  const int then = (first + gas.draw.random.integer(1, 3)) % 4;
  CAPTURE(at);
  CAPTURE(kThreads[first]);
  CAPTURE(kThreads[then]);
  Simulation before(gas.setup);
  Simulation after(gas.setup);
  std::istringstream state(end_on(kThreads[first], gas, before, at, agreed).saved);
  after.load(state);
  CHECK((end_on(kThreads[then], gas, after, gas.end, agreed) == serial));
  return agreed;
}

}  // namespace

TEST_CASE("random gases have the bits of the serial run on any number of threads") {
  // Found by the long search: 1007 has logs of different tiles that are equally long; the others have clusters that
  // collapse, in which the rounding of the end of a window, or the order of events at one time, told.
  constexpr std::uint64_t kFound[] = {1382, 1496, 1530, 1574, 2363, 2765, 3109, 3291, 3377};
  constexpr std::uint64_t kFirst = 1005;
  constexpr std::uint64_t kScenes = test::kSanitized ? 4 : 60;
  std::uint64_t agreed = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + kScenes; ++seed) agreed += compare_with_serial_run(seed);
  CHECK(agreed > 100 * kScenes);
  for (const std::uint64_t seed : std::span(kFound).first(test::kSanitized ? 3 : std::size(kFound))) {
    compare_with_serial_run(seed);
  }
}

TEST_CASE("many random gases have the bits of the serial run on any number of threads" * doctest::skip()) {
  unsigned long long first = 1000;
  unsigned long long count = 2000;
  if (const char* seeds = std::getenv("SCREE_SEEDS")) {
    REQUIRE(std::sscanf(seeds, "%llu:%llu", &first, &count) == 2);  // NOLINT(cert-err34-c)
  }
  for (std::uint64_t seed = first; seed < first + count; ++seed) compare_with_serial_run(seed);
}

}  // namespace scree::hard_windows_search_test
