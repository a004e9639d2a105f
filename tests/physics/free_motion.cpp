#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::free_motion_test {

using soft::Simulation;

TEST_CASE("free fall is exact to rounding") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.5, -9.81};
  scene.soft.step = 1e-4;
  scene.particles = {test::placed(RegularPolygon{5}, 0.01,
                                  {{.position = {0, 0}, .angle = 0.3, .velocity = {1, 2}, .angular_velocity = 3}})};
  for (const Integrator integrator :
       {Integrator::velocity_verlet, Integrator::gear_4, Integrator::gear_5, Integrator::gear_6}) {
    scene.soft.integrator = integrator;
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(1.0);
    const State state = simulation.state();
    const double t = state.time;
    CHECK(std::abs(state.particles.position[0].x() - (t + 0.25 * t * t)) < 1e-11);              // m
    CHECK(std::abs(state.particles.position[0].y() - (2.0 * t - 0.5 * 9.81 * t * t)) < 1e-11);  // m
    CHECK(std::abs(state.particles.angle[0] - (0.3 + 3.0 * t)) < 1e-11);                        // rad
    CHECK(std::abs(state.particles.velocity[0].y() - (2.0 - 9.81 * t)) < 1e-11);                // m/s
  }
}

namespace {

struct Momenta {
  Vec2 linear = Vec2::Zero();
  double angular = 0.0;
};

Momenta momenta(const State& state) {
  Momenta sum;
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    const double mass = state.particles.mass[i];
    sum.linear += mass * state.particles.velocity[i];
    sum.angular += mass * cross(state.particles.position[i], state.particles.velocity[i]) +
                   state.particles.inertia[i] * state.particles.angular_velocity[i];
  }
  return sum;
}

/// Two spinning polygons meet. Momenta are looked at before and after, forces and torques at every step.
struct Collision {
  bool happened = false;
  double momentum_error = 0.0;          // kg m/s
  double angular_momentum_error = 0.0;  // kg m^2/s
};

Collision collide(std::uint64_t seed, double share_of_step) {
  Scene scene = test::empty_scene();
  scene.seed = seed;
  const double y = 0.0005 * static_cast<double>(seed);
  scene.particles = {test::placed(RandomPolygon{{3, 8}, {1.0, 2.0}}, 0.02,
                                  {{.position = {-0.02, y}, .velocity = {1.0, 0.1}, .angular_velocity = 5.0},
                                   {.position = {0.02, 0.0}, .velocity = {-1.0, 0.0}, .angular_velocity = -30.0}})};
  scene.soft.step = share_of_step * soft::time_step(scene).shortest_contact / 50.0;
  Simulation simulation(scene, {.threads = 1});
  const Momenta before = momenta(simulation.state());
  Collision result;
  while (simulation.time() < 0.03) {
    simulation.advance_to(1.0, 1);
    const State state = simulation.state();
    if (state.contacts.empty()) continue;
    result.happened = true;
    REQUIRE(state.contacts.size() == 1);
    CHECK(state.particles.force[0] == -state.particles.force[1]);
    // Both torques are those of one force at one point: they add up to zero about any point. (The arms are those of
    // the predicted positions, which differ from these by the correction.)
    const ParticleState& p = state.particles;
    const double about_origin =
        cross(p.position[0], p.force[0]) + p.torque[0] + cross(p.position[1], p.force[1]) + p.torque[1];
    CHECK(std::abs(about_origin) <= 1e-6 * p.force[0].norm() * 0.02);  // N m
  }
  const Momenta after = momenta(simulation.state());
  result.momentum_error = (after.linear - before.linear).norm();
  result.angular_momentum_error = std::abs(after.angular - before.angular);
  return result;
}

}  // namespace

// The contact's force and torques balance to rounding. The predictor-corrector passes momentum on exactly, since it is
// linear in the forces; angular momentum, a product of position and velocity, up to its truncation error.
TEST_CASE("two free polygons that collide keep momentum to rounding and angular momentum to the order of the step") {
  int collided = 0;
  double error = 0.0;
  double error_at_half_step = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Collision full = collide(seed, 1.0);
    const Collision half = collide(seed, 0.5);
    collided += full.happened ? 1 : 0;
    CHECK(full.momentum_error < 1e-13);          // kg m/s, of 0.8
    CHECK(full.angular_momentum_error < 3e-10);  // kg m^2/s, of 3e-3
    error += full.angular_momentum_error;
    error_at_half_step += half.angular_momentum_error;
  }
  CHECK(collided >= 15);
  CHECK(error_at_half_step < 0.4 * error);
}

}  // namespace scree::free_motion_test
