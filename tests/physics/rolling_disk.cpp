#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::rolling_disk_test {

using soft::Simulation;

// A disk on an incline rolls with a = (2/3) g sin(angle) if friction can hold a third of its weight's share along the
// plane, mu >= tan(angle)/3. If not it slips with a = g (sin(angle) - mu cos(angle)) and spins up with 2 mu g
// cos(angle)/r. Axes along and across the plane; rolling down, along +x, is clockwise: negative.
//
// The contact is a share d/2r nearer to the centre than the rim is, d the depth: the tolerance.
namespace {

constexpr double kRadius = 0.01;  // m
constexpr double kGravity = 9.81;

struct Accelerations {
  double along;     ///< [m/s^2]
  double spin;      ///< [1/s^2]
  double softness;  ///< depth over radius
};

Accelerations go_down(double angle, double friction) {
  Scene scene = test::empty_scene();
  scene.materials[0].friction = friction;
  scene.materials[0].stiffness = 1e7;
  scene.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle)};
  scene.walls = {test::floor_wall()};
  scene.particles = {test::placed(Disk{}, 2.0 * kRadius, {{.position = {0.0, kRadius}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.1);
  const State early = simulation.state();
  simulation.advance_to(0.4);
  const State late = simulation.state();
  const double duration = late.time - early.time;
  return {(late.particles.velocity[0].x() - early.particles.velocity[0].x()) / duration,
          (late.particles.angular_velocity[0] - early.particles.angular_velocity[0]) / duration,
          simulation.summary().max_depth / kRadius};
}

}  // namespace

TEST_CASE("a disk rolls down an incline with (2/3) g sin where friction can hold it") {
  for (const double angle : {0.1, 0.5, 1.0}) {
    for (const double share : {1.02, 3.0}) {
      CAPTURE(angle);
      CAPTURE(share);
      const Accelerations found = go_down(angle, share * std::tan(angle) / 3.0);
      const double expected = 2.0 / 3.0 * kGravity * std::sin(angle);
      CHECK(found.softness < 2e-4);
      CHECK(std::abs(found.along / expected - 1.0) < found.softness);
      CHECK(std::abs(found.spin * kRadius / -expected - 1.0) < found.softness);
    }
  }
}

TEST_CASE("a disk slips down an incline that is too smooth, and friction makes it spin") {
  for (const double angle : {0.1, 0.5, 1.0}) {
    for (const double share : {0.0, 0.5, 0.98}) {
      CAPTURE(angle);
      CAPTURE(share);
      const double friction = share * std::tan(angle) / 3.0;
      const Accelerations found = go_down(angle, friction);
      const double along = kGravity * (std::sin(angle) - friction * std::cos(angle));
      const double spin = -2.0 * friction * kGravity * std::cos(angle) / kRadius;
      CHECK(std::abs(found.along / along - 1.0) < found.softness);
      CHECK(std::abs(found.spin - spin) <= found.softness * std::abs(spin));
    }
  }
}

}  // namespace scree::rolling_disk_test
