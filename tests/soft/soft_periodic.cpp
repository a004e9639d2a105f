#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::soft_periodic_test {

using soft::Simulation;

namespace {

Scene periodic_scene(bool along_x, bool along_y) {
  Scene scene = test::empty_scene();
  scene.domain = {{-0.5, -0.5}, {0.5, 0.5}, {along_x, along_y}};
  return scene;
}

/// Distance of two positions modulo the period of 1 m.
double modulo_distance(const Vec2& a, const Vec2& b) {
  const Vec2 d = a - b;
  return Vec2(d.x() - std::round(d.x()), d.y() - std::round(d.y())).norm();
}

}  // namespace

TEST_CASE("two grains collide across a periodic side, or corner, as they do inside") {
  const auto collide = [](const Vec2& shift, const ShapeSpec& shape) {
    Scene scene = periodic_scene(true, true);
    const auto inside = [](Vec2 p) { return Vec2(p.x() - std::round(p.x()), p.y() - std::round(p.y())); };
    scene.particles = {
        test::placed(shape, 0.05,
                     {{.position = inside(Vec2(-0.06, 0.002) + shift), .angle = 0.3, .velocity = {1, 0.7}},
                      {.position = inside(Vec2(0.02, 0.04) + shift), .angle = 1.1, .velocity = {-1, -0.2}}})};
    Simulation simulation(scene, {.threads = 1});
    bool touched = false;
    for (int k = 0; k < 40; ++k) {
      simulation.advance_to(0.002 * k);
      touched = touched || !simulation.state().contacts.empty();
    }
    REQUIRE(touched);
    return simulation.state();
  };
  const std::vector<ShapeSpec> shapes = {Disk{}, RegularPolygon{5}};
  for (const ShapeSpec& shape : shapes) {
    CAPTURE(shape.index());
    const State inside = collide({0, 0}, shape);
    CHECK((inside.particles.velocity[0] - Vec2(1, 0.7)).norm() > 0.5);
    for (const Vec2& shift : {Vec2(0.5, 0.0), Vec2(0.0, 0.48), Vec2(0.52, 0.49), Vec2(-0.47, -0.5)}) {
      CAPTURE(shift.transpose());
      const State across = collide(shift, shape);
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK((across.particles.velocity[i] - inside.particles.velocity[i]).norm() < 1e-9);                   // m/s
        CHECK(std::abs(across.particles.angular_velocity[i] - inside.particles.angular_velocity[i]) < 1e-6);  // 1/s
        CHECK(modulo_distance(across.particles.position[i], inside.particles.position[i] + shift) < 1e-9);    // m
      }
    }
  }
}

TEST_CASE("a friction spring survives wrapping: a block held by friction on a moving belt crosses the side unmoved") {
  // On a floor as wide as the domain that moves like a belt, against the same in a wide open domain.
  const auto ride = [](bool periodic) {
    Scene scene = test::empty_scene();
    scene.soft.initial_depth = 0.01;
    scene.gravity = {1.5, -9.81};  // held by friction only
    scene.domain = {{-0.5, -0.5}, {0.5, 0.5}, {periodic, false}};
    if (!periodic) scene.domain = {{-20.0, -0.5}, {20.0, 0.5}, {false, false}};
    scene.walls = {test::box_wall({-20.0, -0.1}, {20.0, 0.0})};
    scene.walls[0].velocity = {0.5, 0.0};
    scene.particles = {test::placed(test::square(), test::size_of_square(0.1),
                                    {{.position = {0.3, 0.04995}, .velocity = {0.5, 0.0}}})};
    Simulation simulation(scene, {.threads = 1});
    std::vector<double> angle;
    std::vector<double> x;
    for (int k = 1; k <= 400; ++k) {
      simulation.advance_to(0.01 * k);  // four times around
      const State state = simulation.state();
      REQUIRE(state.particles.size() == 1);
      angle.push_back(state.particles.angle[0]);
      x.push_back(state.particles.position[0].x());
      REQUIRE(state.contacts.size() == 1);
      if (state.time > 1.0) CHECK(std::abs(state.particles.velocity[0].x() - 0.5) < 1e-4);  // m/s: no kick at the side
    }
    return std::pair{x, angle};
  };
  const auto [x_open, angle_open] = ride(false);
  const auto [x_periodic, angle_periodic] = ride(true);
  CHECK(x_open.back() > 2.0);
  CHECK(std::abs(x_periodic.back()) <= 0.5);
  for (std::size_t k = 0; k < x_open.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(std::remainder(x_open[k] - x_periodic[k], 1.0)) < 1e-9);  // m
    CHECK(std::abs(angle_open[k] - angle_periodic[k]) < 1e-7);               // rad
  }
}

