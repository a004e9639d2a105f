#include "dem/soft/ranks/domain_tree.hpp"

#include <algorithm>
#include <limits>

namespace scree::soft {

DomainTree::DomainTree(std::span<Load> loads, int ranks) {
  if (ranks > 1) divide(loads, 0, ranks);
}

/// @return the new cut, or a rank as ~rank
int DomainTree::divide(std::span<Load> loads, int first_rank, int ranks) {
  if (ranks == 1) return ~first_rank;
  const int below = ranks / 2;
  Vec2 lo = Vec2::Constant(std::numeric_limits<double>::infinity());
  Vec2 hi = -lo;
  double all = 0.0;
  for (const Load& load : loads) {
    lo = lo.cwiseMin(load.at);
    hi = hi.cwiseMax(load.at);
    all += load.cost;
  }
  const int axis = loads.empty() || hi.x() - lo.x() >= hi.y() - lo.y() ? 0 : 1;
  std::sort(loads.begin(), loads.end(), [&](const Load& a, const Load& b) { return a.at[axis] < b.at[axis]; });
  const double wanted = all * below / ranks;
  std::size_t count = 0;
  for (double sum = 0.0; count < loads.size() && sum + 0.5 * loads[count].cost < wanted; ++count) {
    sum += loads[count].cost;
  }
  double at = 0.0;
  if (!loads.empty()) {
    const double before = loads[count > 0 ? count - 1 : 0].at[axis];
    const double after = loads[std::min(count, loads.size() - 1)].at[axis];
    at = before + 0.5 * (after - before);
  }
  const auto boundary =
      std::partition_point(loads.begin(), loads.end(), [&](const Load& l) { return l.at[axis] < at; });
  const auto split = static_cast<std::size_t>(boundary - loads.begin());
  const std::size_t place = cuts_.size();
  cuts_.push_back({.at = at, .axis = axis});
  const int left = divide(loads.first(split), first_rank, below);
  const int right = divide(loads.subspan(split), first_rank + below, ranks - below);
  cuts_[place].below = left;
  cuts_[place].above = right;
  return static_cast<int>(place);
}

Aabb2 DomainTree::domain(int rank) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Aabb2 domain{Vec2::Constant(-kInfinity), Vec2::Constant(kInfinity)};
  // Up from the rank's leaf: each cut comes before those below it.
  int child = ~rank;
  for (auto place = static_cast<int>(cuts_.size()) - 1; place >= 0; --place) {
    const Cut& cut = cuts_[static_cast<std::size_t>(place)];
    if (cut.below != child && cut.above != child) continue;
    if (cut.below == child) {
      domain.hi[cut.axis] = std::min(domain.hi[cut.axis], cut.at);
    } else {
      domain.lo[cut.axis] = std::max(domain.lo[cut.axis], cut.at);
    }
    child = place;
  }
  return domain;
}

int DomainTree::owner(const Vec2& at) const {
  if (cuts_.empty()) return 0;
  int place = 0;
  while (place >= 0) {
    const Cut& cut = cuts_[static_cast<std::size_t>(place)];
    place = at[cut.axis] < cut.at ? cut.below : cut.above;
  }
  return ~place;
}

}  // namespace scree::soft
