#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/hard/polygon_gases.hpp"
#include "tests/sanitized.hpp"

namespace scree::hard_polygon_physics_test {

using namespace scree::hard;

namespace {

constexpr double kPi = std::numbers::pi;

const Polygon& square() {
  static const Polygon square = rectangle(1.0, 1.0);
  return square;
}

void collide(PolygonSimulation& simulation, std::uint64_t collisions) {
  const std::uint64_t end = simulation.counters().collisions + collisions;
  while (simulation.counters().collisions < end) simulation.advance_to(simulation.time() + 0.01);
}

struct Parts {
  double translational = 0.0;
  double rotational = 0.0;
};

Parts parts_of(const PolygonSimulation& simulation) {
  Parts sum;
  const ParticleState now = simulation.state().particles;
  for (std::size_t i = 0; i < now.size(); ++i) {
    sum.translational += 0.5 * now.mass[i] * now.velocity[i].squaredNorm();
    sum.rotational += 0.5 * now.inertia[i] * now.angular_velocity[i] * now.angular_velocity[i];
  }
  return sum;
}

struct Mean {
  double mean;
  double error;  ///< of the mean, from blocks
};

/// Of blocks that are independent.
Mean mean_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value / count;
  double variance = 0.0;
  for (const double value : values) variance += (value - mean) * (value - mean) / (count - 1.0);
  return {mean, std::sqrt(variance / count)};
}

/// p A / (N kT) of a periodic gas, by the virial of its impulses.
Mean pressure(PolygonSimulation& simulation, std::uint64_t collisions_of_block, int blocks) {
  const auto count = static_cast<double>(simulation.particles());
  const Parts energy = parts_of(simulation);
  const double kT = (energy.translational + energy.rotational) / (1.5 * count - 1.0);
  const auto virial = [&] {
    double sum = 0.0;
    for (const LayerTransfer& layer : simulation.transfers().layers()) sum += layer.virial.trace();
    return sum;
  };
  std::vector<double> values;
  for (int k = 0; k < blocks; ++k) {
    const double begin = simulation.time();
    const double before = virial();
    collide(simulation, collisions_of_block);
    values.push_back(1.0 + (virial() - before) / (2.0 * count * kT * (simulation.time() - begin)));
  }
  return mean_of(values);
}

/// A grain above the floor y = 0, in a wide box of reflecting or inelastic sides.
Setup above_floor(const Polygon& polygon, const Vec2& position, double angle, const Vec2& velocity, double spin = 0.0) {
  Setup setup;
  setup.domain = {{-50.0, -50.0}, {50.0, 50.0}};
  setup.walls = {{.name = "floor", .polygon = {{-20.0, 0.0}, {20.0, 0.0}}}};
  test::add_grain(setup, test::form_of(polygon), position, angle, velocity, spin);
  return setup;
}

}  // namespace

TEST_CASE("gases of polygons have the pressure of independent programs, and one temperature") {
  struct Case {
    Polygon polygon;
    double packing_fraction;
    double pressure;  // p A / (N k T), of 256 grains, by an independent event-driven program and by Monte Carlo
    double error;
  };
  const std::vector<Case> cases = {{square(), 0.3, 2.2965, 0.0023},
                                   {square(), 0.5, 4.998, 0.006},
                                   {regular_polygon(3, 1.0), 0.3, 2.625, 0.003},
                                   {regular_polygon(5, 1.0), 0.3, 2.199, 0.002},
                                   {regular_polygon(6, 1.0), 0.5, 4.504, 0.008}};
  for (const Case& c : cases) {
    Setup setup =
        test::polygon_gas(c.polygon, {.columns = 12, .rows = 12, .packing_fraction = c.packing_fraction, .seed = 3});
    setup.measure = Measure{.every = 1.0, .from = 0.0, .region = {setup.domain.lo, setup.domain.hi}};
    PolygonSimulation simulation(setup);
    const double energy = simulation.summary().kinetic_energy;
    const std::uint64_t block = test::kSanitized ? 100 : 4000;
    collide(simulation, 2 * block);
    const int blocks = 12;
    const Mean z = pressure(simulation, block, blocks);
    // Of a share that has a beta distribution: 2 N - 2 and N squares, of which the sum is given.
    std::vector<double> ratios;
    for (int k = 0; k < blocks; ++k) {
      double ratio = 0.0;
      for (int look = 0; look < 20; ++look) {
        collide(simulation, block / 20);
        const Parts now = parts_of(simulation);
        ratio += now.translational / now.rotational / (143.0 / 71.0) / 20.0;
      }
      ratios.push_back(ratio);
    }
    const Mean ratio = mean_of(ratios);
    // What exceeds 1 is less for few grains, to first order by the number of pairs over N^2 / 2.
    const double expected = 1.0 + (c.pressure - 1.0) * (1.0 - 1.0 / 144.0) / (1.0 - 1.0 / 256.0);
    MESSAGE(c.polygon.vertices().size() << " sides, packing fraction " << c.packing_fraction << ": pressure " << z.mean
                                        << " +- " << z.error << ", reference " << expected << " +- " << c.error
                                        << "; ratio of temperatures " << ratio.mean << " +- " << ratio.error
                                        << "; energy " << simulation.summary().kinetic_energy / energy - 1.0);
    CHECK(std::abs(simulation.summary().kinetic_energy / energy - 1.0) < 1e-12);
    if (test::kSanitized) continue;
    CHECK(z.error < 0.015 * z.mean);  // else it says nothing
    CHECK(std::abs(z.mean - expected) < 3.5 * std::hypot(z.error, c.error));
    CHECK(ratio.error < 0.02);
    CHECK(std::abs(ratio.mean - 1.0) < 4.0 * ratio.error);
  }
}

