#pragma once

#include "geometry/vec.hpp"

namespace scree {

struct Region {
  Vec2 lo = Vec2::Zero();  ///< [m]
  Vec2 hi = Vec2::Zero();

  bool operator==(const Region&) const = default;
};

}  // namespace scree
