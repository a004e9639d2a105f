#include "dem/soft/checks/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "geometry/union.hpp"
#include "tests/scenes.hpp"

namespace scree::estimates_test {

using namespace scree::test;

namespace {

/// One grain above a floor, corner ahead.
Scene drop(const ShapeSpec& shape, double angle, double speed, double restitution) {
  Scene scene = empty_scene();
  scene.materials[0].stiffness = 1e8;
  scene.materials[0].restitution = restitution;
  scene.materials[0].friction = 0.0;
  scene.walls = {floor_wall()};
  scene.particles = {placed(shape, 0.1, {{.position = {0.0, 0.25}, .angle = angle, .velocity = {0.0, -speed}}})};
  return scene;
}

/// Greatest depth ratio of a run until the grain has bounced.
double measured_depth(const Scene& scene) {
  soft::Simulation simulation(scene, {.threads = 1});
  double deepest = 0.0;
  const auto rises = [&] { return simulation.state().particles.velocity[0].y() > 0.0; };
  while (!rises()) {
    simulation.advance_to(simulation.time() + simulation.dt());
    deepest = std::max(deepest, simulation.summary().max_depth_ratio);
  }
  return deepest;
}

/// A spike: its sharpest corner has this angle [rad] and points down.
ShapeSpec spike(double angle) {
  const double half = std::tan(0.5 * angle);
  return ExplicitPolygon{{{0.0, 0.0}, {half, 1.0}, {-half, 1.0}}};
}

}  // namespace

TEST_CASE("impacts of a disk and of corners go as deep as estimated, with and without damping") {
  const double kDown = -std::acos(0.0);  // turns the first corner of a regular polygon down
  struct Case {
    const char* name;
    ShapeSpec shape;
    double angle;
  };
  for (const Case& one : {Case{"disk", Disk{}, 0.0}, Case{"square", square(), 0.5 * std::acos(0.0)},
                          Case{"pentagon", RegularPolygon{5}, kDown}, Case{"spike of 20 degrees", spike(0.35), 0.0}}) {
    for (const double restitution : {1.0, 0.3}) {
      for (const double speed : {0.5, 2.5}) {
        CAPTURE(std::string(one.name));
        CAPTURE(restitution);
        CAPTURE(speed);
        const Scene scene = drop(one.shape, one.angle, speed, restitution);
        const double measured = measured_depth(scene);
        const auto estimated = soft::deepest_impact(scene);
        REQUIRE(estimated);
        CHECK(!estimated->target);
        CHECK(std::abs(estimated->speed - speed) < 1e-12);
        CHECK(estimated->depth_ratio > 0.85 * measured);
        CHECK(estimated->depth_ratio < 1.25 * measured);
      }
    }
  }
}

TEST_CASE("the estimate holds for every law") {
  for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) {
    CAPTURE(law);
    Scene scene = drop(square(), 0.5 * std::acos(0.0), 1.0, 0.5);
    scene.contact_law = law;
    const double ratio = soft::deepest_impact(scene)->depth_ratio / measured_depth(scene);
    CHECK(ratio > 0.8);
    CHECK(ratio < 1.3);
  }
  for (const std::string law : {"linear", "linear_unclipped", "hertz"}) {
    CAPTURE(law);
    Scene scene = drop(Disk{}, 0.0, 2.0, 0.5);
    scene.disk_law = law;
    const double ratio = soft::deepest_impact(scene)->depth_ratio / measured_depth(scene);
    CHECK(ratio > 0.8);
    CHECK(ratio < 1.3);
  }
}

namespace {

Clump clump_of(const std::vector<Vec2>& outline) {
  std::vector<ConvexPart> parts;
  for (const std::vector<Vec2>& polygon : split_into_convex(outline)) parts.push_back({.polygon = polygon});
  return Clump(std::move(parts));
}

/// So many tips, as far out as 1, with notches at `inner`.
std::vector<Vec2> star(int tips, double inner) {
  std::vector<Vec2> outline;
  for (int k = 0; k < 2 * tips; ++k) {
    const double angle = std::numbers::pi * k / tips;
    outline.push_back((k % 2 == 0 ? 1.0 : inner) * Vec2(std::cos(angle), std::sin(angle)));
  }
  return outline;
}

}  // namespace

