#pragma once

#include <optional>
#include <vector>

#include "geometry/vec.hpp"

namespace scree::compare {

/// Slope of the straight line through points (x, y), by least squares.
inline std::optional<double> slope_of(const std::vector<Vec2>& points) {
  Vec2 mean = Vec2::Zero();
  for (const Vec2& point : points) mean += point / static_cast<double>(points.size());
  double xx = 0.0;
  double xy = 0.0;
  for (const Vec2& point : points) {
    xx += (point - mean).x() * (point - mean).x();
    xy += (point - mean).x() * (point - mean).y();
  }
  if (!(xx > 0.0)) return std::nullopt;
  return xy / xx;
}

}  // namespace scree::compare
