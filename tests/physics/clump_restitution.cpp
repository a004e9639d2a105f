#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/insertion.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/union.hpp"
#include "tests/scenes.hpp"

namespace scree::clump_restitution_test {

using soft::Simulation;

/// The restitution that is asked for is the one that is got, whatever a grain is made of and with however many parts it
/// touches.
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::array kRestitutions = {0.2, 0.5, 0.9};

ConvexPart box(double x0, double y0, double x1, double y1) {
  return {.polygon = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}

Clump clump_of_outline(const std::vector<Vec2>& outline) {
  std::vector<ConvexPart> parts;
  for (const std::vector<Vec2>& polygon : split_into_convex(outline)) parts.push_back({.polygon = polygon});
  return Clump(std::move(parts));
}

/// A bar of 10 by 2 that stands on so many legs, 3 long and 0.5 wide, in one outline.
Clump comb(int legs) {
  std::vector<Vec2> outline = {{10.0, 0.0}, {10.0, 2.0}, {0.0, 2.0}, {0.0, 0.0}};
  const double pitch = 10.0 / legs;
  for (int k = 0; k < legs; ++k) {
    const double left = (k + 0.5) * pitch - 0.25;
    for (const Vec2& corner : {Vec2(left, 0.0), Vec2(left, -3.0), Vec2(left + 0.5, -3.0), Vec2(left + 0.5, 0.0)}) {
      outline.push_back(corner);
    }
  }
  return clump_of_outline(outline);
}

/// So many equal disks in a row on a bar.
Clump disks_in_row(int count) {
  std::vector<ConvexPart> parts = {box(-0.2, -0.2, count - 0.8, 0.2)};
  for (int k = 0; k < count; ++k) parts.push_back({.centre = {static_cast<double>(k), 0.0}, .radius = 0.45});
  return Clump(std::move(parts));
}

/// A plate of 3 by 1 of so many strips side by side; of unequal width: each is twice as wide as the one before.
Clump plate_of_strips(int count, bool unequal) {
  std::vector<double> width;
  double sum = 0.0;
  for (int k = 0; k < count; ++k) sum += width.emplace_back(unequal ? std::exp2(k) : 1.0);
  std::vector<ConvexPart> parts;
  double left = 0.0;
  for (const double one : width) {
    const double right = left + 3.0 * one / sum;
    parts.push_back(box(left, 0.0, right, 1.0));
    left = right;
  }
  return Clump(std::move(parts));
}
ShapeSpec whole_plate() {
  return ExplicitPolygon{{{0.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}, {0.0, 1.0}}};
}

struct Rebound {
  double speed = 0.0;             ///< of the centroid, upwards, over that of the impact
  double angular_velocity = 0.0;  ///< times size, over the speed of the impact
  std::size_t most_contacts = 0;
  double residual = 0.0;  ///< of energy
};

constexpr double kSize = 0.02;  // m

Scene falling(const ShapeSpec& shape, double angle, double restitution) {
  constexpr double kSpeed = 0.3;  // m/s
  Scene scene = test::empty_scene();
  scene.walls = {test::floor_wall()};
  scene.materials[0].friction = 0.0;
  scene.materials[0].stiffness = 1e8;
  scene.materials[0].restitution = restitution;
  scene.particles = {
      test::placed(shape, kSize, {{.position = {0.0, 0.0}, .angle = angle, .velocity = {0.0, -kSpeed}}})};
  const Aabb2 box = box_around(make_grain(scene, 0, 0), {Vec2::Zero(), Rotation::by(angle)});
  std::get<Place>(scene.particles[0].how)[0].position.y() = -box.lo.y();
  return scene;
}

/// Falls on the floor without gravity, and leaves it for good. It touches in the middle of a step: what a step makes of
/// the jump of a dashpot at the first touch depends on that.
Rebound rebound_of(Scene scene) {
  Placed& placed = std::get<Place>(scene.particles[0].how)[0];
  placed.position.y() -= 2.5 * placed.velocity.y() * soft::time_step(scene).dt;
  Simulation simulation(scene, {.threads = 1});
  const double speed = -simulation.state().particles.velocity[0].y();
  Rebound rebound;
  double lowest = 1.0;
  for (int steps = 0; steps < 200'000; ++steps) {
    simulation.advance_to(1e9, 1);
    rebound.most_contacts = std::max(rebound.most_contacts, simulation.summary().contacts);
    if (steps % 64 != 0 || rebound.most_contacts == 0) continue;
    const ParticleState now = simulation.state().particles;
    lowest = 1.0;
    for (const Vec2& corner : now.outlines.vertices) lowest = std::min(lowest, corner.y());
    if (lowest > 0.03 * kSize) break;
  }
  REQUIRE(lowest > 0.0);
  const ParticleState after = simulation.state().particles;
  rebound.speed = after.velocity[0].y() / speed;
  rebound.angular_velocity = after.angular_velocity[0] * kSize / speed;
  rebound.residual = simulation.summary().energy_residual;
  return rebound;
}

}  // namespace

TEST_CASE("a comb that falls flat on 1 to 10 legs, and as many disks, rebound with the restitution asked for") {
  for (const double restitution : kRestitutions) {
    CAPTURE(restitution);
    for (int n = 1; n <= 10; ++n) {
      CAPTURE(n);
      const auto check = [&](const Scene& scene) {
        const Rebound rebound = rebound_of(scene);
        CHECK(rebound.most_contacts == static_cast<std::size_t>(n));
        CHECK(std::abs(rebound.speed - restitution) < 0.02);
        CHECK(std::abs(rebound.residual) < 4e-4);
      };
      for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) {
        CAPTURE(law);
        Scene scene = falling(comb(n), 0.0, restitution);
        scene.contact_law = law;
        check(scene);
      }
      for (const std::string law : {"linear", "hertz"}) {
        CAPTURE(law);
        Scene scene = falling(disks_in_row(n), 0.0, restitution);
        scene.disk_law = law;
        check(scene);
      }
    }
  }
}

