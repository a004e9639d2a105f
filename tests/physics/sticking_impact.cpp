#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::sticking_impact_test {

using soft::Simulation;

// Elastic, oblique impacts on a floor that holds. With SCREE_TABLE set, the table of docs/theory.md, section 5, is
// printed.

namespace {

constexpr double kSize = 0.01;  // m
constexpr double kSpin = 20.0;  // 1/s

struct Impact {
  ShapeSpec shape;
  double angle;   ///< [rad]
  double height;  ///< of the centre when it touches [m]
};

Impact disk() {
  return {Disk{}, 0.0, 0.5 * kSize};
}

/// On a corner, leaning.
Impact square() {
  constexpr double kLean = 0.1;  // rad
  return {test::square(), 0.25 * M_PI - kLean, std::sqrt(0.5) * kSize / test::size_of_square(1.0) * std::cos(kLean)};
}

/// Falls at 1 m/s from so high that it touches a given time later. [s]
Scene scene_of(const Impact& impact, double touch) {
  Scene scene = test::empty_scene();
  scene.materials[0].restitution = 1.0;
  scene.materials[0].friction = 3.0;
  scene.walls = {test::floor_wall()};
  scene.particles = {test::placed(impact.shape, kSize,
                                  {{.position = {0.0, impact.height + touch},
                                    .angle = impact.angle - kSpin * touch,
                                    .velocity = {0.7, -1.0},
                                    .angular_velocity = kSpin}})};
  return scene;
}

/// Velocity afterwards; the third component is that of the rim.
Motion after_impact(Scene scene, double step) {
  scene.soft.step = step;
  Simulation simulation(scene, {.threads = 1});
  bool met = false;
  while (true) {
    simulation.advance_to(1.0, 1);
    const bool touching = simulation.summary().contacts > 0;
    if (met && !touching) break;
    met = met || touching;
  }
  const ParticleState p = simulation.state().particles;
  return {p.velocity[0].x(), p.velocity[0].y(), 0.5 * kSize * p.angular_velocity[0]};
}

/// Root mean square error of the speeds along the floor, over phases of the step and steps up to a seventh smaller
/// [m/s].
double error(const Impact& impact, Integrator integrator, double share_of_step) {
  constexpr int kPhases = 12;
  const auto part = [](int k, double irrational) { return std::fmod(k * irrational, 1.0); };
  double squares = 0.0;
  for (int k = 0; k < kPhases; ++k) {
    Scene scene = scene_of(impact, 1e-4);
    const double dt = soft::time_step(scene).dt;
    scene = scene_of(impact, 1e-4 + 2.0 * dt * part(k, 0.6180339887));
    scene.soft.integrator = integrator;
    const Motion exact = after_impact(scene, dt / 64.0);
    const Motion error = after_impact(scene, dt * share_of_step * (1.0 - 0.15 * part(k, 0.7548776662))) - exact;
    squares += (error.x() * error.x() + error.z() * error.z()) / kPhases;
  }
  return std::sqrt(squares);
}

/// The disk's impact by small steps of Heun's method, for the equations that the laws stand for.
Motion disk_by_small_steps() {
  const double radius = 0.5 * kSize;
  const double mass = 2600.0 * M_PI * radius * radius;
  constexpr double kNormal = 1e6;                      // N/m
  constexpr double kTangential = 2.0 / 7.0 * kNormal;  // N/m
  struct State {
    double depth;
    double spring;
    Motion velocity;  // x, y [m/s], spin [1/s]
  };
  const auto hold = [](State s) {
    const double longest = 3.0 * kNormal * std::max(s.depth, 0.0) / kTangential;
    s.spring = std::clamp(s.spring, -longest, longest);
    return s;
  };
  // The force acts midway in the overlap; the spring is that of the floor against the disk along the floor.
  const auto moved = [&](const State& s, const State& at, double dt) {
    const double lever = radius - 0.5 * at.depth;
    const double force = -kTangential * at.spring;
    const Motion acceleration = {force / mass, kNormal * at.depth / mass,
                                 force * lever / (0.5 * mass * radius * radius)};
    return State{s.depth - dt * at.velocity.y(), s.spring + dt * (at.velocity.x() + lever * at.velocity.z()),
                 s.velocity + dt * acceleration};
  };
  constexpr double dt = 1e-9;  // s
  State s = {0.0, 0.0, {0.7, -1.0, kSpin}};
  do {
    const State half = hold(moved(s, s, 0.5 * dt));
    s = hold(moved(s, half, dt));
  } while (s.depth > 0.0);
  return s.velocity * Motion(1.0, 1.0, radius);
}

}  // namespace

TEST_CASE("a disk that sticks to a floor during an impact rebounds as its equations predict") {
  const Motion expected = disk_by_small_steps();
  CHECK(std::abs(expected.x() - 0.7) > 0.1);  // m/s: the floor did hold
  const Scene scene = scene_of(disk(), 1e-4);
  const double dt = soft::time_step(scene).dt;
  CHECK((after_impact(scene, dt) - expected).matrix().norm() < 2e-3);  // m/s
  CHECK((after_impact(scene, dt / 16.0) - expected).matrix().norm() < 2e-5);
}

TEST_CASE("friction's spring is of second order in the step" * doctest::skip(test::kSanitized)) {
  for (const auto& shape : {std::pair{"disk", disk()}, std::pair{"square", square()}}) {
    const auto& impact = shape.second;
    for (const Integrator integrator : {Integrator::velocity_verlet, Integrator::gear_4}) {
      CAPTURE(shape.first);
      CAPTURE(name(integrator));
      const double coarse = error(impact, integrator, 2.0);
      const double fine = error(impact, integrator, 0.125);
      CHECK(std::log2(coarse / fine) / 4.0 > 1.8);
      CHECK(coarse < 3e-3);  // m/s
      if (std::getenv("SCREE_TABLE") == nullptr) continue;
      std::printf("| %s | `%s` |", shape.first, name(integrator));
      for (const double share : {2.0, 1.0, 0.5, 0.25, 0.125}) std::printf(" %.1e |", error(impact, integrator, share));
      std::printf("\n");
    }
  }
}

}  // namespace scree::sticking_impact_test
