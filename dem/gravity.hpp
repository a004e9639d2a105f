#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "dem/scene.hpp"

namespace scree {

/// Gravity of a scene at a time [m/s^2]. @param time [s]
inline Vec2 gravity_at(const Scene& scene, double time) {
  const std::vector<GravityPoint>& table = scene.soft.gravity_table;
  if (table.empty()) return scene.gravity;
  const auto after = std::ranges::upper_bound(table, time, {}, &GravityPoint::time);
  if (after == table.begin()) return table.front().gravity;
  if (after == table.end()) return table.back().gravity;
  const GravityPoint& before = *std::prev(after);
  const double share = (time - before.time) / (after->time - before.time);
  return before.gravity + share * (after->gravity - before.gravity);
}

}  // namespace scree