TEST_CASE("a plate of strips, equal or not, rebounds as the whole one does, flat and oblique") {
  for (const double restitution : kRestitutions) {
    CAPTURE(restitution);
    for (const double angle : {0.0, 0.03, 0.15, 0.5, 1.1}) {
      CAPTURE(angle);
      const Rebound whole = rebound_of(falling(whole_plate(), angle, restitution));
      if (angle == 0.0) CHECK(std::abs(whole.speed - restitution) < 0.02);
      for (const int strips : {2, 3, 5, 10}) {
        for (const bool unequal : {false, true}) {
          if (unequal && strips > 5) continue;
          CAPTURE(strips);
          CAPTURE(unequal);
          const Rebound cut = rebound_of(falling(plate_of_strips(strips, unequal), angle, restitution));
          CHECK(std::abs(cut.speed - whole.speed) < (angle == 0.0 ? 0.02 : 0.05));
          CHECK(std::abs(cut.residual) < 4e-4);
        }
      }
    }
  }
}

TEST_CASE("two dumbbells that meet flat part with the restitution asked for") {
  const Clump dumbbell{
      {box(-1.0, -0.2, 1.0, 0.2), {.centre = {-1.0, 0.0}, .radius = 0.6}, {.centre = {1.0, 0.0}, .radius = 0.6}}};
  for (const double restitution : kRestitutions) {
    CAPTURE(restitution);
    Scene scene = falling(dumbbell, 0.0, restitution);
    scene.walls.clear();
    const double high = std::get<Place>(scene.particles[0].how)[0].position.y();
    scene.particles.push_back(test::placed(dumbbell, kSize, {{.position = {0.0, -high - 1e-5}}}));
    Simulation simulation(scene, {.threads = 1});
    std::size_t most = 0;
    while (simulation.time() < 0.01) {
      simulation.advance_to(1e9, 1);
      most = std::max(most, simulation.summary().contacts);
    }
    CHECK(most == 2);
    const ParticleState after = simulation.state().particles;
    CHECK(std::abs((after.velocity[0].y() - after.velocity[1].y()) / 0.3 - restitution) < 0.02);
  }
}

}  // namespace scree::clump_restitution_test