TEST_CASE("disks that fly as polygons do collide as disks do") {
  Setup as_disks = test::gas({.columns = 6, .rows = 6, .packing_fraction = 0.5, .smallest = 0.6});
  as_disks.rules.disks = {.restitution = 0.9, .friction = 0.2};
  as_disks.contact_duration = 1e-4;
  Setup as_forms = as_disks;
  as_forms.has_forms = true;
  for (std::size_t i = 0; i < as_forms.radius.size(); ++i) {
    GrainForm form = test::disk_form(as_forms.radius[i]);
    form.inertia = 0.5 * as_forms.mass[i] * as_forms.radius[i] * as_forms.radius[i];
    as_forms.form.push_back(form);
  }
  as_disks.rules.disks.tangential_restitution = 0.0;
  Simulation disks(as_disks);
  PolygonSimulation forms(as_forms);
  const double end = 2.0;
  disks.advance_to(end);
  forms.advance_to(end);
  CHECK(disks.counters().collisions == forms.counters().collisions);
  CHECK(disks.counters().collisions > 50);
  const ParticleState a = disks.state().particles;
  const ParticleState b = forms.state().particles;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK((a.position[i] - b.position[i]).norm() < 1e-6);  // m; each collision amplifies what rounding made differ
    CHECK(std::abs(a.angular_velocity[i] - b.angular_velocity[i]) < 1e-6);
    CHECK(b.outlines.first[i + 1] == 0);
    CHECK(std::abs(b.radius[i] - a.radius[i]) < 1e-14);
  }
}

TEST_CASE("a square that falls flat on the floor leaves flat, and comes back to its height") {
  Setup setup = above_floor(square(), {0.3, 1.5}, 0.0, {0.2, 0.0});
  setup.gravity = {0.0, -1.0};
  PolygonSimulation simulation(setup);
  const double fall = std::sqrt(2.0);  // s
  for (int k = 1; k <= 10; ++k) {
    simulation.advance_to(2.0 * k * fall);
    const ParticleState now = simulation.state().particles;
    CHECK(std::abs(now.position[0].y() - 1.5) < 1e-10);  // m
    CHECK(std::abs(now.angular_velocity[0]) < 1e-10);
    CHECK(std::abs(now.angle[0]) < 1e-10);
  }
  CHECK(simulation.counters().wall_hits == 10);
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-12);
}

TEST_CASE("a thin rod that hits a smooth floor with one end gets the impulse of theory") {
  const Polygon rod = rectangle(1.0, 1e-4);
  for (const double angle : {0.2, 0.7, 1.2}) {
    for (const double restitution : {1.0, 0.6, 0.0}) {
      CAPTURE(angle);
      CAPTURE(restitution);
      Setup setup = above_floor(rod, {0.0, 1.0}, angle, {0.3, -1.0});
      setup.rules.walls = {.restitution = restitution};
      setup.contact_duration = 1e-9;
      PolygonSimulation simulation(setup);
      simulation.advance_to(1.0 - 0.5 * std::sin(angle) + 0.01);
      REQUIRE(simulation.counters().wall_hits == 1);
      const ParticleState now = simulation.state().particles;
      const double impulse = now.mass[0] * (now.velocity[0].y() + 1.0);
      const double c = std::cos(angle);
      CHECK(std::abs(impulse / now.mass[0] - (1.0 + restitution) / (1.0 + 3.0 * c * c)) < 1e-3);
      CHECK(now.velocity[0].x() == 0.3);
    }
  }
}

