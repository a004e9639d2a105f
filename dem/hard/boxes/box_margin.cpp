#include "dem/hard/boxes/box_margin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "dem/errors.hpp"

namespace scree::hard {

namespace {

/// Disks that fall gather, however large the domain is, if there are enough for so many layers on its floor.
constexpr double kLayersOfHeap = 2.0;

/// Width of the domain across gravity; infinite without gravity [m].
double width_across(const Vec2& gravity, const Domain& domain) {
  const Vec2 extent = domain.hi - domain.lo;
  return gravity.isZero() ? std::numeric_limits<double>::infinity()
                          : (std::abs(gravity.y()) * extent.x() + std::abs(gravity.x()) * extent.y()) / gravity.norm();
}

}  // namespace

double fitting_margin(const Domain& domain, std::span<const double> radii, double greatest_radius, double wanted) {
  double margin = wanted == 0.0 ? choose_margin(domain, radii) : wanted;
  for (const double radius : radii) greatest_radius = std::max(greatest_radius, radius);
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
    const double room = domain.hi[axis] - domain.lo[axis] - 2.0 * greatest_radius;
    margin = std::min(margin, 0.49 * room / (1.0 + kGrowthInBoxes));
  }
  if (domain.cell) {  // nor wider than half of it, together with twice the margin that rows of images slide
    margin = std::min(margin, 0.45 * (0.25 * (domain.hi.x() - domain.lo.x()) - greatest_radius));
  }
  return margin;
}

double first_margin(const Setup& setup) {
  std::vector<double> radii = setup.radius;
  for (double& radius : radii) radius *= setup.well.range;
  double wanted = setup.margin;
  const double diameters = 2.0 * std::accumulate(radii.begin(), radii.end(), 0.0);
  if (wanted == 0.0 && diameters >= kLayersOfHeap * width_across(setup.gravity, setup.domain)) {
    constexpr double kInHeap = 0.35;  // mean diameters, about what choose_margin() takes at a packing fraction of 0.7
    wanted = std::min(choose_margin(setup.domain, radii), kInHeap * diameters / static_cast<double>(radii.size()));
  }
  const double margin = fitting_margin(setup.domain, radii, setup.greatest_radius, wanted);
  if (margin < 0.0 || (margin == 0.0 && !setup.radius.empty())) {
    throw InvalidScene("radius", setup.domain.cell ? "a disk is as wide as half of the cell, or as the cell is high"
                                                   : "a disk is as wide as the periodic domain");
  }
  return margin;
}

}  // namespace scree::hard
