#pragma once

#include "tests/scenes.hpp"

namespace scree::test {

inline constexpr double kSide = 0.02;  // of the square [m]

/// A square whose lower side is so high above the floor [m].
inline Scene square_above_floor(double height) {
  Scene scene = empty_scene();
  scene.walls = {floor_wall()};
  scene.particles = {placed(square(), size_of_square(kSide), {{.position = {0.0, height + 0.5 * kSide}}})};
  return scene;
}

}  // namespace scree::test
