#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::rocking_block_test {

using soft::Simulation;

// A slender block of base b and height h rocks from one lower corner to the other. If it neither slips nor bounces and
// the impact acts at x from the middle of the base, angular momentum about that point is kept, and of the angular
// velocity remains
//   (2 h^2 + b^2/2 - 3 x b) / (2 h^2 + b^2/2 + 3 x b)
// At the other corner, x = b/2, this is 1 - (3/2) sin^2 alpha, tan(alpha) = b/h (G. W. Housner, Bulletin of the
// Seismological Society of America 53 (1963) 403). A flat base on a flat floor hits it all along, at speeds that grow
// linearly from the old corner; if the floor pushes in proportion to them, x = b/6.
//
// Between impacts the block turns about a corner and keeps its energy, so that the angles at which it turns back tell
// the angular velocities at the impact: omega^2 ~ cos(alpha - angle) - cos(alpha). Depths are 1e-3 b; at a tenth of the
// stiffness another 0.001 to 0.015 is lost in the corners.
namespace {

constexpr double kBase = 0.1;  // m

/// What remains of the angular velocity in an impact.
double kept(double slenderness, const std::vector<Wall>& floor) {
  const double alpha = std::atan(1.0 / slenderness);
  const double start = 0.6 * alpha;
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.materials[0].stiffness = 1e11;
  scene.materials[0].friction = 5.0;
  scene.walls = floor;
  const double height = slenderness * kBase;
  const ShapeSpec block = ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, slenderness}, {0.0, slenderness}}};
  const Vec2 from_corner = {0.5 * (height * std::sin(start) - kBase * std::cos(start)),
                            0.5 * (height * std::cos(start) + kBase * std::sin(start))};
  scene.particles = {test::placed(block, test::size_of_square(kBase) * std::sqrt(slenderness),
                                  {{.position = Vec2(0.5 * kBase, 0.0) + from_corner, .angle = -start}})};
  Simulation simulation(scene, {.threads = 1});

  double last = -start;
  while (simulation.time() < 3.0) {
    simulation.advance_to(3.0, 1000);
    const double now = simulation.state().particles.angle[0];
    if (now > 0.2 * start && now < last) break;
    last = now;
  }
  const auto squared_speed = [&](double angle) { return std::cos(alpha - angle) - std::cos(alpha); };
  return std::sqrt(squared_speed(last) / squared_speed(start));
}

double kept_if_hit_at(double slenderness, double x_over_base) {
  const double still = 2.0 * slenderness * slenderness + 0.5;
  return (still - 3.0 * x_over_base) / (still + 3.0 * x_over_base);
}

}  // namespace

TEST_CASE("a block that rocks on two supports keeps 1 - (3/2) sin^2 alpha of its angular velocity") {
  const std::vector<Wall> supports = {test::box_wall({-0.52 * kBase, -0.5}, {-0.48 * kBase, 0.0}),
                                      test::box_wall({0.48 * kBase, -0.5}, {0.52 * kBase, 0.0})};
  for (const double slenderness : {4.0, 8.0}) {
    CAPTURE(slenderness);
    const double sine = std::sin(std::atan(1.0 / slenderness));
    const double housner = 1.0 - 1.5 * sine * sine;
    CHECK(std::abs(kept_if_hit_at(slenderness, 0.5) - housner) < 1e-12);
    CHECK(std::abs(kept(slenderness, supports) - housner) < 0.01);
  }
}

TEST_CASE("a block that rocks on a floor keeps more of its angular velocity, since its whole base hits the floor") {
  const double found = kept(4.0, {test::floor_wall()});
  CHECK(found > kept_if_hit_at(4.0, 0.5) + 0.02);
  CHECK(found < kept_if_hit_at(4.0, 1.0 / 6.0));
}

}  // namespace scree::rocking_block_test
