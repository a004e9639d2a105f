#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/union.hpp"
#include "tests/scenes.hpp"

namespace scree::clumps_test {

using soft::Simulation;

/// Grains of several parts: what rigid bodies do, and that it does not matter of which parts they are made.
namespace {

constexpr double kPi = std::numbers::pi;

ConvexPart box(double x0, double y0, double x1, double y1) {
  return {.polygon = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}};
}
ConvexPart disk(double x, double y, double r) {
  return {.polygon = {}, .centre = {x, y}, .radius = r};
}

Clump an_l() {
  return Clump{{box(0.0, 0.0, 3.0, 1.0), box(0.0, 1.0, 1.0, 2.0)}};
}
Clump a_plus() {
  return Clump{{box(-1.5, -0.5, 1.5, 0.5), box(-0.5, -1.5, 0.5, -0.5), box(-0.5, 0.5, 0.5, 1.5)}};
}
Clump a_dumbbell() {
  return Clump{{disk(-1.0, 0.0, 0.6), disk(1.0, 0.0, 0.6), box(-1.0, -0.2, 1.0, 0.2)}};
}

struct Motions {
  Vec2 momentum = Vec2::Zero();
  double angular = 0.0;
  double kinetic = 0.0;
};
Motions motions(const ParticleState& p) {
  Motions sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum.momentum += p.mass[i] * p.velocity[i];
    sum.angular += p.mass[i] * cross(p.position[i], p.velocity[i]) + p.inertia[i] * p.angular_velocity[i];
    sum.kinetic +=
        0.5 * (p.mass[i] * p.velocity[i].squaredNorm() + p.inertia[i] * p.angular_velocity[i] * p.angular_velocity[i]);
  }
  return sum;
}

}  // namespace

TEST_CASE("an L flies and turns freely: mass and inertia are those of its outline, nothing is lost") {
  Scene scene = test::empty_scene();
  scene.soft.step = 1e-4;
  const double size = 0.01 * std::sqrt(4.0 * 4.0 / kPi);  // its bars are 1 cm wide
  scene.particles = {
      test::placed(an_l(), size, {{.position = {0, 0}, .angle = 0.3, .velocity = {1, 2}, .angular_velocity = 40}})};
  Simulation simulation(scene, {.threads = 1});
  const ParticleState before = simulation.state().particles;
  REQUIRE(before.size() == 1);
  CHECK(before.mass[0] == doctest::Approx(2600.0 * 4e-4).epsilon(1e-13));
  const Vec2 centroid(5.0 / 4.0, 3.0 / 4.0);
  const double second = (10.0 + 8.0 / 3.0) - 4.0 * centroid.squaredNorm();
  CHECK(before.inertia[0] == doctest::Approx(2600.0 * second * 1e-8).epsilon(1e-12));
  simulation.advance_to(1.0);
  const State state = simulation.state();
  const double t = state.time;
  CHECK((state.particles.position[0] - Vec2(t, 2.0 * t)).norm() < 1e-11);
  CHECK(std::abs(state.particles.angle[0] - (0.3 + 40.0 * t)) < 1e-10);
  CHECK(state.particles.velocity[0] == Vec2(1.0, 2.0));
  CHECK(state.particles.angular_velocity[0] == 40.0);
  // The outline, turned as far: its corners are those of the L.
  const Rotation rotation = Rotation::by(state.particles.angle[0]);
  std::vector<Vec2> corners(state.particles.outlines.vertices);
  for (const Vec2& corner : {Vec2(0, 0), Vec2(3, 0), Vec2(3, 1), Vec2(1, 1), Vec2(1, 2), Vec2(0, 2)}) {
    const Vec2 expected = state.particles.position[0] + rotation * Vec2(0.01 * (corner - centroid));
    CHECK(std::ranges::any_of(corners, [&](const Vec2& there) { return (there - expected).norm() < 1e-12; }));
  }
  CHECK(simulation.summary().particles == 1);
}

