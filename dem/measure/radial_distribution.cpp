#include "dem/measure/radial_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dem/measure/transfers.hpp"

namespace scree {

namespace {

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
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const Vec2& point : points) sorted_[next[number(cell_of(point))]++] = point;
  }

  const std::vector<Vec2>& points() const { return sorted_; }

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
      return std::clamp(static_cast<int>(share * cells), 0, cells - 1);
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
  std::vector<std::size_t> first_;  // by cell, one more than there are cells
  Region region_;
  std::array<bool, 2> wraps_;
  Cell cells_{};
};

}  // namespace

RadialDistribution::RadialDistribution(const Measure::RadialDistribution& spec, const Region& region,
                                       const Domain& domain)
    : to_(spec.to), region_(region), pairs_(static_cast<std::size_t>(spec.bins)) {
  for (const int axis : {0, 1}) {
    wraps_[static_cast<std::size_t>(axis)] = domain.periodic[static_cast<std::size_t>(axis)] &&
                                             region.lo[axis] <= domain.lo[axis] && region.hi[axis] >= domain.hi[axis];
  }
}

bool RadialDistribution::is_asked(const Vec2& position) const {
  for (const int axis : {0, 1}) {
    if (wraps_[static_cast<std::size_t>(axis)]) continue;
    if (position[axis] - to_ < region_.lo[axis] || position[axis] + to_ > region_.hi[axis]) return false;
  }
  return true;
}

void RadialDistribution::add(const ParticleState& particles) {
  std::vector<Vec2> inside;
  for (const Vec2& position : particles.position) {
    if (layer_at(region_, 1, position)) inside.push_back(position);
  }
  const Vec2 size = region_.hi - region_.lo;
  const PointGrid grid(inside, to_, region_, wraps_);
  std::uint64_t asked = 0;
  for (const Vec2& a : grid.points()) {
    if (!is_asked(a)) continue;
    ++asked;
    grid.around(a, [&](const Vec2& b) {
      if (&a == &b) return;
      Vec2 between = b - a;
      for (const int axis : {0, 1}) {
        if (wraps_[static_cast<std::size_t>(axis)])
          between[axis] -= std::round(between[axis] / size[axis]) * size[axis];
      }
      const double distance = between.norm();
      if (!(distance < to_)) return;
      const auto bins = static_cast<double>(pairs_.size());
      ++pairs_[std::min(static_cast<std::size_t>(distance / to_ * bins), pairs_.size() - 1)];
    });
  }
  if (asked > 0) expected_ += static_cast<double>(asked) * static_cast<double>(grid.points().size() - 1) / size.prod();
}

std::vector<RadialDistribution::Row> RadialDistribution::rows() const {
  std::vector<Row> rows;
  const double width = to_ / static_cast<double>(pairs_.size());
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const double middle = (static_cast<double>(k) + 0.5) * width;
    const double expected = expected_ * 2.0 * std::numbers::pi * middle * width;
    rows.push_back({middle, expected > 0.0 ? static_cast<double>(pairs_[k]) / expected : 0.0, pairs_[k]});
  }
  return rows;
}

}  // namespace scree
