#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "geometry/polygon.hpp"
#include "tests/scenes.hpp"

using namespace scree;

namespace {

constexpr double kGravity = 9.81;
constexpr int kVoussoirs = 10;

/// A semicircle of mean radius 1 m on two abutments. Rigid voussoirs need a thickness of 0.1075 m (linear programming:
/// the line of thrust must lie inside). @param rigidity Y/(rho g L), L the radius
Scene arch(double thickness, double rigidity) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.materials[0].friction = 0.8;
  scene.materials[0].stiffness = rigidity * scene.materials[0].density * kGravity;
  const double inner = 1.0 - 0.5 * thickness;
  const double outer = 1.0 + 0.5 * thickness;
  scene.walls = {test::box_wall({-outer, -0.3}, {-inner, 0.0}), test::box_wall({inner, -0.3}, {outer, 0.0})};
  const auto point = [](double radius, int joint) {
    const double angle = M_PI * joint / kVoussoirs;
    return Vec2(radius * std::cos(angle), joint == 0 || joint == kVoussoirs ? 0.0 : radius * std::sin(angle));
  };
  for (int k = 0; k < kVoussoirs; ++k) {
    const std::vector<Vec2> corners = {point(inner, k), point(outer, k), point(outer, k + 1), point(inner, k + 1)};
    const Polygon voussoir(corners);
    scene.particles.push_back(test::placed(ExplicitPolygon{corners}, equivalent_diameter(voussoir.area()),
                                           {{.position = voussoir.centroid()}}));
  }
  return scene;
}

/// How far the crown sinks within a time [m].
double sinks(const Scene& scene, double time) {
  soft::Simulation simulation(scene, {.threads = 1});
  const auto crown = [&] { return simulation.state().particles.position[kVoussoirs / 2].y(); };
  const double before = crown();
  simulation.advance_to(time);
  return before - crown();
}

}  // namespace

TEST_CASE("an arch 7 % thicker than rigid blocks need stands if Y/(rho g L) is large enough, and falls if it is not") {
  constexpr double kTime = 0.25;  // s
  CHECK(sinks(arch(0.115, 1e6), kTime) < 1e-3);
  CHECK(sinks(arch(0.115, 1e5), kTime) > 1e-2);
}