TEST_CASE("grains that are not convex go as deep as estimated with a tip ahead") {
  // Four tips; one points down.
  const Clump shape = clump_of(star(4, 0.4));
  for (const double speed : {0.5, 2.0}) {
    CAPTURE(speed);
    const Scene scene = drop(shape, 0.0, speed, 0.3);
    const double measured = measured_depth(scene);
    const auto estimated = soft::deepest_impact(scene);
    REQUIRE(estimated);
    CHECK(estimated->depth_ratio > 0.85 * measured);
    CHECK(estimated->depth_ratio < 1.25 * measured);
  }
}

TEST_CASE("a pour of grains that are not convex goes hardly deeper than estimated" * doctest::skip(test::kSanitized)) {
  const std::vector<std::vector<Vec2>> outlines = {
      star(3, 0.25),
      star(4, 0.4),
      star(5, 0.4),
      star(6, 0.5),
      star(9, 0.7),
      {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}},                                                   // L
      {{1, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 2}, {1, 2}},                                   // T
      {{0, 0}, {4, 0}, {4, 3}, {3.2, 3}, {3.2, 0.8}, {0.8, 0.8}, {0.8, 3}, {0, 3}},                       // U
      {{0, 0}, {2, 1}, {4, 0}, {2, 4}},                                                                   // arrow head
      {{0, 0}, {5, 0}, {5, 2}, {4, 2}, {4, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}};  // comb
  for (std::size_t which = 0; which < outlines.size(); ++which) {
    CAPTURE(which);
    Scene scene = empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.domain = {{-0.1, -0.1}, {0.1, 0.5}};
    scene.materials[0].stiffness = 1e8;
    scene.walls = {box_wall({-0.08, -0.02}, {0.08, 0.0}), box_wall({-0.1, -0.02}, {-0.08, 0.5}),
                   box_wall({0.08, -0.02}, {0.1, 0.5})};
    scene.particles = {{.how = Fill{.region = {{-0.08, 0.02}, {0.08, 0.26}}, .count = 15, .spacing = 0.04},
                        .material = 0,
                        .shape = clump_of(outlines[which]),
                        .size = {0.015, 0.02}}};
    soft::Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.4);
    soft::DepthHistogram depths = simulation.impact_depths();
    REQUIRE(depths.total() > 50);
    const double estimated = soft::deepest_impact(scene)->depth_ratio;
    const double measured = depths.percentile(99.0);
    CHECK(measured < 1.3 * estimated);
    CHECK(measured > 0.1 * estimated);
  }
}

