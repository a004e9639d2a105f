#pragma once

#include "geometry/vec.hpp"

namespace scree {

/// Gravity at a time. Between two of them it changes linearly, before the first and after the last it is constant.
struct GravityPoint {
  double time = 0.0;            ///< [s]
  Vec2 gravity = Vec2::Zero();  ///< [m/s^2]

  bool operator==(const GravityPoint&) const = default;
};

}  // namespace scree
