#pragma once

#include <cmath>
#include <numbers>

#include "dem/scene.hpp"
#include "tests/sanitized.hpp"

/// Small scenes that several tests build on. Units SI.
namespace scree::test {

inline Scene empty_scene() {
  Scene scene;
  scene.seed = 3;
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  scene.materials = {{.name = "stone", .density = 2600.0, .stiffness = 1e6, .restitution = 0.3, .friction = 0.5}};
  scene.end = 1.0;
  scene.output_every = 0.1;
  return scene;
}

/// A wall in the shape of a box.
inline Wall box_wall(Vec2 lo, Vec2 hi) {
  Wall wall;
  wall.name = "wall";
  wall.polygon = {lo, {hi.x(), lo.y()}, hi, {lo.x(), hi.y()}};
  return wall;
}

/// Its upper side is y = 0.
inline Wall floor_wall() {
  return box_wall({-5.0, -0.5}, {5.0, 0.0});
}

/// Diameter of the disk that has the area of a square [m].
inline double size_of_square(double side) {
  return side * std::sqrt(4.0 / std::numbers::pi);
}

inline ShapeSpec square() {
  return ExplicitPolygon{{{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}};
}

inline ParticleGroup placed(ShapeSpec shape, double size, Place place) {
  return {.how = std::move(place), .material = 0, .shape = std::move(shape), .size = {size, size}};
}

/// Stones pour into a box that is open above; soon they slide, roll and rest on one another.
inline Scene pouring_scene(std::uint64_t count) {
  Scene scene = empty_scene();
  scene.materials[0].stiffness = 1e7;  // triangles that fall on a corner must not go too deep
  scene.gravity = {0.0, -9.81};
  scene.domain = {{-0.3, -0.1}, {0.3, 1.0}};
  scene.walls = {box_wall({-0.12, -0.02}, {0.12, 0.0}), box_wall({-0.14, -0.02}, {-0.12, 0.1}),
                 box_wall({0.12, -0.02}, {0.14, 0.1})};
  scene.particles = {{.how = Pour{.count = count,
                                  .rate = 2000.0,
                                  .from = 0.0,
                                  .region = {{-0.08, 0.12}, {0.08, 0.2}},
                                  .velocity = {0.0, -1.0}},
                      .material = 0,
                      .shape = RandomPolygon{{3, 8}, {1.0, 1.5}},
                      .size = {0.008, 0.014}}};
  return scene;
}

}  // namespace scree::test
