#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/flight/packing.hpp"
#include "dem/hard/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/hard/polygon_gases.hpp"
#include "tests/sanitized.hpp"

namespace scree::polygon_growth_test {

using namespace scree::hard;

namespace {

/// Pentagons, and disks among them, that grow from half their size.
Setup growing(double rate, const GrowthSpec& until = {}) {
  Setup setup = test::polygon_gas(regular_polygon(5, 1.0),
                                  {.columns = 6, .rows = 6, .packing_fraction = 0.3, .disks = 0.2, .seed = 3});
  setup.growth = until;
  setup.growth.rate = rate;
  setup.growth.from = 0.5;
  return setup;
}

/// As the audit sees it, at many moments.
void run_audited(PolygonSimulation& simulation, double until, int looks) {
  for (int k = 1; k <= looks; ++k) {
    simulation.advance_to(until * k / looks);
    simulation.audit();
  }
}

std::string state_of(const PolygonSimulation& simulation) {
  std::ostringstream saved;
  simulation.save(saved);
  return saved.str();
}

double energy_of(const PolygonSimulation& simulation) {
  const Disks& disks = simulation.world().disks;
  return disks.kinetic_energy(simulation.world().now, simulation.world().space);
}

}  // namespace

TEST_CASE("grains that grow never overlap, end at the packing fraction that is asked for, and their energy balances") {
  PolygonSimulation simulation(growing(0.5, {.packing_fraction = 0.6, .rescaling = 4.0}));
  const double at_the_start = energy_of(simulation);
  run_audited(simulation, 4.0, test::kSanitized ? 20 : 100);
  CHECK_FALSE(simulation.grows());
  CHECK(std::abs(simulation.packing()->packing_fraction / 0.6 - 1.0) < 1e-12);
  CHECK(simulation.counters().collisions > 300);
  const auto& energy = simulation.world().energy;
  const double given = energy.growth;
  CHECK(given > 0.1 * at_the_start);
  CHECK(std::abs(energy_of(simulation) - (at_the_start + given - energy.rescaling)) < 1e-11 * (at_the_start + given));
}

TEST_CASE("grains that grow go on with the same bits after they are saved") {
  const Setup setup = growing(0.3);
  PolygonSimulation whole(setup);
  whole.advance_to(1.1);
  std::stringstream saved;
  whole.save(saved);
  PolygonSimulation resumed(setup);
  resumed.load(saved);
  whole.advance_to(2.0);
  resumed.advance_to(2.0);
  CHECK((state_of(whole) == state_of(resumed)));
  resumed.audit();
}

TEST_CASE("between hard sides, too, grains that grow stay inside and apart") {
  Setup setup = growing(0.2);
  setup.domain.periodic = {false, false};
  PolygonSimulation simulation(setup);
  run_audited(simulation, 4.0, 40);
  CHECK(simulation.packing()->packing_fraction > 0.35);
}

TEST_CASE("two squares that grow towards each other touch along a side, and rebound relative to it") {
  const Polygon square = rectangle(1.0, 1.0);
  Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}, {true, true}};
  test::add_grain(setup, test::form_of(square), {3.0, 5.0}, 0.0, {1.0, 0.0});
  test::add_grain(setup, test::form_of(square), {6.0, 5.0}, 0.0, {-1.0, 0.0});
  setup.growth = {.rate = 0.5, .from = 0.5, .packing_fraction = 0.5};
  PolygonSimulation simulation(setup);
  simulation.advance_to(1.1);  // 3 - 2 t = 0.5 + 0.5 t at t = 1: both edges move at 0.25 m/s
  REQUIRE(simulation.counters().collisions == 1);
  const Disks& disks = simulation.world().disks;
  CHECK(std::abs(disks.flight(0).velocity.x() + 1.5) < 1e-14);
  CHECK(std::abs(disks.flight(1).velocity.x() - 1.5) < 1e-14);
  CHECK(std::abs(disks.spin(0).angular_velocity) < 1e-14);
}

namespace {

Packing jammed(const Polygon& polygon, std::uint64_t seed) {
  Setup setup = test::polygon_gas(polygon, {.columns = 5, .rows = 5, .packing_fraction = 0.3, .seed = seed});
  setup.growth = {.rate = 0.005, .from = 0.5, .packing_fraction = 1.0, .pressure = 1e8, .rescaling = 20.0};
  PolygonSimulation simulation(setup);
  simulation.advance_to(1000.0);
  simulation.audit();
  return simulation.packing().value();
}

}  // namespace

TEST_CASE("squares that grow slowly fill the plane, and each touches its neighbours along whole sides" *
          doctest::skip(test::kSanitized)) {
  const Packing found = jammed(rectangle(1.0, 1.0), 1);
  CHECK(found.jammed);
  CHECK(std::abs(found.packing_fraction - 1.0) < 1e-6);
  CHECK(found.bearing == 25);
  CHECK(found.contacts >= 4 * found.bearing);  // four sides, each of two squares or of three, in rows that slide
}

TEST_CASE("pentagons that grow jam with about as many contacts as freedoms, edges counted twice" *
          doctest::skip(test::kSanitized)) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Packing found = jammed(regular_polygon(5, 1.0), seed);
    CHECK(found.jammed);
    CHECK(found.packing_fraction > 0.84);
    CHECK(found.packing_fraction < 0.88);
    CHECK(found.bearing >= 23);
    CHECK(found.least_contacts == 3 * found.bearing - 1);
    CHECK(found.contacts + 2 >= found.least_contacts);  // of weak contacts the gaps are greater
    CHECK(found.contacts < 4 * found.bearing);
  }
}

TEST_CASE("polygons grow between walls that stand, at rates of their own, without overlaps") {
  const Setup gas = growing(0.3, {.pressure = 1e3, .rescaling = 4.0});
  const Vec2 corner = gas.domain.lo;
  const Vec2 middle = 0.5 * (corner + gas.domain.hi);
  Setup setup = test::with_walls(
      gas, {{.name = "rhombus", .polygon = {middle + Vec2(0.3, 0.0), middle + Vec2(0.0, 0.4), middle - Vec2(0.3, 0.0)}},
            {.name = "segment", .polygon = {corner + Vec2(0.1, 0.1), corner + Vec2(0.2, 0.9)}}});
  setup.growth_share = {1.0, 0.5, 0.0};
  for (std::size_t i = 0; i < setup.position.size(); ++i) setup.type.push_back(static_cast<std::int32_t>(i % 3));
  REQUIRE(setup.position.size() > 25);
  PolygonSimulation simulation(setup);
  run_audited(simulation, 6.0, test::kSanitized ? 10 : 60);
  CHECK(simulation.counters().wall_hits > 15);
  CHECK(simulation.packing()->packing_fraction > 0.35);
  const auto& energy = simulation.world().energy;
  const double residual = energy_of(simulation) - energy.in + energy.rescaling - energy.growth;
  CHECK(std::abs(residual) < 1e-9 * energy.in);
}

}  // namespace scree::polygon_growth_test
