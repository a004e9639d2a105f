#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "dem/scene/cell_drive.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// The rectangle that is simulated. A side is open (a particle wholly beyond it leaves), reflecting or periodic.
struct Domain {
  Vec2 lo = Vec2::Zero();  ///< [m]
  Vec2 hi = Vec2::Zero();
  std::array<bool, 2> periodic = {false, false};  ///< along x, along y
  /// Sides that are not periodic throw disks back, elastic and smooth (hard mode only); else they are open.
  bool reflecting = false;
  /// k T of reflecting sides that are thermal: left, right, bottom, top; 0: elastic and smooth [J]
  std::array<double, 4> side_temperature = {};
  std::optional<CellDrive> cell = {};  ///< it deforms; periodic along both axes

  bool has_thermal_sides() const { return side_temperature != std::array<double, 4>{}; }

  bool operator==(const Domain&) const = default;
};

/// From a point to the nearest periodic image of another one, given the way to any of them [m].
inline Vec2 shorter_way(Vec2 way, const Domain& domain) {
  for (const int axis : {0, 1}) {
    const double period = domain.hi[axis] - domain.lo[axis];
    if (domain.periodic[static_cast<std::size_t>(axis)]) way[axis] = std::remainder(way[axis], period);
  }
  return way;
}

}  // namespace scree
