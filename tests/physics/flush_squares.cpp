#include <cmath>
#include <cstddef>
#include <numbers>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"

namespace scree::flush_squares_test {

namespace {

constexpr double kSide = 0x1p-5;  // m
constexpr std::size_t kSquares = 10;

/// Squares stacked side on side to the last bit; every second one moved aside.
///
/// The stiffness keeps the tower well below the height at which a column of these springs buckles under its own weight,
/// (7.84 E I / q)^(1/3) with E I = (Y L^2 / 24) L and q the weight per height: 0.51 m against 0.31 m.
Scene tower(double offset) {
  Scene scene;
  scene.domain = {{-0.2, -0.1}, {0.2, 0.5}};
  scene.gravity = {0.0, -9.81};
  scene.materials = {{.name = "stone", .density = 2600.0, .stiffness = 1e7, .restitution = 0.3, .friction = 0.5}};
  Wall floor;
  floor.name = "floor";
  floor.polygon = {{-0.1, -0.05}, {0.1, -0.05}, {0.1, 0.0}, {-0.1, 0.0}};
  scene.walls = {floor};
  Place place;
  for (std::size_t k = 0; k < kSquares; ++k) {
    place.push_back({.position = {k % 2 == 1 ? offset : 0.0, (static_cast<double>(k) + 0.5) * kSide}});
  }
  const ExplicitPolygon square{{{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}};
  const double size = 2.0 * kSide / std::sqrt(std::numbers::pi);  // of the disk of equal area
  scene.particles = {{.how = place, .material = 0, .shape = square, .size = {size, size}}};
  scene.end = 10.0;
  return scene;
}

}  // namespace

TEST_CASE("ten flush squares stand on each other for 10 s and lie still") {
  // The sides of all ten are collinear, where two overlap they do so in a rectangle: ties and jumps wherever one looks.
  soft::Simulation simulation(tower(0.0));
  simulation.advance_to(1.0);
  const State before = simulation.state();
  simulation.advance_to(10.0);
  const State after = simulation.state();
  REQUIRE(after.particles.position.size() == kSquares);
  for (std::size_t k = 0; k < kSquares; ++k) {
    CAPTURE(k);
    const double height = (static_cast<double>(k) + 0.5) * kSide;
    const double sinking = static_cast<double>(k + 1) * 0.004 * kSide;  // ten weights press 0.0016 of a side deep
    CHECK(std::abs(after.particles.position[k].x()) < 1e-4 * kSide);
    CHECK(after.particles.position[k].y() < height);
    CHECK(after.particles.position[k].y() > height - sinking);
    CHECK((after.particles.position[k] - before.particles.position[k]).norm() < 1e-4 * kSide);
    CHECK(std::abs(after.particles.angle[k]) < 1e-5);
    CHECK(after.particles.velocity[k].norm() < 1e-5);  // m/s
  }
  CHECK(simulation.summary().contacts == kSquares);
}

TEST_CASE("a tower of squares that are displaced by a tenth of a side sways and remains standing") {
  soft::Simulation simulation(tower(0.1 * kSide));
  for (int second = 1; second <= 2; ++second) {
    simulation.advance_to(second);
    const State state = simulation.state();
    for (std::size_t k = 0; k < kSquares; ++k) {
      CAPTURE(second);
      CAPTURE(k);
      CHECK(std::abs(state.particles.position[k].x() - (k % 2 == 1 ? 0.1 * kSide : 0.0)) < 0.05 * kSide);
      CHECK(std::abs(state.particles.angle[k]) < 0.01);
      CHECK(state.particles.velocity[k].norm() < 0.01);  // m/s
    }
  }
}

}  // namespace scree::flush_squares_test
