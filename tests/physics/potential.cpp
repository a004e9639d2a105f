#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::potential_test {

using soft::Simulation;

// Elastic, frictionless head-on collisions of two free squares: what a law that is not conservative makes of their
// energy, and that a potential's keeps it. With SCREE_TABLE set, the table of docs/theory.md is printed.

namespace {

constexpr double kSide = 0.01;  // m

struct Changes {
  double rms = 0.0;
  double least = 0.0;
  double greatest = 0.0;
  double mean_depth = 0.0;  ///< largest of a collision, over the side
};

/// Relative changes of the kinetic energy. @param corner one square is turned by 45 degrees, within 20; else by up
/// to 1.1
Changes collide(const std::string& law, bool corner, double speed, double share_of_step) {
  constexpr int kCollisions = 60;
  std::mt19937_64 bits(5);
  const auto within = [&](double bound) { return bound * (2.0 * static_cast<double>(bits() >> 11) * 0x1p-53 - 1.0); };
  Changes changes;
  for (int k = 0; k < kCollisions; ++k) {
    Scene scene = test::empty_scene();
    scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 1e6};
    const double angle = corner ? 0.25 * M_PI + within(0.35) : within(0.02);
    const double offset = within(corner ? 0.3 : 0.6) * kSide;
    scene.particles = {test::placed(test::square(), test::size_of_square(kSide),
                                    {{.position = {offset, 1.3 * kSide}, .angle = angle, .velocity = {0.0, -speed}},
                                     {.position = {0.0, 0.0}, .velocity = {0.0, speed}}})};
    scene.soft.step = share_of_step * soft::time_step(scene).dt;
    scene.contact_law = law;
    Simulation simulation(scene, {.threads = 1});
    const double before = simulation.summary().kinetic_energy;
    double depth = 0.0;
    while (simulation.time() < 1.3 * kSide / speed) {
      simulation.advance_to(1e9, 4);
      depth = std::max(depth, simulation.summary().max_depth);
    }
    REQUIRE(simulation.summary().contacts == 0);
    REQUIRE(depth > 0.0);
    const double change = simulation.summary().kinetic_energy / before - 1.0;
    changes.rms += change * change / kCollisions;
    changes.least = std::min(changes.least, change);
    changes.greatest = std::max(changes.greatest, change);
    changes.mean_depth += depth / kSide / kCollisions;
  }
  changes.rms = std::sqrt(changes.rms);
  if (std::getenv("SCREE_TABLE") != nullptr) {
    std::printf("| `%s` | %s | %.3f | %.1e | %.1e, %.1e |\n", law.c_str(), corner ? "corner on edge" : "edge on edge",
                changes.mean_depth, changes.rms, changes.least, changes.greatest);
  }
  return changes;
}

}  // namespace

TEST_CASE("the gradient of a potential keeps the energy of elastic collisions; the classical law does not") {
  for (const bool corner : {true, false}) {
    CAPTURE(corner);
    const Changes classical = collide("area", corner, 0.5, 0.25);
    CHECK(classical.rms > 1e-3);
    CHECK(classical.rms < 5e-2);
    for (const std::string law : {"area_potential", "area_potential_3_2"}) {
      CAPTURE(law);
      const Changes potential = collide(law, corner, 0.5, 0.25);
      CHECK(potential.rms < 1e-4);
      CHECK(potential.mean_depth > 0.01);
      CHECK(collide(law, corner, 0.5, 0.125).rms < 0.5 * potential.rms);
    }
  }
}

TEST_CASE("a block comes back upright on the springs of the classical law; under a potential of the area it leans") {
  const auto lean_at_rest = [](const std::string& law) {
    Scene scene = test::empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.materials[0].stiffness = 1e7;
    scene.contact_law = law;
    scene.walls = {test::floor_wall()};
    const ShapeSpec block = ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, 2.0}, {0.0, 2.0}}};
    scene.particles = {test::placed(block, test::size_of_square(0.03) * std::sqrt(2.0),
                                    {{.position = {0.0, 0.03 + 1e-5}, .angle = 1e-4}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(3.0);
    CHECK(simulation.state().particles.velocity[0].norm() < 1e-9);  // m/s
    return std::abs(simulation.state().particles.angle[0]);         // rad
  };
  CHECK(lean_at_rest("area") < 1e-12);
  CHECK(lean_at_rest("area_potential") > 1e-3);  // until one corner has come out
  CHECK(lean_at_rest("area_potential") < 1e-2);
}

}  // namespace scree::potential_test