TEST_CASE("an off-centre hit turns an L as rigid bodies are turned") {
  // A disk hits the long arm of an L from below, without friction: along the normal (y) of the flat side. An elastic
  // impact of rigid bodies gives the impulse P = 2 v / (1/m + 1/M + x^2/I), x from the L's centroid.
  Scene scene = test::empty_scene();
  scene.materials[0].friction = 0.0;
  scene.materials[0].restitution = 1.0;
  scene.materials[0].stiffness = 1e9;
  const double size = 0.01 * std::sqrt(4.0 * 4.0 / kPi);
  const double x = 0.012;  // of the L's 3 cm from -1.25 to 1.75 cm
  const double speed = 0.5;
  scene.particles = {test::placed(an_l(), size, {{.position = {0, 0}}}),
                     test::placed(Disk{}, 0.01, {{.position = {x, -0.0075 - 0.0051}, .velocity = {0.0, speed}}})};
  Simulation simulation(scene, {.threads = 1});
  const ParticleState before = simulation.state().particles;
  simulation.advance_to(0.002);
  const ParticleState after = simulation.state().particles;
  REQUIRE(simulation.summary().contacts == 0);
  const double impulse = 2.0 * speed / (1.0 / before.mass[0] + 1.0 / before.mass[1] + x * x / before.inertia[0]);
  CHECK(after.velocity[0].y() == doctest::Approx(impulse / before.mass[0]).epsilon(2e-4));
  CHECK(after.angular_velocity[0] == doctest::Approx(x * impulse / before.inertia[0]).epsilon(2e-4));
  CHECK(after.velocity[1].y() == doctest::Approx(speed - impulse / before.mass[1]).epsilon(2e-4));
  const Motions first = motions(before);
  const Motions last = motions(after);
  CHECK((last.momentum - first.momentum).norm() < 1e-13 * first.momentum.norm());
  CHECK(std::abs(last.angular - first.angular) < 1e-7 * std::abs(first.angular));
  CHECK(std::abs(last.kinetic / first.kinetic - 1.0) < 1e-4);
}

TEST_CASE("clumps that collide keep momentum to rounding, and their energy balances") {
  for (const Clump& shape : {an_l(), a_plus(), a_dumbbell()}) {
    Scene scene = test::empty_scene();
    scene.materials[0].stiffness = 3e7;
    scene.particles = {test::placed(shape, 0.02,
                                    {{.position = {-0.03, 0.003}, .velocity = {1.0, 0.1}, .angular_velocity = 5.0},
                                     {.position = {0.03, 0.0}, .velocity = {-1.0, 0.0}, .angular_velocity = -30.0},
                                     {.position = {0.0, 0.05}, .velocity = {0.0, -1.5}, .angular_velocity = 10.0}})};
    Simulation simulation(scene, {.threads = 1});
    const Motions before = motions(simulation.state().particles);
    simulation.advance_to(0.1);
    const Motions after = motions(simulation.state().particles);
    const Summary summary = simulation.summary();
    CHECK(summary.dissipated_damping + summary.dissipated_friction > 0.05 * before.kinetic);  // they met
    CHECK((after.momentum - before.momentum).norm() < 1e-12 * 3.0);
    CHECK(std::abs(after.angular - before.angular) < 1e-6);
    CHECK(std::abs(summary.energy_residual) < 1e-3);
    simulation.check_all();
  }
}

