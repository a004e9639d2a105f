#include "dem/hard/events/strips.hpp"

#include <cmath>

namespace scree::hard {

namespace {

int longer_axis_across_gravity(const Space& space) {
  const Vec2 size = space.domain.hi - space.domain.lo;
  const Vec2& gravity = space.gravity.acceleration;
  if (gravity.x() != 0.0) return 1;
  return gravity.y() != 0.0 || size.x() >= size.y() ? 0 : 1;
}

}  // namespace

Strips::Strips(const Disks& disks, const Space& space, double now, std::size_t most, double least_width)
    : axis_(longer_axis_across_gravity(space)), period_(space.periodic.period()[axis_]) {
  const double lo = space.domain.lo[axis_];
  const double hi = space.domain.hi[axis_];
  std::vector<double> sorted;
  for (Index i = 0; i < disks.size(); ++i) {
    const double x = coordinate(disks, i, now);
    sorted.push_back(x + shift(x, 0.5 * (lo + hi)));
  }
  std::ranges::sort(sorted);
  for (std::size_t count = std::max<std::size_t>(most, 1);; --count) {
    ends_ = {lo};
    for (std::size_t k = 1; k < count; ++k) ends_.push_back(sorted[k * sorted.size() / count]);
    ends_.push_back(hi);
    const auto is_narrow = [&](double from, double to) { return !(to - from >= least_width); };
    if (count == 1 || std::ranges::adjacent_find(ends_, is_narrow) == ends_.end()) return;
  }
}

std::size_t Strips::at(double x) const {
  x += shift(x, 0.5 * (ends_.front() + ends_.back()));
  const auto inner_end = std::upper_bound(ends_.begin() + 1, ends_.end() - 1, x);
  return static_cast<std::size_t>(inner_end - ends_.begin()) - 1;
}

}  // namespace scree::hard
