#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dem/measure/point_grid.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "dem/transfers.hpp"

namespace scree {

/// Pairs of centres in a region that are nearer than `to`, for distributions of pairs.
///
/// Along an axis on which the region is bounded (that is, unless it spans a periodic domain), only those particles are
/// reference particles whose whole circle of radius `to` is inside the region; all their neighbours in the region
/// count. So no correction at the boundary is needed.
class RegionPairs {
 public:
  RegionPairs(double to, const Region& region, const Domain& domain) : to_(to), region_(region) {
    for (const int axis : {0, 1}) {
      wraps_[static_cast<std::size_t>(axis)] = domain.periodic[static_cast<std::size_t>(axis)] &&
                                               region.lo[axis] <= domain.lo[axis] && region.hi[axis] >= domain.hi[axis];
    }
  }

  double to() const { return to_; }

  /// Calls act(a, b, way, distance) with the numbers of a reference particle and of a neighbour, and the way from one
  /// to the other [m]. In an order that follows from the positions alone.
  /// @return the number of pairs per area for particles that are uniformly distributed [1/m^2]
  /// Cost: O(N) times the number of particles within `to` of one.
  template <class Act>
  double visit(const std::vector<Vec2>& positions, const Act& act) const {
    std::vector<Vec2> inside;
    std::vector<std::size_t> number;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (!layer_at(region_, 1, positions[i])) continue;
      inside.push_back(positions[i]);
      number.push_back(i);
    }
    const Vec2 size = region_.hi - region_.lo;
    const PointGrid grid(inside, to_, region_, wraps_);
    std::size_t asked = 0;
    for (const Vec2& a : grid.points()) {
      if (!is_asked(a)) continue;
      ++asked;
      grid.around(a, [&](const Vec2& b) {
        if (&a == &b) return;
        Vec2 way = b - a;
        for (const int axis : {0, 1}) {
          if (wraps_[static_cast<std::size_t>(axis)]) way[axis] -= std::round(way[axis] / size[axis]) * size[axis];
        }
        const double distance = way.norm();
        if (distance < to_) act(number[grid.number_of(a)], number[grid.number_of(b)], way, distance);
      });
    }
    if (asked == 0) return 0.0;
    return static_cast<double>(asked) * static_cast<double>(grid.points().size() - 1) / size.prod();
  }

 private:
  bool is_asked(const Vec2& position) const {
    for (const int axis : {0, 1}) {
      if (wraps_[static_cast<std::size_t>(axis)]) continue;
      if (position[axis] - to_ < region_.lo[axis] || position[axis] + to_ > region_.hi[axis]) return false;
    }
    return true;
  }

  double to_;  // [m]
  Region region_;
  std::array<bool, 2> wraps_;  // along x, y: the region spans a periodic domain
};

}  // namespace scree
