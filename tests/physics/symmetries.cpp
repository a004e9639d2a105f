#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::symmetries_test {

using soft::Simulation;

namespace {

constexpr double kSize = 0.01;  // m

/// x -> shift + R x, after x -> -x if it is a mirror.
struct Placement {
  double angle = 0.0;
  Vec2 shift = Vec2::Zero();
  bool mirror = false;

  Vec2 direction(const Vec2& v) const { return Rotation::by(angle) * Vec2(mirror ? -v.x() : v.x(), v.y()); }
  Vec2 point(const Vec2& p) const { return shift + direction(p); }
  double spin(double omega) const { return mirror ? -omega : omega; }
  double turned(double phi) const { return angle + spin(phi); }
};

/// 40 stones and disks fall into a bin.
Scene scene_as(const Placement& placement) {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 1e7;
  scene.gravity = placement.direction({0.0, -9.81});
  scene.domain = {placement.shift - Vec2(1.0, 1.0), placement.shift + Vec2(1.0, 1.0)};
  scene.walls = {test::box_wall({-0.06, -0.02}, {0.06, 0.0}), test::box_wall({-0.07, -0.02}, {-0.05, 0.2}),
                 test::box_wall({0.05, -0.02}, {0.07, 0.2})};
  for (Wall& wall : scene.walls) {
    for (Vec2& corner : wall.polygon) corner = placement.point(corner);
  }
  Scene shapes;
  shapes.particles = {{.how = Fill{}, .shape = RandomPolygon{{3, 8}, {1.0, 1.4}}, .size = {kSize, kSize}}};
  for (int k = 0; k < 40; ++k) {
    ShapeSpec shape = Disk{};
    if (k % 4 != 0) {
      ExplicitPolygon polygon;
      for (const Vec2& vertex : make_grain(shapes, 0, static_cast<std::uint64_t>(k)).outline) {
        polygon.vertices.push_back(placement.mirror ? Vec2(-vertex.x(), vertex.y()) : vertex);
      }
      shape = polygon;
    }
    const Vec2 position = kSize * Vec2(1.6 * (k % 5 - 2) + 0.2 * ((k / 5) % 2), 1.0 + 1.6 * (k / 5));
    scene.particles.push_back(test::placed(shape, kSize,
                                           {{.position = placement.point(position),
                                             .angle = placement.turned(k),
                                             .velocity = placement.direction({0.0, -0.5}),
                                             .angular_velocity = placement.spin(k - 20)}}));
  }
  return scene;
}

}  // namespace

// Nature knows no direction, no place and no handedness; but rounding is another one in every frame. In this scene two
// runs part by a factor of e in every 3 to 5 ms once the grains collide: of 1e-15 of a size at first are left, by
// t = 0.02 s (4 contacts) 1e-12, by 0.05 s (17 contacts) 1e-9, by 0.1 s (38 contacts) 1e-3, and later nothing is left.
// So the horizon is 0.05 s, where rounding, the greatest coordinate's, may have grown by 1e7.
TEST_CASE("a scene that is turned, moved or mirrored runs as the original does, turned, moved or mirrored") {
  constexpr double kHorizon = 0.05;  // s
  constexpr double kGrowth = 1e7;
  Scene unmoved = scene_as({});
  unmoved.soft.step = soft::time_step(unmoved).shortest_contact / 50.0;
  Simulation original(unmoved, {.threads = 1});
  original.advance_to(kHorizon);
  const State a = original.state();
  CHECK(a.contacts.size() > 10);
  for (const Placement& placement :
       {Placement{.angle = 0.5 * M_PI}, Placement{.angle = 1.1}, Placement{.shift = {3.0, -2.0}},
        Placement{.shift = {3000.0, -2000.0}}, Placement{.mirror = true},
        Placement{.angle = 2.3, .shift = {-1.0, 1.0}, .mirror = true}}) {
    CAPTURE(placement.angle);
    CAPTURE(placement.shift.x());
    CAPTURE(placement.mirror);
    Scene scene = scene_as(placement);
    CHECK(std::abs(soft::time_step(scene).dt / soft::time_step(scene_as({})).dt - 1.0) < 1e-12);
    scene.soft.step = unmoved.soft.step;
    Simulation moved(scene, {.threads = 1});
    moved.advance_to(kHorizon);
    const State b = moved.state();
    CHECK(a.contacts.size() == b.contacts.size());
    const double rounding = 0x1p-53 * (0.15 + placement.shift.norm());  // m
    const double tolerance = kGrowth * rounding / kSize;                // in sizes, rad
    for (std::size_t i = 0; i < a.particles.size(); ++i) {
      CAPTURE(i);
      CHECK((placement.point(a.particles.position[i]) - b.particles.position[i]).norm() < tolerance * kSize);
      CHECK(std::abs(placement.turned(a.particles.angle[i]) - b.particles.angle[i]) < tolerance);
    }
  }
}

}  // namespace scree::symmetries_test
