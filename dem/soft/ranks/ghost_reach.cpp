#include "dem/soft/ranks/ghost_reach.hpp"

#include <algorithm>
#include <cmath>

namespace scree::soft {

Components deformation(const CellShape& before, const CellShape& now) {
  const Vec2 stretch = now.length.cwiseQuotient(before.length);
  const double flips = static_cast<double>(now.flips) - static_cast<double>(before.flips);
  // The upper period as it would be if the tilt had not been set back, less what stretching made of it.
  const double sheared = now.tilt + flips * now.length.x() - stretch.x() * before.tilt;
  return {stretch.x(), stretch.y(), sheared / before.length.y()};
}

double greatest_approach(const Components& f) {
  return std::max({1.0, 1.0 / f[0] + std::abs(f[2]) / (f[0] * f[1]), 1.0 / f[1]});
}

bool reaches_in_cell(const Periodic& periodic, const Vec2& centre, double reach, const Aabb2& extent) {
  const Vec2& period = periodic.period();
  if (!(reach < period.minCoeff())) return true;
  // Along y the two are less than a period, half a period and the reach apart.
  for (std::int32_t y = -2; y <= 2; ++y) {
    const Vec2 at = centre + periodic.shift(periodic.named(0, y));
    if (at.y() + reach < extent.lo.y() || at.y() - reach > extent.hi.y()) continue;
    const double periods = std::ceil((extent.lo.x() - reach - at.x()) / period.x());
    if (at.x() + periods * period.x() - reach <= extent.hi.x()) return true;  // the first that is not left of it
  }
  return false;
}

}  // namespace scree::soft
