#include "dem/measure/radial_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dem/measure/point_grid.hpp"
#include "dem/measure/transfers.hpp"

namespace scree {

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
