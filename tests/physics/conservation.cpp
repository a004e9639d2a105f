#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::conservation_test {

using soft::Simulation;

// Elastic bodies without friction, far from any wall.
namespace {

constexpr double kSide = 0.01;  // m

Scene elastic_scene() {
  Scene scene = test::empty_scene();
  scene.materials[0].restitution = 1.0;
  scene.materials[0].friction = 0.0;
  return scene;
}

double uniform(std::uint64_t& state, double least, double greatest) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return least + (greatest - least) * static_cast<double>(state >> 11) * 0x1p-53;
}

struct HeadOn {
  double energy_change = 0.0;  ///< as a share of the kinetic energy
  double depth = 0.0;          ///< largest, in sides
};

/// Two squares, each with half the speed.
HeadOn head_on(double speed, double angle, double offset, double share_of_step) {
  Scene scene = elastic_scene();
  scene.particles = {
      test::placed(test::square(), test::size_of_square(kSide),
                   {{.position = {-0.9 * kSide, 0.0}, .velocity = {0.5 * speed, 0.0}},
                    {.position = {0.9 * kSide, offset * kSide}, .angle = angle, .velocity = {-0.5 * speed, 0.0}}})};
  scene.soft.step = share_of_step * soft::time_step(scene).dt;
  Simulation simulation(scene, {.threads = 1});
  const double before = simulation.summary().kinetic_energy;
  HeadOn result;
  bool met = false;
  while (simulation.time() * speed < 3.0 * kSide) {
    simulation.advance_to(1.0, 1);
    const Summary now = simulation.summary();
    result.depth = std::max(result.depth, now.max_depth / kSide);
    if (now.contacts > 0) met = true;
    if (met && now.contacts == 0) break;
  }
  const Summary after = simulation.summary();
  REQUIRE(after.contacts == 0);
  result.energy_change = after.kinetic_energy / before - 1.0;
  return result;
}

/// What a closed system keeps.
struct Kept {
  Vec2 momentum = Vec2::Zero();   ///< [kg m/s]
  double angular_momentum = 0.0;  ///< about the origin [kg m^2/s]
  double energy = 0.0;            ///< [J]
};

Kept kept(const Simulation& simulation) {
  const State state = simulation.state();
  const Summary summary = simulation.summary();
  Kept sum{.energy = summary.kinetic_energy + summary.elastic_energy};
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    const double mass = state.particles.mass[i];
    sum.momentum += mass * state.particles.velocity[i];
    sum.angular_momentum += mass * cross(state.particles.position[i], state.particles.velocity[i]) +
                            state.particles.inertia[i] * state.particles.angular_velocity[i];
  }
  return sum;
}

/// A lattice of 6 by 6 grains, all of them heading for its middle, each spinning in its own way.
Scene implosion(const ShapeSpec& shape) {
  Scene scene = elastic_scene();
  scene.materials[0].stiffness = 1e7;
  std::uint64_t random = 11;
  Place place;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) {
      const Vec2 position = kSide * Vec2(1.6 * (column - 2.5), 1.6 * (row - 2.5));
      place.push_back({.position = position,
                       .angle = uniform(random, 0.0, 6.0),
                       .velocity = -20.0 * position + Vec2(uniform(random, -0.2, 0.2), uniform(random, -0.2, 0.2)),
                       .angular_velocity = uniform(random, -30.0, 30.0)});
    }
  }
  scene.particles = {test::placed(shape, kSide, place)};
  return scene;
}

}  // namespace

// The classical law is no gradient of a potential: what the pair gains or loses is the law's, since a quarter of the
// step gives the same but for the integrator's 2.5 (dt/t_c)^2 = 5e-4 (docs/theory.md, sections 1 and 3).
TEST_CASE("squares that meet head on keep their energy to some per cent, whatever the step") {
  struct Case {
    bool vertex;   ///< ... on an edge; else edge on edge
    double speed;  ///< [m/s]
    double depth;  ///< mean, in sides
    double rms;    ///< of the changes of energy
    double extreme;
  };
  for (const Case& c : {Case{true, 0.07, 0.02, 2.4e-3, 5e-3}, Case{true, 1.5, 0.16, 2e-2, 5e-2},
                        Case{false, 0.07, 0.006, 3.6e-2, 0.1}, Case{false, 1.5, 0.12, 3.6e-2, 0.1}}) {
    CAPTURE(c.vertex);
    CAPTURE(c.speed);
    std::uint64_t random = 7;
    double squares = 0.0;
    double depth = 0.0;
    constexpr int kCollisions = 40;
    for (int k = 0; k < kCollisions; ++k) {
      const double angle = c.vertex ? 0.25 * M_PI + uniform(random, -0.35, 0.35) : uniform(random, -0.02, 0.02);
      const double offset = c.vertex ? uniform(random, -0.3, 0.3) : uniform(random, -0.6, 0.6);
      const HeadOn met = head_on(c.speed, angle, offset, 1.0);
      CHECK(std::abs(met.energy_change) < c.extreme);
      CHECK(std::abs(met.energy_change - head_on(c.speed, angle, offset, 0.25).energy_change) < 1e-3);
      squares += met.energy_change * met.energy_change / kCollisions;
      depth += met.depth / kCollisions;
    }
    CHECK(std::sqrt(squares) < c.rms);
    CHECK(std::abs(depth / c.depth - 1.0) < 0.2);
  }
}

// Forces of a pair are opposite to the last bit and the integrator is linear in them: momentum is kept to rounding,
// angular momentum to the truncation of the integrator. The energy of disks is kept to 2.5 (dt/t_c)^2 a collision.
TEST_CASE("grains that rush together and apart keep momentum, angular momentum and energy") {
  struct Case {
    ShapeSpec shape;
    double of_step;
    double energy;
    Integrator integrator = Integrator::gear_4;
  };
  const ShapeSpec polygon = RandomPolygon{{3, 7}, {1.0, 1.3}};
  for (const Case& c :
       {Case{Disk{}, 1.0, 5e-4}, Case{Disk{}, 1.0, 5e-4, Integrator::velocity_verlet}, Case{Disk{}, 0.125, 5e-4 / 64.0},
        Case{polygon, 1.0, 3.6e-2}, Case{polygon, 1.0, 3.6e-2, Integrator::velocity_verlet}}) {
    CAPTURE(c.shape.index());
    CAPTURE(c.of_step);
    CAPTURE(name(c.integrator));
    Scene scene = implosion(c.shape);
    scene.soft.integrator = c.integrator;
    scene.soft.step = c.of_step * soft::time_step(scene).dt;
    Simulation simulation(scene, {.threads = 1});
    const Kept before = kept(simulation);
    simulation.advance_to(0.05);
    const Kept after = kept(simulation);
    CHECK(simulation.impact_depths().total() > 100);                            // collisions
    CHECK((after.momentum - before.momentum).norm() < 1e-13);                   // kg m/s; the grains have 2 together
    CHECK(std::abs(after.angular_momentum - before.angular_momentum) < 1e-10);  // kg m^2/s, of 7e-3
    CHECK(std::abs(after.energy / before.energy - 1.0) < c.energy);
  }
}

}  // namespace scree::conservation_test