TEST_CASE("grains fall from where they start to the lowest wall") {
  Scene scene = empty_scene();
  CHECK_FALSE(soft::deepest_impact(scene));
  scene.gravity = {0.0, -9.81};
  scene.walls = {floor_wall(), box_wall({1.0, 0.0}, {2.0, 1.0})};
  const auto speed = [&](ParticleGroup group) {
    scene.particles = {std::move(group)};
    return soft::deepest_impact(scene)->speed;
  };
  const auto falls = [](double height) { return std::sqrt(2.0 * 9.81 * height); };
  CHECK(std::abs(speed(placed(Disk{}, 0.2, {{.position = {0.0, 0.1}}, {.position = {0.0, 3.1}}})) - falls(3.0)) < 1e-9);
  const ParticleGroup pour = {
      .how = Pour{.count = 10, .rate = 1.0, .region = {{0.0, 2.0}, {1.0, 5.0}}, .velocity = {3.0, 4.0}},
      .shape = Disk{},
      .size = {0.1, 0.1}};
  CHECK(std::abs(speed(pour) - std::hypot(5.0, falls(5.0))) < 1e-9);
  const ParticleGroup fill = {
      .how = Fill{.region = {{0.0, 1.0}, {1.0, 2.0}}, .count = {}}, .shape = Disk{}, .size = {0.1, 0.1}};
  CHECK(std::abs(speed(fill) - falls(1.0)) < 1e-9);  // as dense as a bed
  CHECK(std::abs(soft::greatest_speed(scene) - falls(1.0)) < 1e-9);

  scene.walls[0].velocity = {0.0, 2.0};  // comes towards them
  CHECK(std::abs(speed(placed(Disk{}, 0.2, {{.position = {0.0, 3.1}}})) - falls(3.0) - 2.0) < 1e-9);
  // One after the other: the fastest of them counts.
  scene.walls[0].velocity = {0.0, 0.0};
  PhaseOfMotion shake{.from = 1.0};
  shake.oscillation = {.amplitude = {0.0, 0.1}, .frequency = 5.0};
  PhaseOfMotion table{.from = 2.0};
  table.table = {{0.0, {0.0, 0.0}, 0.0}, {0.5, {0.0, 2.0}, 0.0}};  // 4 m/s
  scene.walls[0].motions = {{.velocity = {0.0, 1.0}}, shake};
  const ParticleGroup drop = placed(Disk{}, 0.2, {{.position = {0.0, 3.1}}});
  CHECK(std::abs(speed(drop) - falls(3.0) - std::numbers::pi) < 1e-9);
  scene.walls[0].motions.push_back(table);
  CHECK(std::abs(speed(drop) - falls(3.0) - 4.0) < 1e-9);
}

TEST_CASE("a heavy grain that falls on a small one goes deeper into it than on the floor") {
  Scene scene = empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {floor_wall()};
  scene.particles = {placed(Disk{}, 0.01, {{.position = {0.0, 0.005}}}),
                     placed(Disk{}, 0.1, {{.position = {0.0, 0.2}}})};
  const auto deepest = soft::deepest_impact(scene);
  REQUIRE(deepest);
  CHECK(deepest->group == 1);
  CHECK(deepest->target == 0);
  scene.gravity = Vec2::Zero();
  CHECK_FALSE(soft::deepest_impact(scene));
}

TEST_CASE("groups without grains hit nothing") {
  Scene scene = empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {floor_wall()};
  scene.particles = {placed(Disk{}, 0.1, {}), placed(Disk{}, 0.1, {{.position = {0.0, 1.05}}}),
                     placed(Disk{}, 0.1, {})};
  const auto deepest = soft::deepest_impact(scene);
  REQUIRE(deepest);
  CHECK(deepest->group == 1);
  CHECK(std::abs(deepest->speed - std::sqrt(2.0 * 9.81)) < 1e-9);
}

TEST_CASE("blocks on each other have a rigidity; disks, one block and blocks without weight have none") {
  Scene scene = empty_scene();
  scene.gravity = {0.0, -10.0};
  const double size = size_of_square(1.0);
  const Place stack = {{.position = {0.0, 0.5}}, {.position = {0.0, 1.5}}};
  scene.particles = {placed(square(), size, stack)};
  const double height = 1.0 + std::sqrt(2.0);  // m, of the circles around both
  CHECK(std::abs(*soft::rigidity(scene) * 2600.0 * 10.0 * height / 1e6 - 1.0) < 1e-9);
  scene.gravity = Vec2::Zero();
  CHECK_FALSE(soft::rigidity(scene));
  scene.gravity = {0.0, -10.0};
  scene.particles = {placed(Disk{}, size, stack)};
  CHECK_FALSE(soft::rigidity(scene));
  scene.particles = {placed(square(), size, {stack[0]})};
  CHECK_FALSE(soft::rigidity(scene));
  scene.particles = {placed(square(), size, {stack[0], {.position = {0.0, 4.0}}})};  // they do not touch
  CHECK_FALSE(soft::rigidity(scene));
}

}  // namespace scree::estimates_test