TEST_CASE("a pair of grains keeps its contact while both wrap one after the other") {
  // Two squares press on each other by an inward motion of walls that ride along; here simply: stuck together by a
  // common drift with friction and a light push, compared with the same pair in an open domain.
  const auto drift = [](bool periodic) {
    Scene scene = test::empty_scene();
    scene.domain = {{-0.5, -0.5}, {0.5, 0.5}, {periodic, false}};
    if (!periodic) scene.domain = {{-20.0, -0.5}, {20.0, 0.5}, {false, false}};
    // A tall stack of two on the belt: the contact between them wraps as well.
    scene.soft.initial_depth = 0.01;
    scene.gravity = {1.0, -9.81};
    scene.walls = {test::box_wall({-20.0, -0.1}, {20.0, 0.0})};
    scene.walls[0].velocity = {0.5, 0.0};
    scene.particles = {test::placed(
        test::square(), test::size_of_square(0.1),
        {{.position = {0.3, 0.0499}, .velocity = {0.5, 0.0}}, {.position = {0.33, 0.1497}, .velocity = {0.5, 0.0}}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(2.0);
    const State state = simulation.state();
    REQUIRE(state.particles.size() == 2);
    CHECK(state.contacts.size() == 2);
    return state;
  };
  const State open = drift(false);
  const State periodic = drift(true);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::abs(std::remainder(open.particles.position[i].x() - periodic.particles.position[i].x(), 1.0)) < 1e-8);
    CHECK(std::abs(open.particles.angle[i] - periodic.particles.angle[i]) < 1e-7);
  }
}

TEST_CASE("a plate that moves out of a periodic side comes in again with the block that friction holds on it") {
  const auto ride = [](bool periodic) {
    Scene scene = test::empty_scene();
    scene.soft.initial_depth = 0.01;
    scene.gravity = {1.5, -9.81};
    scene.domain = {{-0.5, -0.5}, {0.5, 0.5}, {periodic, false}};
    if (!periodic) scene.domain = {{-20.0, -0.5}, {20.0, 0.5}, {false, false}};
    scene.walls = {test::box_wall({-0.15, -0.1}, {0.15, 0.0})};
    scene.walls[0].velocity = {0.5, 0.0};
    scene.particles = {test::placed(test::square(), test::size_of_square(0.1),
                                    {{.position = {0.02, 0.04995}, .velocity = {0.5, 0.0}}})};
    Simulation simulation(scene, {.threads = 1});
    std::vector<double> on_plate;
    for (int k = 1; k <= 60; ++k) {
      simulation.advance_to(0.1 * k);  // three times around
      const State state = simulation.state();
      REQUIRE(state.particles.size() == 1);
      REQUIRE(state.contacts.size() == 1);
      on_plate.push_back(state.particles.position[0].x() - 0.5 * state.time);
    }
    return on_plate;
  };
  const auto open = ride(false);
  const auto periodic = ride(true);
  CHECK(std::abs(open.back() - open[20]) < 1e-11);  // m: it has settled, and does not creep
  for (std::size_t k = 0; k < open.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(std::remainder(open[k] - periodic[k], 1.0)) < 1e-9);  // m
  }
}

