#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/gases.hpp"

namespace scree::wells_test {

using namespace scree::hard;

namespace {

constexpr double kSpeed = 2.0;  // of approach [m/s]
constexpr double kRange = 1.8;

/// Two disks of diameter 1 m and mass 1 kg that fly at each other, `offset` apart beside the line of flight [m].
Setup encounter(double offset, double energy) {
  Setup setup;
  setup.domain = {{-50.0, -50.0}, {50.0, 50.0}};
  setup.position = {{-3.0, -0.5 * offset}, {3.0, 0.5 * offset}};
  setup.velocity = {{0.5 * kSpeed, 0.0}, {-0.5 * kSpeed, 0.0}};
  setup.radius = {0.5, 0.5};
  setup.mass = {1.0, 1.0};
  setup.well = {kRange, energy};
  return setup;
}

/// Angle by which the relative velocity turns, by refraction at the edge of the well and reflection at the core [rad].
double deflection(double offset, double energy) {
  const double kinetic = 0.25 * kSpeed * kSpeed;  // of the reduced mass, 1/2 kg [J]
  const double outer = std::asin(offset / kRange);
  if (kinetic * std::pow(std::cos(outer), 2) < energy) return std::numbers::pi - 2.0 * outer;
  const double index = std::sqrt(1.0 - energy / kinetic);
  const double inner = std::asin(offset / (index * kRange));
  if (offset >= index) return 2.0 * (inner - outer);  // misses the core, of radius 1
  return std::numbers::pi - 2.0 * (outer - inner + std::asin(offset / index));
}

double energy(const Simulation& simulation) {
  const Summary now = simulation.summary();
  return now.kinetic_energy + now.potential_energy;
}

Setup fluid(double energy, double packing_fraction = 0.3) {
  Setup setup = test::gas({.columns = 10, .rows = 10, .packing_fraction = packing_fraction, .smallest = 0.8});
  setup.well = {1.5, energy};
  return setup;
}

}  // namespace

TEST_CASE("two disks with a well or a shoulder are deflected by the law of refraction") {
  int reflected = 0;
  int cores = 0;
  for (const double v0 : {-2.0, -0.3, 0.2, 0.6, 2.0}) {
    for (const double offset : {0.01, 0.4, 0.9, 1.2, 1.6}) {
      CAPTURE(v0);
      CAPTURE(offset);
      Simulation simulation(encounter(offset, v0));
      const double before = energy(simulation);
      simulation.advance_to(10.0);
      simulation.audit();
      REQUIRE(simulation.pairs_in_wells() == 0);
      const ParticleState now = simulation.state().particles;
      const Vec2 relative = now.velocity[1] - now.velocity[0];
      CHECK(std::abs(relative.norm() - kSpeed) < 1e-12);
      CHECK(std::abs(energy(simulation) - before) < 1e-12);
      const double turned = std::atan2(cross(Vec2(-1.0, 0.0), relative), -relative.x());  // clockwise: away
      CHECK(std::abs(-turned - deflection(offset, v0)) < 1e-9);
      cores += simulation.counters().collisions == 1 ? 1 : 0;
      reflected += simulation.counters().crossings == 1 ? 1 : 0;
      CHECK(simulation.counters().crossings <= 2);
    }
  }
  CHECK(cores > 5);
  CHECK(reflected > 5);
}

TEST_CASE("a pair that loses energy in a well is caught, and bounces inside") {
  Setup setup = encounter(0.3, -1.0);
  setup.rules.disks.restitution = 0.5;
  Simulation simulation(setup);
  simulation.advance_to(30.0);
  CHECK(simulation.pairs_in_wells() == 1);
  CHECK(simulation.counters().collisions > 3);
  CHECK(simulation.counters().crossings > 3);
  CHECK(energy(simulation) < 0.0);
  const ParticleState now = simulation.state().particles;
  CHECK((now.position[1] - now.position[0]).norm() <= kRange + 1e-12);
  CHECK((now.velocity[0] + now.velocity[1]).norm() < 1e-14);
  simulation.audit();
}

TEST_CASE("a fluid of square wells keeps energy and momentum, and gathers in wells; shoulders keep apart") {
  double inside[3];
  int k = 0;
  for (const double v0 : {-0.7, 0.0, 0.7}) {
    CAPTURE(v0);
    Simulation simulation(fluid(v0));
    const double before = energy(simulation);
    double sum = 0.0;
    for (int step = 1; step <= 40; ++step) {
      simulation.advance_to(0.5 * step);
      simulation.audit();
      if (step > 20) sum += static_cast<double>(simulation.pairs_in_wells());
    }
    inside[k++] = sum / 20.0;
    CHECK(simulation.counters().crossings > 3000);
    CHECK(std::abs(energy(simulation) / before - 1.0) < 1e-12);
    const ParticleState now = simulation.state().particles;
    Vec2 momentum = Vec2::Zero();
    for (std::size_t i = 0; i < now.size(); ++i) momentum += now.mass[i] * now.velocity[i];
    CHECK(momentum.norm() < 1e-11);
  }
  CHECK(inside[0] > 1.15 * inside[1]);
  CHECK(inside[2] < 0.85 * inside[1]);
}

TEST_CASE("wells that cannot be simulated are refused") {
  const auto refused = [](const char* text, auto change) {
    Setup bad = encounter(0.1, -1.0);
    change(bad);
    CHECK_THROWS_WITH_AS(Simulation{bad}, doctest::Contains(text), InvalidScene);
  };
  refused("well.range", [](Setup& s) { s.well.range = 0.9; });
  refused("well.energy", [](Setup& s) { s.well.energy = std::nan(""); });
  refused("cannot grow", [](Setup& s) { s.growth.rate = 0.1; });
  refused("no disks can be added", [](Setup& s) { s.greatest_radius = 0.1; });
  refused("sides", [](Setup& s) { s.open = true; });
}

}  // namespace scree::wells_test
