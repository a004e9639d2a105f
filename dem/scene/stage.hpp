#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dem/scene/cell_drive.hpp"
#include "dem/scene/gravity_point.hpp"
#include "dem/scene/material.hpp"
#include "dem/scene/wall.hpp"

namespace scree {

/// What moves a wall from the beginning of a stage on.
struct WallChange {
  std::vector<int> walls;                   ///< their numbers in Scene::walls
  std::vector<PhaseOfMotion> motions = {};  ///< times since the stage began; none: it rests
  WallDrive drive = {};

  bool operator==(const WallChange&) const = default;
};

/// Soft mode: a part of a run. What it does not mention stays as it is.
struct Stage {
  std::string name;
  double end = 0.0;                                      ///< greatest duration [s]
  std::optional<double> unbalanced = {};                 ///< it ends before, at rest: see SoftOptions::until_unbalanced
  std::vector<GravityPoint> gravity = {};                ///< times since the stage began; one: constant; none: it stays
  std::vector<std::pair<int, Material>> materials = {};  ///< those that change, whole, and their numbers
  std::vector<WallChange> motions = {};                  ///< of walls that there are
  std::vector<int> remove = {};                          ///< numbers of walls that there are
  std::optional<CellDrive> cell = {};                    ///< drives the periodic cell from now on

  bool operator==(const Stage&) const = default;
};

}  // namespace scree
