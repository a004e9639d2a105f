#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::standing_test {

using soft::Simulation;

// What was built with care stands: for 10 s nothing moves on, and the kinetic energy falls to rounding.
namespace {

Scene building(double stiffness) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.materials[0].stiffness = stiffness;
  scene.materials[0].friction = 0.6;
  scene.walls = {test::floor_wall()};
  return scene;
}

constexpr double kSide = 0.03;  // m

/// Courses of 4, 3, 2 and 1 squares, each on two of those below, a quarter of a side apart.
Scene brick_wall() {
  Scene scene = building(1e7);
  Place place;
  for (int course = 0; course < 4; ++course) {
    for (int k = 0; k < 4 - course; ++k) {
      place.push_back({.position = kSide * Vec2(1.25 * (k + 0.5 * course - 1.5), course + 0.5)});
    }
  }
  scene.particles = {test::placed(test::square(), test::size_of_square(kSide), place)};
  return scene;
}

constexpr double kLength = 0.1;  // m
constexpr double kThickness = 0.01;
constexpr double kLean = 0.3;  // rad, of a card against the vertical

/// Two cards that lean on each other at x, feet at y.
void add_pair(Place& place, double x, double y) {
  const double half_width = 0.5 * (kThickness * std::cos(kLean) + kLength * std::sin(kLean));
  const double half_height = 0.5 * (kThickness * std::sin(kLean) + kLength * std::cos(kLean));
  for (const double side : {-1.0, 1.0}) {
    place.push_back({.position = {x + side * half_width, y + half_height}, .angle = side * kLean});
  }
}

/// Two pairs of cards, a card across them, and a third pair upon it.
Scene house_of_cards() {
  Scene scene = building(2e8);
  const double height = kThickness * std::sin(kLean) + kLength * std::cos(kLean);
  Place place;
  add_pair(place, -0.04, 0.0);
  add_pair(place, 0.04, 0.0);
  place.push_back({.position = {0.0, height + 0.5 * kThickness}, .angle = 0.5 * M_PI});
  add_pair(place, 0.0, height + kThickness);
  const ShapeSpec card = ExplicitPolygon{{{0.0, 0.0}, {kThickness, 0.0}, {kThickness, kLength}, {0.0, kLength}}};
  scene.particles = {test::placed(card, std::sqrt(4.0 * kThickness * kLength / M_PI), place)};
  scene.soft.step = 1e-5;  // s, 1/40 of the period of a card on its friction spring

  return scene;
}

/// Farthest that a grain is from where it was [m].
double moved(const State& before, const State& after) {
  double farthest = 0.0;
  for (std::size_t i = 0; i < before.particles.size(); ++i) {
    farthest = std::max(farthest, (after.particles.position[i] - before.particles.position[i]).norm());
  }
  return farthest;
}

/// Rounding of a velocity is some 1e-15 m/s here, what the weights' roundings make of the springs some 1e-12 m/s.
void check_that_it_stands(const Scene& scene, double settling) {
  Simulation simulation(scene, {.threads = 1});
  const State built = simulation.state();
  simulation.advance_to(1.0);
  const State settled = simulation.state();
  CHECK(moved(built, settled) < settling);
  CHECK(simulation.summary().kinetic_energy < 1e-20);  // J; a fall from 1 mm has 0.1 J
  simulation.advance_to(10.0);
  CHECK(moved(settled, simulation.state()) < 1e-11);  // m
  CHECK(simulation.summary().kinetic_energy < 1e-20);
}

}  // namespace

TEST_CASE("a wall of ten squares stands for 10 s, and its kinetic energy falls to rounding") {
  check_that_it_stands(brick_wall(), 0.002 * kSide);
}

TEST_CASE("a house of cards stands for 10 s, and its kinetic energy falls to rounding") {
  check_that_it_stands(house_of_cards(), 0.05 * kThickness);
}

TEST_CASE("a house of cards falls if it is too smooth") {
  Scene scene = house_of_cards();
  scene.materials[0].friction = 0.5 * 0.5 * std::tan(kLean);  // half of what a pair without a load needs
  Simulation simulation(scene, {.threads = 1});
  const State built = simulation.state();
  simulation.advance_to(0.5);
  CHECK(moved(built, simulation.state()) > 0.5 * kLength);
}

}  // namespace scree::standing_test
