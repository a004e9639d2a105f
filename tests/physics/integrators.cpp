#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>

#include <doctest/doctest.h>

#include "dem/restitution.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::integrators_test {

using soft::Simulation;

// What the integrators make of contacts, against the step. With SCREE_TABLE set, the tables of docs/theory.md,
// section 1, are printed.

namespace {

constexpr std::array<Integrator, 4> kIntegrators = {Integrator::velocity_verlet, Integrator::gear_4, Integrator::gear_5,
                                                    Integrator::gear_6};
constexpr double kSize = 0.01;  // m
constexpr double kMass = 2600.0 * M_PI * 0.25 * kSize * kSize;

/// Of bounces on a floor, over the phases of the step.
struct Bounces {
  double greatest = 0.0;  ///< relative error's size
  double mean = 0.0;      ///< relative error
};

/// @param steps in an elastic contact  @param power 1: of the speed of rebound; 2: of its square
Bounces bounces(Integrator integrator, double restitution, double steps, int power) {
  constexpr int kPhases = 40;
  Scene scene = test::empty_scene();
  scene.soft.integrator = integrator;
  scene.materials[0].restitution = restitution;
  scene.walls = {test::floor_wall()};
  scene.soft.step = M_PI * std::sqrt(kMass / 1e6) / steps;
  Bounces errors;
  for (int k = 0; k < kPhases; ++k) {
    const double height = (8.0 + 1.0 * k / kPhases) * *scene.soft.step;  // at 1 m/s
    scene.particles = {
        test::placed(Disk{}, kSize, {{.position = {0.0, 0.5 * kSize + height}, .velocity = {0.0, -1.0}}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to((2.0 * steps + 30.0) * *scene.soft.step);
    REQUIRE(simulation.summary().contacts == 0);
    const double error = std::pow(simulation.state().particles.velocity[0].y() / restitution, power) - 1.0;
    errors.greatest = std::max(errors.greatest, std::abs(error));
    errors.mean += error / kPhases;
  }
  return errors;
}

/// By how much an oscillator's amplitude changes in a period. @param steps in half a period, as in an elastic contact
double amplitude_change(Integrator integrator, double steps) {
  constexpr int kPeriods = 200;
  Bodies bodies;
  bodies.add(1, 0, 0, 1.0, 1.0, 1.0, 1.0, {});
  bodies.velocity[0].x() = 1.0;
  soft::Gear gear(soft::gear_values(integrator), M_PI / steps);
  gear.add(Motion::Zero(), std::array{Motion(-1.0, 0.0, 0.0), Motion(Motion::Zero()), Motion(1.0, 0.0, 0.0)});
  const auto largest_in = [&](int periods) {
    double largest = 0.0;
    for (int k = 0; k < static_cast<int>(periods * 2.0 * steps); ++k) {
      gear.predict(bodies);
      const Motion acceleration(-bodies.position[0].x(), 0.0, 0.0);
      gear.correct(bodies, 0, std::span(&acceleration, 1));
      largest = std::max(largest, std::hypot(bodies.position[0].x(), bodies.velocity[0].x()));
    }
    return largest;
  };
  constexpr int kAtFirst = 20;  // so many that the largest amplitude is met
  const double before = largest_in(kAtFirst);
  largest_in(kPeriods - kAtFirst);
  return std::log(largest_in(kAtFirst) / before) / kPeriods;
}

/// Elastic polygons without friction in a periodic box, under a law that has a potential: the change of their energy
/// as a share of it, root mean square over several boxes.
double energy_of_gas(Integrator integrator, double share_of_step) {
  constexpr int kBoxes = 4;
  double squares = 0.0;
  for (std::uint64_t seed = 1; seed <= kBoxes; ++seed) {
    Scene scene = test::empty_scene();
    scene.seed = seed;
    scene.soft.integrator = integrator;
    scene.contact_law = "area_potential";
    scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 3e7};
    scene.domain = {{0.0, 0.0}, {0.07, 0.07}, {true, true}};
    scene.particles = {{.how = Fill{.region = {scene.domain.lo, scene.domain.hi}, .count = 25, .jitter = 0.5},
                        .material = 0,
                        .shape = RegularPolygon{5},
                        .size = {kSize, kSize}}};
    scene.soft.step = share_of_step * soft::time_step(scene).dt;
    Simulation simulation(scene, {.threads = 1});
    const double before = simulation.summary().kinetic_energy;
    simulation.advance_to(0.1);
    REQUIRE(simulation.impact_depths().total() > 100);  // collisions
    const Summary after = simulation.summary();
    const double change = (after.kinetic_energy + after.elastic_energy) / before - 1.0;
    squares += change * change / kBoxes;
  }
  return std::sqrt(squares);
}

template <class Measure>
void print(const char* what, const std::array<double, 5>& steps, const Measure& measure) {
  if (std::getenv("SCREE_TABLE") == nullptr) return;
  std::printf("%s\n", what);
  for (const double n : steps) {
    std::printf("| %g |", n);
    for (const Integrator integrator : kIntegrators) std::printf(" %.1e |", measure(integrator, n));
    std::printf("\n");
  }
}

}  // namespace

// The factor of (dt/t_c)^2 is pi^2 f (1 - f) with the fractional part f of t_c/dt (docs/theory.md).
TEST_CASE("an elastic collision changes the energy by 2.3 (dt/t_c)^2 at most, whichever integrator it is") {
  for (const Integrator integrator : kIntegrators) {
    CAPTURE(name(integrator));
    for (const double steps : {40.37, 160.37}) {
      CAPTURE(steps);
      const double bound = M_PI * M_PI * 0.37 * 0.63 / (steps * steps);
      const Bounces energy = bounces(integrator, 1.0, steps, 2);
      CHECK(std::abs(energy.greatest / bound - 1.0) < 0.05);
      CHECK(std::abs(energy.mean) < 0.02 * bound);
    }
  }
  print("elastic collision, largest energy error", {10.37, 20.37, 40.37, 80.37, 160.37},
        [](Integrator i, double n) { return bounces(i, 1.0, n, 2).greatest; });
  print("as many whole steps a collision", {10.0, 20.0, 40.0, 80.0, 160.0},
        [](Integrator i, double n) { return bounces(i, 1.0, n, 2).greatest; });
}

TEST_CASE("with a dashpot every integrator is of first order, and has no bias over the phases of the step") {
  constexpr double kRestitution = 0.5;
  const double zeta = damping_ratio(kRestitution);
  for (const Integrator integrator : kIntegrators) {
    CAPTURE(name(integrator));
    for (const double steps : {50.0, 200.0}) {
      CAPTURE(steps);
      const double beta_dt = zeta * M_PI / steps;
      const Bounces speed = bounces(integrator, kRestitution, steps, 1);
      CHECK(speed.greatest < 1.1 * beta_dt);
      CHECK(speed.greatest > 0.5 * beta_dt);
      CHECK(std::abs(speed.mean) < 0.1 * beta_dt);
    }
  }
  const std::array<double, 5> steps = {10.0, 20.0, 40.0, 80.0, 160.0};
  print("restitution 0.5, largest error", steps,
        [](Integrator i, double n) { return bounces(i, kRestitution, n, 1).greatest; });
  print("restitution 0.5, mean error", steps,
        [](Integrator i, double n) { return bounces(i, kRestitution, n, 1).mean; });
  print("oscillator, change of amplitude in a period", steps, amplitude_change);
}

TEST_CASE("frictionless elastic polygons keep their energy over hundreds of collisions, to the square of the step" *
          doctest::skip(test::kSanitized)) {
  for (const Integrator integrator : {Integrator::velocity_verlet, Integrator::gear_4}) {
    CAPTURE(name(integrator));
    const double error = energy_of_gas(integrator, 1.0);
    CHECK(error < 1e-5);
    CHECK(energy_of_gas(integrator, 4.0) > 9.0 * error);
  }
  print("gas of polygons, energy error", {4.0, 2.0, 1.0, 0.5, 0.25}, energy_of_gas);
}

}  // namespace scree::integrators_test
