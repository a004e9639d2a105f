#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::tipping_test {

using soft::Simulation;

// A block of base b and height h on an incline, rough enough not to slide (friction > b/h). A rigid one tips where its
// weight passes its lower corner, at tan(angle) = b/h.
//
// A soft one tips a little earlier. Its bed of springs carries the weight on a part l of the base, in a triangle with
// the resultant at l/3 from the corner; with the depth d of the level block the lean is 2 d b / l^2. The weight passes
// the resultant at tan(angle) = b/h - 2 l / (3 h) - 2 d b / l^2, greatest at l = (6 d b h)^(1/3): there (b - l) / h.
namespace {

constexpr double kBase = 0.1;  // m
constexpr double kGravity = 9.81;

Scene block_on_incline(double slenderness, double tangent) {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 5e9;
  scene.materials[0].friction = 1.0;
  const double angle = std::atan(tangent);
  scene.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle)};
  scene.walls = {test::floor_wall()};
  const ShapeSpec block = ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, slenderness}, {0.0, slenderness}}};
  scene.particles = {test::placed(block, test::size_of_square(kBase) * std::sqrt(slenderness),
                                  {{.position = {0.0, 0.5 * slenderness * kBase}}})};
  return scene;
}

/// How much earlier the soft block tips than a rigid one, as a share of b/h.
double softening(double slenderness) {
  Simulation level(block_on_incline(slenderness, 0.0), {.threads = 1});
  level.advance_to(0.5);
  const double depth = level.summary().max_depth;
  return std::cbrt(6.0 * depth * kBase * slenderness * kBase) / kBase;
}

/// How far the block swings within a second: greatest less least angle [rad].
double swing(Simulation& simulation) {
  double least = 1e9;
  double greatest = -1e9;
  const double end = simulation.time() + 1.0;
  while (simulation.time() < end) {
    simulation.advance_to(1e9, 500);
    const double angle = simulation.state().particles.angle[0];
    least = std::min(least, angle);
    greatest = std::max(greatest, angle);
  }
  return greatest - least;
}

}  // namespace

// Gravity is there at once: a spring that is loaded at a blow goes twice as deep as one that is loaded gently, hence
// twice the margin. The block then swings on its springs, slowly so near the end of its stability.
TEST_CASE("a block on a rough incline stands below tan(angle) = b/h, and tips above") {
  for (const double slenderness : {2.0, 4.0}) {
    CAPTURE(slenderness);
    const double margin = 2.0 * softening(slenderness);
    CHECK(margin < 0.2);
    Simulation standing(block_on_incline(slenderness, (1.0 - margin) / slenderness), {.threads = 1});
    const double first_swing = swing(standing);
    CHECK(first_swing < 0.01);  // rad
    swing(standing);
    CHECK(swing(standing) < 0.5 * first_swing);
    const State stood = standing.state();
    CHECK(std::abs(stood.particles.angle[0]) < 0.5 * first_swing);           // rad
    CHECK(std::abs(stood.particles.position[0].x()) < kBase * first_swing);  // m

    Simulation tipping(block_on_incline(slenderness, 1.005 / slenderness), {.threads = 1});
    tipping.advance_to(1.0);
    CHECK(tipping.state().particles.angle[0] < -0.5);  // rad
  }
}

// The springs of its bed carry it back if L^2 > 6 d h, with the depth d at which they carry its weight.
TEST_CASE(
    "a block four times as high as wide comes back from a lean if its bed is stiff enough, and leans further if not") {
  constexpr double kSlenderness = 4.0;
  for (const double stiffness : {1.1, 0.9}) {  // L^2 / (6 d h)
    CAPTURE(stiffness);
    Scene scene = block_on_incline(kSlenderness, 0.0);
    const double height = kSlenderness * kBase;
    const double depth = kBase * kBase / (6.0 * stiffness * height);
    const double weight = scene.materials[0].density * kBase * height * kGravity;
    // k d = m g, with k = Y L / l and l four times the distance from the centre to the middle of the overlap
    scene.materials[0].stiffness = weight / depth * 2.0 * (height - depth) / kBase;
    scene.soft.initial_depth = 0.2;
    Placed& block = std::get<Place>(scene.particles[0].how)[0];
    block.position.y() = 0.5 * height - depth;
    block.angle = 1e-3;
    block.velocity = {0.0, -0.02};  // so that there is an energy throughput
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(3.0);
    const double lean = std::abs(simulation.state().particles.angle[0]);
    CHECK((stiffness > 1.0 ? lean < 5e-4 : lean > 2e-3));
  }
}

}  // namespace scree::tipping_test
