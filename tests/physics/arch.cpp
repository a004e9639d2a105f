#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "geometry/polygon.hpp"
#include "tests/scenes.hpp"

namespace scree::arch_test {

namespace {

constexpr double kGravity = 9.81;

/// A semicircle of mean radius 1 m on two abutments. Ten rigid voussoirs need a thickness of 0.1075 m (linear
/// programming: the line of thrust must lie inside). @param rigidity Y/(rho g L), L the radius
Scene arch(double thickness, double rigidity, int voussoirs = 10, double friction = 0.8) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.materials[0].friction = friction;
  scene.materials[0].stiffness = rigidity * scene.materials[0].density * kGravity;
  const double inner = 1.0 - 0.5 * thickness;
  const double outer = 1.0 + 0.5 * thickness;
  scene.walls = {test::box_wall({-outer, -0.3}, {-inner, 0.0}), test::box_wall({inner, -0.3}, {outer, 0.0})};
  const auto point = [&](double radius, int joint) {
    const double angle = M_PI * joint / voussoirs;
    return Vec2(radius * std::cos(angle), joint == 0 || joint == voussoirs ? 0.0 : radius * std::sin(angle));
  };
  for (int k = 0; k < voussoirs; ++k) {
    const std::vector<Vec2> corners = {point(inner, k), point(outer, k), point(outer, k + 1), point(inner, k + 1)};
    const Polygon voussoir(corners);
    scene.particles.push_back(test::placed(ExplicitPolygon{corners}, equivalent_diameter(voussoir.area()),
                                           {{.position = voussoir.centroid()}}));
  }
  return scene;
}

/// How far the crown sinks within a time, or at least `enough` [m].
double sinks(const Scene& scene, double time, double enough = 1e-2) {
  soft::Simulation simulation(scene, {.threads = 1});
  const auto crown = [&] { return simulation.state().particles.position[scene.particles.size() / 2].y(); };
  const double before = crown();
  double sunk = 0.0;
  while (simulation.time() < time && sunk <= enough) {
    simulation.advance_to(std::min(simulation.time() + 0.02, time));
    sunk = before - crown();
  }
  return sunk;
}

/// What of a convex region has a x + b y + c >= 0.
std::vector<Vec2> clipped(const std::vector<Vec2>& region, double a, double b, double c) {
  std::vector<Vec2> kept;
  for (std::size_t k = 0; k < region.size(); ++k) {
    const Vec2& p = region[k];
    const Vec2& q = region[(k + 1) % region.size()];
    const double at_p = a * p.x() + b * p.y() + c;
    const double at_q = a * q.x() + b * q.y() + c;
    if (at_p >= 0.0) kept.push_back(p);
    if ((at_p < 0.0) != (at_q < 0.0)) kept.emplace_back(p + at_p / (at_p - at_q) * (q - p));
  }
  return kept;
}

/// Whether rigid voussoirs that do not slide stand: whether there is a thrust H at the crown, and a moment M of it
/// about the middle of the crown, whose line passes through every joint (linear programming in H and M; density times
/// gravity is 1).
bool stands_if_rigid(double thickness, int voussoirs) {
  const double inner = 1.0 - 0.5 * thickness;
  const double outer = 1.0 + 0.5 * thickness;
  std::vector<Vec2> possible = {{0.0, -2.0}, {3.0, -2.0}, {3.0, 2.0}, {0.0, 2.0}};  // (H, M)
  double weight = 0.0;
  double moment = 0.0;  // of the weight about the crown's vertical
  const double step = M_PI / voussoirs;
  for (double angle = voussoirs % 2 == 0 ? 0.0 : 0.5 * step; angle < 0.5 * M_PI + 1e-9; angle += step) {
    const double s = std::sin(angle);
    const double c = std::cos(angle);
    if (angle > 0.0) {  // the voussoir above the joint; of the keystone its half
      const double before = std::max(0.0, angle - step);
      const double s0 = std::sin(before);
      const double c0 = before > 0.0 || voussoirs % 2 == 0 ? std::cos(before) : c;  // its back is flat
      const Polygon block(std::vector<Vec2>{
          {inner * s0, inner * c0}, {inner * s, inner * c}, {outer * s, outer * c}, {outer * s0, outer * c0}});
      weight += block.area();
      moment += block.area() * block.centroid().x();
    }
    // Moment about the middle of the joint, and thrust across it times half of the thickness.
    const double half = 0.5 * thickness;
    const double rest = moment - s * weight;
    possible = clipped(possible, half * c - (1.0 - c), -1.0, half * s * weight - rest);
    possible = clipped(possible, half * c + (1.0 - c), 1.0, half * s * weight + rest);
    if (possible.size() < 3) return false;
  }
  return true;
}

double least_thickness(int voussoirs) {
  double falls = 0.01;
  double stands = 0.3;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (falls + stands);
    (stands_if_rigid(middle, voussoirs) ? stands : falls) = middle;
  }
  return stands;
}

}  // namespace

TEST_CASE("an arch 7 % thicker than rigid blocks need stands if Y/(rho g L) is large enough, and falls if it is not") {
  constexpr double kTime = 0.25;  // s
  CHECK(sinks(arch(0.115, 1e6), kTime) < 2e-3);
  CHECK(sinks(arch(0.115, 1e5), kTime) > 1e-2);
}

TEST_CASE("an arch of stiff voussoirs needs the thickness of rigid ones, within 3 %, whatever their number" *
          doctest::skip(test::kSanitized)) {
  for (const int voussoirs : {7, 11}) {
    CAPTURE(voussoirs);
    const double least = least_thickness(voussoirs);
    CHECK(least > 0.09);
    CHECK(least < 0.11);
    CHECK(sinks(arch(1.03 * least, 3e7, voussoirs), 0.25) < 5e-4);
    CHECK(sinks(arch(0.97 * least, 3e7, voussoirs), 0.8) > 1e-2);
  }
}

TEST_CASE("no arch stands with less friction than 0.31, however thick, and one of twice the thickness does with 0.4" *
          doctest::skip(test::kSanitized)) {
  CHECK(sinks(arch(0.2, 1e6, 10, 0.4), 0.25) < 2e-3);
  CHECK(sinks(arch(0.2, 1e6, 10, 0.28), 0.25) > 1e-2);
}

}  // namespace scree::arch_test