TEST_CASE("the energy of rough grains among moving walls balances: what walls did, losses and lifts") {
  Setup setup = test::polygon_gas(regular_polygon(5, 1.0), {.columns = 8, .rows = 8, .packing_fraction = 0.3});
  setup.domain.periodic = {true, false};
  setup.gravity = {0.0, -0.5};
  setup.rules.disks = {.restitution = 0.8, .friction = 0.3};
  setup.rules.walls = {.restitution = 0.9, .friction = 0.5};
  setup.contact_duration = 1e-3;
  const Vec2 hi = setup.domain.hi;
  setup.walls = {{.name = "shaken",
                  .polygon = {{0.0, -0.9}, {hi.x(), -0.9}, {hi.x(), -0.1}, {0.0, -0.1}},
                  .oscillation = {.amplitude = {0.0, 0.08}, .frequency = 0.7}},
                 {.name = "belt",
                  .polygon = {{0.0, hi.y() + 0.1}, {hi.x(), hi.y() + 0.1}, {hi.x(), hi.y() + 0.5}, {0.0, hi.y() + 0.5}},
                  .velocity = {0.4, 0.0}}};
  setup.domain.lo.y() = -1.0;
  setup.domain.hi.y() += 0.5;
  PolygonSimulation simulation(setup);
  simulation.advance_to(test::kSanitized ? 5.0 : 30.0);
  simulation.audit();
  const Summary summary = simulation.summary();
  MESSAGE("wall work " << summary.wall_work << " J, lost " << summary.dissipated_damping << " J and "
                       << summary.dissipated_friction << " J, residual " << summary.energy_residual << ", "
                       << simulation.counters().collisions << " collisions, " << simulation.counters().wall_hits
                       << " hits");
  CHECK(summary.wall_work > 1.0);
  CHECK(summary.dissipated_friction > 1.0);
  CHECK(simulation.counters().wall_hits > (test::kSanitized ? 20 : 200));
  CHECK(std::abs(summary.energy_residual) < 1e-11);
}

TEST_CASE("a square comes to rest on the floor in a run that goes on: one corner, then flat") {
  Setup setup = above_floor(square(), {0.0, 1.5}, 0.4, {0.1, 0.0}, 0.3);
  setup.gravity = {0.0, -10.0};
  setup.rules.walls = {.restitution = 0.5, .friction = 0.5};
  setup.contact_duration = 1e-4;
  PolygonSimulation simulation(setup);
  simulation.advance_to(test::kSanitized ? 1.7 : 3.0);
  simulation.audit();
  const ParticleState now = simulation.state().particles;
  const double angle = std::remainder(now.angle[0], 0.5 * kPi);
  MESSAGE("height " << now.position[0].y() << " m, angle " << angle << ", speed " << now.velocity[0].norm()
                    << " m/s, spin " << now.angular_velocity[0] << ", " << simulation.counters().wall_hits << " hits, "
                    << "residual " << simulation.summary().energy_residual);
  CHECK(std::abs(now.position[0].y() - 0.5) < 1e-5);  // m
  CHECK(std::abs(angle) < 1e-4);
  CHECK(now.velocity[0].norm() < 5e-3);  // some g t_c [m/s]
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-11);
}

TEST_CASE("inelastic squares cool at the rate of the mean-field theory of their two temperatures") {
  Setup setup = test::polygon_gas(square(), {.columns = 20, .rows = 20, .packing_fraction = 0.1, .seed = 5});
  setup.rules.disks = {.restitution = 0.9};
  setup.contact_duration = 1e-5;
  PolygonSimulation simulation(setup);
  if (test::kSanitized) return;
  const double begin = simulation.summary().kinetic_energy;
  collide(simulation, 400 * 6);
  const double collisions = static_cast<double>(simulation.counters().collisions) / 400.0;
  const double slope = -std::log(simulation.summary().kinetic_energy / begin) / collisions;
  MESSAGE("ln E falls by " << slope << " a collision over N, theory 0.12667");
  CHECK(std::abs(slope / 0.12667 - 1.0) < 0.06);
}

}  // namespace scree::hard_polygon_physics_test