TEST_CASE("a plus, an L and a dumbbell that are dropped come to rest on the floor, and energy balances" *
          doctest::skip(test::kSanitized)) {
  for (const Clump& shape : {a_plus(), an_l(), a_dumbbell()}) {
    Scene scene = test::empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.walls = {test::floor_wall()};
    scene.materials[0].stiffness = 1e8;  // a plus stands on two corners, which give way more than sides
    scene.particles = {test::placed(shape, 0.02, {{.position = {0.0, 0.04}, .angle = 0.4}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(2.0);
    const Summary summary = simulation.summary();
    const ParticleState p = simulation.state().particles;
    CHECK(std::abs(summary.energy_residual) < 1e-3);
    CHECK(summary.kinetic_energy < 1e-9 * p.mass[0] * 9.81 * 0.04);
    CHECK(p.velocity[0].norm() < 1e-4);
    CHECK(p.force[0].norm() < 1e-3 * p.mass[0] * 9.81);
    double lowest = 1.0;
    for (const Vec2& corner : p.outlines.vertices) lowest = std::min(lowest, corner.y());
    CHECK(std::abs(lowest) < 1e-4);  // m, of 2 cm: it lies on the floor, hardly in it
    simulation.check_all();
  }
}

TEST_CASE("a rectangle and the same of two halves do the same, as long as no contact reaches across the seam") {
  // With a potential the law's length is the size of the grain, and the area is that of the part that touches.
  const auto run = [](const ShapeSpec& shape, double until) {
    Scene scene = test::empty_scene();
    scene.contact_law = "area_potential";
    scene.gravity = {0.0, -9.81};
    scene.walls = {test::floor_wall()};
    scene.materials[0].restitution = 0.6;
    scene.materials[0].stiffness = 1e8;
    scene.soft.step = 2e-6;
    scene.particles = {test::placed(shape, 0.02, {{.position = {0.0, 0.03}, .angle = 0.5, .angular_velocity = 3.0}})};
    Simulation simulation(scene, {.threads = 1});
    std::size_t impacts = 0;
    bool touches = false;
    while (simulation.time() < until) {
      simulation.advance_to(1.0, 20);
      const std::size_t contacts = simulation.summary().contacts;
      CHECK(contacts <= 1);
      if (contacts > 0 && !touches) ++impacts;
      touches = contacts > 0;
    }
    CHECK(impacts >= (until > 0.1 ? 2 : 1));
    return simulation.state().particles;
  };
  const ExplicitPolygon whole{{{0, 0}, {2, 0}, {2, 1}, {0, 1}}};
  const Clump halves{{box(0, 0, 1, 1), box(1, 0, 2, 1)}};
  for (const double until : {0.085, 0.13}) {
    CAPTURE(until);
    const ParticleState a = run(whole, until);
    const ParticleState b = run(halves, until);
    CHECK(b.mass[0] == doctest::Approx(a.mass[0]).epsilon(1e-14));
    CHECK(b.inertia[0] == doctest::Approx(a.inertia[0]).epsilon(1e-13));
    CHECK((a.position[0] - b.position[0]).norm() < 1e-12);
    CHECK(std::abs(a.angle[0] - b.angle[0]) < 1e-10);
    CHECK((a.velocity[0] - b.velocity[0]).norm() < 1e-10);
  }
}

namespace {

struct Fall {
  double rest = 0.0;     // depth on the floor under its weight [m]
  double deepest = 0.0;  // depth of the first impact [m]
  double rebound = 0.0;  // speed after it [m/s]
};

/// Lies on the floor, on its lowest side, under its weight; and falls on it without. @param angle by which it is turned
Fall fall(const ShapeSpec& shape, double angle) {
  Scene scene = test::empty_scene();
  scene.walls = {test::floor_wall()};
  scene.gravity = {0.0, -9.81};
  scene.particles = {test::placed(shape, 0.02, {{.position = {0.0, 0.0}, .angle = angle}})};
  const double lowest = box_around(make_grain(scene, 0, 0), {Vec2::Zero(), Rotation::by(angle)}).lo.y();
  Placed& placed = std::get<Place>(scene.particles[0].how)[0];
  placed.position.y() = -lowest;
  const auto depth = [&](const Simulation& simulation) {
    return -lowest - simulation.state().particles.position[0].y();
  };
  Fall found;
  Simulation resting(scene, {.threads = 1});
  resting.advance_to(0.5);
  CHECK(resting.summary().kinetic_energy < 1e-9);
  found.rest = depth(resting);
  scene.gravity = Vec2::Zero();
  placed.velocity.y() = -0.1;
  Simulation falling(scene, {.threads = 1});
  while (falling.time() < 0.02) {
    falling.advance_to(1.0, 1);
    found.deepest = std::max(found.deepest, depth(falling));
  }
  CHECK(falling.summary().contacts == 0);
  found.rebound = falling.state().particles.velocity[0].y();
  return found;
}

Clump clump_of(const std::vector<Vec2>& outline) {
  std::vector<ConvexPart> parts;
  for (const std::vector<Vec2>& polygon : split_into_convex(outline)) parts.push_back({.polygon = polygon});
  return Clump(std::move(parts));
}

/// Of a plus whose bars are 3 by 1.
const std::vector<Vec2> kPlus = {{0.5, 0.5},   {0.5, 1.5},   {-0.5, 1.5}, {-0.5, 0.5}, {-1.5, 0.5}, {-1.5, -0.5},
                                 {-0.5, -0.5}, {-0.5, -1.5}, {0.5, -1.5}, {0.5, -0.5}, {1.5, -0.5}, {1.5, 0.5}};

}  // namespace

TEST_CASE("the bars of a plus are equally stiff, and it rests as deep whichever corner its outline begins with") {
  const Fall first = fall(clump_of(kPlus), 0.0);
  // F = Y A / l, l four times the radius of the disk that has the area of the plus.
  const double side = 0.01 * std::sqrt(kPi / 5.0);
  const double expected = 2600.0 * kPi * 1e-4 * 9.81 * 4.0 * 0.01 / (1e6 * side);
  CHECK(std::abs(first.rest - expected) < 1e-2 * expected);
  for (int quarter = 1; quarter < 4; ++quarter) {
    CAPTURE(quarter);
    const Fall turned = fall(clump_of(kPlus), 0.5 * kPi * quarter);
    CHECK(std::abs(turned.rest - first.rest) < 1e-2 * first.rest);
    CHECK(std::abs(turned.deepest - first.deepest) < 1e-2 * first.deepest);
    CHECK(std::abs(turned.rebound - first.rebound) < 1e-2 * first.rebound);
  }
}

TEST_CASE("what an outline does depends neither on its first corner nor on its sense") {
  const std::vector<std::vector<Vec2>> outlines = {
      kPlus,
      {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}},                                                  // L
      {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}},                                  // U
      {{1, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 2}, {1, 2}},                                  // T
      {{0, 0}, {3, 0}, {3, 1}, {2, 1}, {2, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 2}, {1, 2}, {1, 1}, {0, 1}},  // I
      {{0, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 3}, {1, 3}, {1, 1}, {0, 1}},                                  // Z
      {{0, 0}, {4, 0}, {2, 1}, {2, 3}, {4, 4}, {0, 4}},
      {{0, 0}, {5, 0}, {5, 2}, {4, 2}, {4, 1}, {3, 1}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},  // comb
      {{0, 0}, {2, 0}, {2, 0.5}, {1.2, 1}, {2, 1.5}, {2, 2}, {0, 2}, {0, 1.5}, {0.8, 1}, {0, 0.5}},      // hourglass
      {{0, 0}, {6, 0}, {4, 1}, {5, 3}, {3, 2}, {1, 3}, {2, 1}}};                                         // star
  for (std::size_t which = 0; which < outlines.size(); ++which) {
    CAPTURE(which);
    std::vector<Vec2> outline = outlines[which];
    const Fall first = fall(clump_of(outline), 0.0);
    CHECK(first.deepest > 1e-6);
    for (const int step : {1, 2, 3}) {
      std::rotate(outline.begin(), outline.begin() + step, outline.end());
      std::ranges::reverse(outline);
      const Fall other = fall(clump_of(outline), 0.0);
      CHECK(std::abs(other.rest - first.rest) < 1e-9 * first.rest);
      CHECK(std::abs(other.deepest - first.deepest) < 1e-9 * first.deepest);
      CHECK(std::abs(other.rebound - first.rebound) < 1e-9 * first.rebound);
    }
  }
}

TEST_CASE("a square of two halves rests as deep as a square whose lever arm is the radius of its disk of equal area") {
  // F = Y A / l, l four times that radius for parts, whichever way the square is cut, and 2 s for the whole square.
  constexpr double kSide = 0.02;
  const auto depth = [](const ShapeSpec& shape) {
    Scene scene = test::empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.walls = {test::floor_wall()};
    scene.particles = {test::placed(shape, test::size_of_square(kSide), {{.position = {0.0, 0.5 * kSide}}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(1.0);
    CHECK(simulation.summary().kinetic_energy < 1e-15);
    CHECK(simulation.state().particles.coordination[0] == simulation.summary().contacts);
    return 0.5 * kSide - simulation.state().particles.position[0].y();
  };
  const double expected = 2600.0 * kSide * kSide * 9.81 * 2.0 / 1e6;  // m g l / (Y s)
  const double of_parts = expected * 2.0 / std::sqrt(kPi);
  CHECK(std::abs(depth(test::square()) - expected) < 1e-2 * expected);
  const double upright = depth(Clump{{box(0, 0, 0.5, 1), box(0.5, 0, 1, 1)}});
  CHECK(std::abs(upright - of_parts) < 1e-2 * of_parts);
  CHECK(std::abs(depth(Clump{{box(0, 0, 1, 0.5), box(0, 0.5, 1, 1)}}) - upright) < 1e-9 * upright);
  CHECK(std::abs(depth(Clump{{box(0, 0, 0.1, 1), box(0.1, 0, 1, 1)}}) - upright) < 1e-9 * upright);
}

TEST_CASE("a T stands with its leg in the gap of a U") {
  // A U on the floor, and a T whose leg stands in its gap: shape and friction keep it there.
  const Clump u{{box(0, 0, 3, 1), box(0, 1, 1, 3), box(2, 1, 3, 3)}};
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::floor_wall()};
  const double side = 0.004;  // m
  const double area = 7.0 * side * side;
  const double size = std::sqrt(4.0 * area / kPi);
  const double height = side * (3.0 * 0.5 + 2.0 * 2.0 * 2.0) / 7.0;  // centroid above its back
  const Clump t_shape{{box(-1.2, 0.0, 1.55, 1.0), box(-0.45, -1.5, 0.45, 0.0)}};
  const Union& of_t = t_shape.whole();
  const double scale = 0.004;
  scene.particles = {test::placed(u, size, {{.position = {0.0, height}}}),
                     test::placed(t_shape, scale * std::sqrt(4.0 * of_t.area / kPi),
                                  {{.position = Vec2(0.0, 3.0 * side) + scale * of_t.centroid + Vec2(0.0, 1e-4)}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(1.0);
  const State state = simulation.state();
  CHECK(simulation.summary().kinetic_energy < 1e-9);
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
  CHECK(state.particles.position[1].y() > 2.0 * side);  // on top, its leg in the gap
  CHECK(state.particles.position[0].norm() < 4.0 * side);
  CHECK(state.particles.coordination[1] >= 2);
  // Contacts name grains, and their arms are from the grains' centroids.
  for (const ContactState& contact : state.contacts) {
    CHECK(contact.id1 >= state.particles.id[0]);
    const std::size_t i = contact.id1 == state.particles.id[0] ? 0 : 1;
    CHECK(contact.centre1 == state.particles.position[i]);
    CHECK((contact.point - contact.centre1).norm() < 0.02);
  }
}

}  // namespace scree::clumps_test
