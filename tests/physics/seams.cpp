#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/restitution.hpp"
#include "dem/soft/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/scenes.hpp"

namespace scree::seams_test {

using soft::Simulation;

// Floors and drums are made of convex walls side by side. What crosses a seam must feel no more than the geometry's
// due.
namespace {

constexpr double kRadius = 0.01;      // m, of the disk
constexpr double kDrumRadius = 0.15;  // m
constexpr double kGravity = 9.81;

Scene stone_scene(double stiffness) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.materials[0].stiffness = stiffness;
  scene.materials[0].restitution = 0.1;
  return scene;
}

/// Slabs of one height, the seams at x = 0, width, 2 width ...
void lay_slabs(Scene& scene, double width, int count) {
  for (int k = -1; k < count; ++k) {
    scene.walls.push_back(test::box_wall({width * k, -0.02}, {width * (k + 1), 0.0}));
    scene.walls.back().name += ' ' + std::to_string(k);
  }
}

/// Turns about its centre, the origin; there is a seam at the bottom at first.
void build_drum(Scene& scene, int segments, double rate) {
  for (const auto& polygon : ring({0.0, 0.0}, kDrumRadius, 0.01, segments)) {
    Wall wall;
    wall.name = "drum " + std::to_string(scene.walls.size());
    wall.polygon = polygon;
    wall.angular_velocity = rate;
    scene.walls.push_back(wall);
  }
}

ParticleGroup disk(const Placed& place) {
  return test::placed(Disk{}, 2.0 * kRadius, {place});
}

double mechanical_energy(const Simulation& simulation) {
  const Summary now = simulation.summary();
  return now.kinetic_energy + now.potential_energy + now.elastic_energy;
}

}  // namespace

// A disk of radius r that is pressed d deep into a flat floor touches the next slab's corner when it is sqrt(2 r d)
// away, along a normal that leans by sqrt(2 d / r). At most all of its motion in that direction is lost, m v^2 d / r,
// and it is lifted by at most d, since both slabs now bear it: m g d. It does not win anything.
TEST_CASE("a disk that rolls over a seam in a flat floor loses no more than its depth explains") {
  constexpr double kWidth = 0.03;  // m
  constexpr int kSeams = 6;
  for (const double stiffness : {1e6, 1e7}) {
    for (const double speed : {0.2, 1.0}) {
      CAPTURE(stiffness);
      CAPTURE(speed);
      Scene scene = stone_scene(stiffness);
      lay_slabs(scene, kWidth, kSeams);
      scene.particles = {
          disk({.position = {-0.9 * kWidth, kRadius}, .velocity = {speed, 0.0}, .angular_velocity = -speed / kRadius})};
      Simulation simulation(scene, {.threads = 1});
      simulation.advance_to(0.4 * kWidth / speed);  // it has settled
      const double before = mechanical_energy(simulation);
      const double kinetic = simulation.summary().kinetic_energy;
      const double depth = simulation.summary().max_depth;
      double highest = before;
      double vertical = 0.0;
      while (simulation.state().particles.position[0].x() < (kSeams - 0.5) * kWidth && simulation.time() < 5.0) {
        simulation.advance_to(5.0, 20);
        highest = std::max(highest, mechanical_energy(simulation));
        vertical = std::max(vertical, std::abs(simulation.state().particles.velocity[0].y()));
      }
      const double lost = (before - mechanical_energy(simulation)) / kinetic / kSeams;
      CHECK(lost > 0.0);
      CHECK(lost < (4.0 / 3.0) * (depth / kRadius + kGravity * depth / (speed * speed)));
      CHECK(highest - before < 1e-6 * kinetic);
      CHECK(vertical < speed * std::sqrt(2.0 * depth / kRadius));  // m/s
    }
  }
}

// Between two of n segments the floor turns by a = 2 pi / n. A rigid disk that rolls meets the next segment with
// its front, keeps its angular momentum about that point and, if it does not bounce, rolls on with (1 + 2 cos a)/3 of
// its speed. A restitution of 0.1 changes the energy that is lost by 1 %.
TEST_CASE("a disk that rolls over a seam in a drum of 48 segments loses what a rigid one does") {
  for (const int segments : {48, 96}) {
    CAPTURE(segments);
    const double turn = 2.0 * M_PI / segments;
    const double half = kDrumRadius * std::tan(0.5 * turn);  // of a segment
    constexpr double kSpeed = 1.0;                           // m/s
    Scene scene = stone_scene(1e8);
    build_drum(scene, segments, 0.0);
    const Rotation slope = Rotation::by(-0.5 * turn);
    scene.particles = {disk({.position = slope * Vec2(0.0, kRadius - kDrumRadius),
                             .velocity = slope * Vec2(kSpeed, 0.0),
                             .angular_velocity = -kSpeed / kRadius})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.9 * half / kSpeed);
    const double before = mechanical_energy(simulation);
    const double kinetic = simulation.summary().kinetic_energy;
    simulation.advance_to(1.9 * half / kSpeed);
    CHECK(simulation.state().particles.position[0].x() > 0.8 * half);
    const double lost = (before - mechanical_energy(simulation)) / kinetic;
    const double kept = (1.0 + 2.0 * std::cos(turn)) / 3.0;
    CHECK(std::abs(lost / (1.0 - kept * kept) - 1.0) < 0.02);
  }
}