TEST_CASE("a wall outside a periodic domain stands where it does inside") {
  Scene scene = test::empty_scene();
  scene.soft.initial_depth = 0.01;
  scene.gravity = {1.5, -9.81};
  scene.domain = {{-0.5, -0.5}, {0.5, 0.5}, {true, false}};
  scene.walls = {test::box_wall({3.85, -0.1}, {4.15, 0.0})};  // as good as at x = 0
  scene.particles = {test::placed(test::square(), test::size_of_square(0.1), {{.position = {0.02, 0.04995}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(2.0);
  const double settled = simulation.state().particles.position[0].x();
  simulation.advance_to(3.0);
  CHECK(simulation.state().contacts.size() == 1);
  CHECK(std::abs(simulation.state().particles.position[0].x() - settled) < 1e-9);  // m
}

TEST_CASE("a contact across a periodic side is drawn where its bodies are") {
  Scene scene = periodic_scene(true, false);
  scene.soft.initial_depth = 0.11;
  scene.particles = {test::placed(Disk{}, 0.1, {{.position = {-0.46, 0.0}}, {.position = {0.45, 0.0}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(simulation.dt());
  const State state = simulation.state();
  REQUIRE(state.contacts.size() == 1);
  CHECK(std::abs(state.contacts[0].image_shift.x() + 1.0) < 1e-12);
  CHECK(std::abs(state.contacts[0].centre2.x() + 0.55) < 1e-5);  // m
  CHECK(state.contacts[0].force.x() < 0.0);                      // 1 pushes 2 to the left
}

TEST_CASE("a grain in a periodic domain flies round and round at its speed") {
  Scene scene = periodic_scene(true, true);
  scene.particles = {test::placed(RegularPolygon{6}, 0.05, {{.position = {0, 0}, .velocity = {3.0, -2.0}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(5.0);
  const State state = simulation.state();
  CHECK(modulo_distance(state.particles.position[0], state.time * Vec2(3.0, -2.0)) < 1e-9);  // m
  CHECK(state.contacts.empty());
}

TEST_CASE("a floor as wide as the periodic domain bears what grains have beyond its sides") {
  const auto slide = [](const Wall& floor, const ShapeSpec& shape) {
    Scene scene = periodic_scene(true, false);
    scene.gravity = {0.0, -9.81};
    scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 2e6, .restitution = 0.3, .friction = 0.0};
    scene.walls = {floor};
    scene.particles = {test::placed(shape, 0.05, {{.position = {0.44, 0.05}, .angle = 3.0, .velocity = {0.4, 0.0}}})};
    Simulation simulation(scene, {.threads = 1});
    std::vector<Vec2> path;
    double deepest = 0.0;
    for (int k = 1; k <= 30; ++k) {
      simulation.advance_to(0.01 * k);
      path.push_back(simulation.state().particles.position[0]);
      deepest = std::max(deepest, simulation.summary().max_depth_ratio);
    }
    CHECK(deepest > 0.0);
    CHECK(path.back().x() < 0.0);  // it has crossed
    const WallState walls = simulation.state().walls;
    CHECK(walls.outlines.vertices[0].x() == floor.polygon[0].x());  // as the scene has it
    return path;
  };
  const Clump corner{{{.polygon = {{0.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}, {0.0, 1.0}}},
                      {.polygon = {{0.0, 1.0}, {1.0, 1.0}, {1.0, 3.0}, {0.0, 3.0}}}}};
  for (const ShapeSpec& shape : {ShapeSpec(corner), ShapeSpec(RegularPolygon{3}), ShapeSpec(RegularPolygon{4})}) {
    const auto expected = slide(test::box_wall({-1.0, -0.1}, {1.0, 0.0}), shape);
    const auto found = slide(test::box_wall({-0.5, -0.1}, {0.5, 0.0}), shape);
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK((found[k] - expected[k]).norm() < 1e-9);  // m
  }
}

TEST_CASE("a turning wall as wide as a periodic domain is refused") {
  Scene scene = periodic_scene(true, false);
  scene.walls = {test::box_wall({-1.0, -0.4}, {1.0, -0.3})};
  scene.walls[0].angular_velocity = 1.0;
  CHECK_THROWS_AS(Simulation(scene, {.threads = 1}), InvalidScene);
}

TEST_CASE("two grains in a small periodic box touch on both sides at once, wherever its sides are") {
  constexpr double kSize = 0.05;
  constexpr double kPeriod = 1.96 * kSize;
  const auto scene_of = [&](double aside, double speed) {
    Scene scene = periodic_scene(true, false);
    scene.domain.lo.x() = 0.0;
    scene.domain.hi.x() = kPeriod;
    scene.materials[0].restitution = 1.0;
    scene.soft.initial_depth = 0.05;
    const auto at = [&](double x) { return Vec2(x - kPeriod * std::floor(x / kPeriod), 0.0); };
    scene.particles = {
        test::placed(Disk{}, kSize,
                     {{.position = at(0.3 * kPeriod), .velocity = {speed, 0.0}},
                      {.position = at(0.3 * kPeriod + 0.5 * kPeriod + aside), .velocity = {speed, 0.0}}})};
    return scene;
  };
  const auto between = [&](const State& s) {
    const double d = s.particles.position[1].x() - s.particles.position[0].x();
    return d - kPeriod * std::floor(d / kPeriod);
  };

  SUBCASE("in the middle the forces balance") {
    Simulation simulation(scene_of(0.0, 0.0), {.threads = 1});
    simulation.advance_to(0.01);
    const State seen = simulation.state();
    CHECK(seen.contacts.size() == 2);
    CHECK(seen.particles.coordination == std::vector<int>{2, 2});
    CHECK(std::abs(between(seen) - 0.5 * kPeriod) < 1e-12);
  }
  SUBCASE("aside they swing about it on both springs") {
    const double aside = 0.002 * kSize;
    Simulation simulation(scene_of(aside, 0.0), {.threads = 1});
    const double mass = simulation.state().particles.mass[0];
    const double stiffness = test::empty_scene().materials[0].stiffness;
    const double swing = 2.0 * 3.14159265358979 * std::sqrt(0.5 * mass / (2.0 * stiffness));
    simulation.advance_to(0.5 * swing);
    CHECK(std::abs(between(simulation.state()) - (0.5 * kPeriod - aside)) < 0.01 * aside);
    simulation.advance_to(swing);
    CHECK(std::abs(between(simulation.state()) - (0.5 * kPeriod + aside)) < 0.01 * aside);
    CHECK(simulation.state().contacts.size() == 2);
  }
  SUBCASE("moving through the sides changes nothing between them, whichever broadphase") {
    Simulation still(scene_of(0.0003, 0.0), {.threads = 1});
    still.advance_to(0.1);
    for (const BroadphaseKind kind : {BroadphaseKind::all_pairs, BroadphaseKind::sorted_strips,
                                      BroadphaseKind::linked_cells, BroadphaseKind::sort_and_update}) {
      Simulation moving(scene_of(0.0003, 3.0), {.threads = 1, .broadphase = kind});
      moving.advance_to(0.1);
      CHECK(moving.state().contacts.size() == 2);
      CHECK(std::abs(between(moving.state()) - between(still.state())) < 1e-9);
    }
  }
}

TEST_CASE("two polygons that touch edge on edge on both sides at once are in equilibrium") {
  const double side_to_side = 0.05 * std::sqrt(3.14159265358979 / (2.0 * std::sqrt(3.0)));  // of a regular hexagon
  const double period = 1.98 * side_to_side;
  Scene scene = periodic_scene(true, false);
  scene.domain.lo.x() = 0.0;
  scene.domain.hi.x() = period;
  scene.soft.initial_depth = 0.05;
  const double edges_up_and_down = 3.14159265358979 / 6.0;
  scene.particles = {test::placed(RegularPolygon{6}, 0.05,
                                  {{.position = {0.2 * period, 0.0}, .angle = edges_up_and_down},
                                   {.position = {0.7 * period, 0.0}, .angle = edges_up_and_down}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.01);
  const State seen = simulation.state();
  REQUIRE(seen.contacts.size() == 2);
  CHECK(seen.particles.coordination == std::vector<int>{2, 2});
  for (const ContactState& contact : seen.contacts) {
    CHECK(std::abs(contact.depth - 0.01 * side_to_side) < 1e-4 * side_to_side);
  }
  CHECK(std::abs(seen.particles.position[1].x() - seen.particles.position[0].x() - 0.5 * period) < 1e-9);
}

}  // namespace scree::soft_periodic_test
