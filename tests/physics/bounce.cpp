#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::bounce_test {

using soft::Simulation;

namespace {

constexpr double kSize = 0.01;  // m

/// Speed after hitting the floor at 1 m/s from a height above contact.
double rebound_speed(const ShapeSpec& shape, double angle, double lowest, double restitution, double height,
                     Integrator integrator = Integrator::gear_4,
                     const std::vector<Wall>& floor = {test::floor_wall()}) {
  Scene scene = test::empty_scene();
  scene.soft.integrator = integrator;
  scene.materials[0].restitution = restitution;
  scene.materials[0].friction = 0.0;
  scene.walls = floor;
  scene.particles = {
      test::placed(shape, kSize, {{.position = {0.0, lowest + height}, .angle = angle, .velocity = {0.0, -1.0}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.02);
  const State state = simulation.state();
  REQUIRE(state.contacts.empty());
  CHECK(std::abs(state.particles.angular_velocity[0]) < 1e-6);  // 1/s
  return state.particles.velocity[0].y();
}

/// Rebound of x'' + 2 zeta x' + x = 0 that starts at x = 0, x' = 1 and is let go where the force would pull: by small
/// steps of Runge-Kutta's method, to compare the closed form with.
double clipped_restitution(double zeta) {
  constexpr double h = 1e-3;
  const auto force = [&](double x, double v) { return x + 2.0 * zeta * v; };
  double x = 0.0;
  double v = 1.0;
  while (true) {
    const double a1 = -force(x, v);
    const double a2 = -force(x + 0.5 * h * v, v + 0.5 * h * a1);
    const double a3 = -force(x + 0.5 * h * (v + 0.5 * h * a1), v + 0.5 * h * a2);
    const double a4 = -force(x + h * (v + 0.5 * h * a2), v + h * a3);
    const double x_next = x + h * v + h * h / 6.0 * (a1 + a2 + a3);
    const double v_next = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    const double now = force(x, v);
    const double next = force(x_next, v_next);
    if (next <= 0.0) return -(v + (v_next - v) * now / (now - next));
    x = x_next;
    v = v_next;
  }
}

}  // namespace

// A scene asks for a restitution; the damping ratio that gives it, from 0.03 to 2, is found here without scree's
// formula. With a dashpot every integrator is of first order at the touch (docs/theory.md), hence the tolerance: beta
// dt times 1.2 for one phase of the step, and no bias over all phases.
TEST_CASE("a disk bounces with the restitution of the clipped oscillator, at any phase of the step") {
  for (const double zeta : {0.03, 0.1, 0.25, 0.5, 0.8, 1.0, 1.25, 1.6, 2.0}) {
    CAPTURE(zeta);
    const double e = clipped_restitution(zeta);
    Scene scene = test::empty_scene();
    scene.particles = {test::placed(Disk{}, kSize, {{.position = {0, 0}}})};
    const double dt = soft::time_step(scene).dt;
    const double mass = 2600.0 * M_PI * 0.25 * kSize * kSize;
    const double beta_dt = zeta * std::sqrt(1e6 / mass) * dt;
    for (const Integrator integrator : {Integrator::gear_4, Integrator::velocity_verlet}) {
      CAPTURE(name(integrator));
      double mean = 0.0;
      constexpr int kPhases = 24;
      for (int k = 0; k < kPhases; ++k) {
        const double measured = rebound_speed(Disk{}, 0.0, 0.5 * kSize, e, 1e-4 + dt * k / kPhases, integrator);
        CHECK(std::abs(measured / e - 1.0) < 1.2 * beta_dt);
        mean += measured / kPhases;
      }
      CHECK(std::abs(mean / e - 1.0) < 0.2 * beta_dt + 1e-4);  // no bias
    }
  }
}

TEST_CASE("a square that falls flat bounces with its material's restitution") {
  const double half = 0.5 * kSize / test::size_of_square(1.0);
  for (const double e : {0.3, 0.6, 0.9}) {
    CAPTURE(e);
    CHECK(std::abs(rebound_speed(test::square(), 0.0, half, e, 1e-4) - e) < 0.01);
  }
}

TEST_CASE("a square that falls on its corner bounces with its material's restitution") {
  const double half_diagonal = 0.5 * std::sqrt(2.0) * kSize / test::size_of_square(1.0);
  for (const double e : {0.3, 0.6, 0.9}) {
    CAPTURE(e);
    CHECK(std::abs(rebound_speed(test::square(), 0.25 * M_PI, half_diagonal, e, 1e-4) - e) < 0.01);
  }
}

// The numbers are those of docs/laws.md.
TEST_CASE(
    "on the joint of two walls both damp whole, by the root of two more than one wall does; a corner they share") {
  const std::vector<Wall> joint = {test::box_wall({-0.1, -0.1}, {0.0, 0.0}), test::box_wall({0.0, -0.1}, {0.1, 0.0})};
  const auto rebound = [&](const ShapeSpec& shape, double angle, double lowest, double e) {
    return rebound_speed(shape, angle, lowest, e, 1e-4, Integrator::gear_4, joint);
  };
  for (const double zeta : {0.03, 0.25, 0.8, 1.25}) {
    CAPTURE(zeta);
    const double e = clipped_restitution(zeta);
    CHECK(std::abs(rebound(Disk{}, 0.0, 0.5 * kSize, e) - clipped_restitution(std::sqrt(2.0) * zeta)) < 0.01);
  }
  const double side = kSize / test::size_of_square(1.0);
  struct Case {
    double asked;
    double disk;
    double flat;
  };
  for (const Case& c :
       {Case{0.1, 0.059, 0.072}, Case{0.3, 0.209, 0.241}, Case{0.5, 0.394, 0.435}, Case{0.9, 0.863, 0.879}}) {
    CAPTURE(c.asked);
    CHECK(std::abs(rebound(Disk{}, 0.0, 0.5 * kSize, c.asked) - c.disk) < 0.015);
    CHECK(std::abs(rebound(test::square(), 0.0, 0.5 * side, c.asked) - c.flat) < 0.015);
    CHECK(std::abs(rebound(test::square(), 0.25 * M_PI, side * std::sqrt(0.5), c.asked) - c.asked) < 0.01);
  }
}

// A spring's force has a kink at the touch and at the release, which the step cuts at any phase: every integrator then
// makes an energy error of up to (pi dt / 2 t_c)^2 a collision (docs/theory.md), of either sign.
TEST_CASE("an elastic disk keeps its energy over many bounces") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.materials[0].restitution = 1.0;
  scene.materials[0].friction = 0.0;
  scene.walls = {test::floor_wall()};
  scene.particles = {test::placed(Disk{}, kSize, {{.position = {0.0, 0.02}}})};
  Simulation simulation(scene, {.threads = 1});
  const Summary before = simulation.summary();
  const double energy = before.kinetic_energy + before.potential_energy;
  double highest = 0.0;
  const double contact_time = M_PI * std::sqrt(2600.0 * M_PI * 0.25 * kSize * kSize / 1e6);
  const double tolerance = 3.0 * 2.47 * std::pow(simulation.dt() / contact_time, 2);  // 36 bounces, random signs
  CHECK(tolerance < 1e-3);
  for (int k = 1; k <= 400; ++k) {
    simulation.advance_to(0.01 * k);
    const Summary now = simulation.summary();
    CHECK(std::abs((now.kinetic_energy + now.potential_energy + now.elastic_energy) / energy - 1.0) < tolerance);
    if (k > 300) highest = std::max(highest, now.potential_energy);
  }
  CHECK(highest > 0.9 * before.potential_energy);
}

}  // namespace scree::bounce_test