// The wall runs under it with the speed v; a seam gives it v sin(a) at most across the wall, which lifts it by
// (v sin a)^2 / 2 g. Fifteen seams pass.
TEST_CASE("a disk at the bottom of a drum that turns stays there, on the wall") {
  constexpr double kRate = 2.0;  // 1/s
  constexpr int kSegments = 48;
  Scene scene = stone_scene(1e7);
  build_drum(scene, kSegments, kRate);
  scene.particles = {
      disk({.position = {0.0, kRadius - kDrumRadius}, .angular_velocity = kRate * kDrumRadius / kRadius})};
  Simulation simulation(scene, {.threads = 1});
  const double turn = 2.0 * M_PI / kSegments;
  const double lifted = std::pow(kRate * kDrumRadius * std::sin(turn), 2) / (2.0 * kGravity);
  while (simulation.time() < 1.0) {
    simulation.advance_to(1.0, 200);
    const State state = simulation.state();
    const Vec2 position = state.particles.position[0];
    CHECK(position.norm() > kDrumRadius - kRadius - lifted);
    CHECK(position.norm() < (kDrumRadius - kRadius) / std::cos(0.5 * turn) + 1e-3 * kRadius);
    CHECK(std::abs(std::atan2(position.x(), -position.y())) < turn);
  }
}

// The leading corner of a block, d deep, comes into the next slab by x and meets it with a chord (x, d), whose normal
// leans: v d / s of its speed is across it, s^2 = x^2 + d^2. The dashpot, c = 2 zeta sqrt(m k) with k = m g s / (b d),
// takes the integral of c (v d / s)^2 dx / v = 5.24 zeta v d m sqrt(g / b), b the block's length. The springs take and
// give back.
TEST_CASE("a block slides over seams as over one piece, except for the loss by the dashpot of its leading corner") {
  const double side = 0.02;  // m
  const double width = 0.6 * side;
  const double speed = 1.0;  // m/s
  Scene scene = stone_scene(1e7);
  lay_slabs(scene, width, 60);
  scene.particles = {test::placed(ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.25}, {0.0, 0.25}}},
                                  0.5 * test::size_of_square(side),
                                  {{.position = {side, 0.125 * side}, .velocity = {speed, 0.0}}})};
  struct Slide {
    double distance;
    double speed;
    double depth;
  };
  const auto slide = [&](double friction, double start) {
    scene.materials[0].friction = friction;
    std::get<Place>(scene.particles[0].how)[0].position.x() = start;
    Simulation simulation(scene, {.threads = 1});
    double turned = 0.0;
    while (simulation.time() < 0.22) {
      simulation.advance_to(0.22, 100);
      turned = std::max(turned, std::abs(simulation.state().particles.angle[0]));
    }
    CHECK(turned < 1e-4);  // rad
    const State end = simulation.state();
    const double weight = end.particles.mass[0] * kGravity;
    const double depth = weight * 4.0 * 0.125 * side / (scene.materials[0].stiffness * side);
    return Slide{end.particles.position[0].x() - start, end.particles.velocity[0].x(), depth};
  };
  const Slide smooth = slide(0.0, side);
  const double seams = smooth.distance / width;
  const double taken = 5.24 * damping_ratio(0.1) * speed * smooth.depth * std::sqrt(kGravity / side);  // of m
  const double lost = 0.5 * (speed * speed - smooth.speed * smooth.speed) / seams;
  CHECK(lost > 0.0);
  CHECK(lost < 1.2 * taken);

  // A step is 80 depths long: what a seam takes depends on where the step falls, so that one slide over nine seams
  // scatters by a fifth. The leading corner of a block that brakes is deeper, by a third.
  constexpr double kFriction = 0.5;
  constexpr int kStarts = 4;
  const double stopping_distance = speed * speed / (2.0 * kFriction * kGravity);
  double missing = 0.0;
  for (int k = 0; k < kStarts; ++k) {
    const Slide rough = slide(kFriction, side + k * width / kStarts);
    CHECK(rough.speed < 1e-6);  // m/s
    missing += (1.0 - rough.distance / stopping_distance) / kStarts;
  }
  CHECK(missing > 0.0);
  CHECK(missing < 2.0 * taken / (kFriction * kGravity * width));
}

}  // namespace scree::seams_test
