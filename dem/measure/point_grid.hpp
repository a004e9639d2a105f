#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dem/scene/region.hpp"

namespace scree {

/// Points in the cells of a grid over the region. Cells are no smaller than `reach`, so that all points within `reach`
/// of a point are in its own or an adjacent cell.
class PointGrid {
 public:
  PointGrid(const std::vector<Vec2>& points, double reach, const Region& region, std::array<bool, 2> wraps)
      : region_(region), wraps_(wraps) {
    const Vec2 size = region.hi - region.lo;
    const double crowded = std::sqrt(size.prod() / static_cast<double>(std::max<std::size_t>(points.size(), 1)));
    for (const int axis : {0, 1}) {
      const double cells = size[axis] / std::max(reach, crowded);
      cells_[static_cast<std::size_t>(axis)] = std::max(1, static_cast<int>(std::min(cells, 1e9)));
    }
    first_.assign(static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) + 1, 0);
    for (const Vec2& point : points) ++first_[number(cell_of(point)) + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    sorted_.resize(points.size());
    order_.resize(points.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t place = next[number(cell_of(points[i]))]++;
      sorted_[place] = points[i];
      order_[place] = i;
    }
  }

  const std::vector<Vec2>& points() const { return sorted_; }
  /// Where a point of points() is in the list that the grid was made of.
  std::size_t number_of(const Vec2& point) const { return order_[static_cast<std::size_t>(&point - sorted_.data())]; }

  /// Calls do_it with the points in the cell of a point and in the adjacent cells, including the point itself.
  template <class Do>
  void around(const Vec2& point, const Do& do_it) const {
    const auto cell = cell_of(point);
    const Neighbours along_x = neighbours(cell[0], 0);
    const Neighbours along_y = neighbours(cell[1], 1);
    for (int y = 0; y < along_y.count; ++y) {
      for (int x = 0; x < along_x.count; ++x) {
        const std::size_t k =
            number({along_x.cells[static_cast<std::size_t>(x)], along_y.cells[static_cast<std::size_t>(y)]});
        for (std::size_t i = first_[k]; i < first_[k + 1]; ++i) do_it(sorted_[i]);
      }
    }
  }

 private:
  using Cell = std::array<int, 2>;
  struct Neighbours {
    std::array<int, 3> cells;
    int count;
  };

  Cell cell_of(const Vec2& point) const {
    const auto along = [&](int axis) {
      const int cells = cells_[static_cast<std::size_t>(axis)];
      const double share = (point[axis] - region_.lo[axis]) / (region_.hi[axis] - region_.lo[axis]);
      return share > 0.0 ? static_cast<int>(std::min(share * cells, cells - 1.0)) : 0;
    };
    return {along(0), along(1)};
  }
  std::size_t number(const Cell& cell) const {
    return static_cast<std::size_t>(cell[1]) * static_cast<std::size_t>(cells_[0]) + static_cast<std::size_t>(cell[0]);
  }
  /// A cell and its neighbours along an axis, each once.
  Neighbours neighbours(int cell, std::size_t axis) const {
    const int cells = cells_[axis];
    Neighbours found{{cell, 0, 0}, 1};
    for (int other : {cell - 1, cell + 1}) {
      if (wraps_[axis]) other = (other + cells) % cells;
      if (other < 0 || other >= cells) continue;
      const auto end = found.cells.begin() + found.count;
      if (std::find(found.cells.begin(), end, other) == end)
        found.cells[static_cast<std::size_t>(found.count++)] = other;
    }
    return found;
  }

  std::vector<Vec2> sorted_;
  std::vector<std::size_t> order_;  // the number of each in the given list
  std::vector<std::size_t> first_;  // by cell, one more than there are cells
  Region region_;
  std::array<bool, 2> wraps_;
  Cell cells_{};
};

}  // namespace scree
