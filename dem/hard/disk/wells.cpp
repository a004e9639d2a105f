#include "dem/hard/disk/wells.hpp"

#include <cassert>
#include <limits>

#include "dem/archive.hpp"

namespace scree::hard {

void WellPairs::assign(std::size_t disks, const std::vector<WellPair>& pairs) {
  of_.assign(disks, {});
  size_ = 0;
  for (const WellPair& pair : pairs) insert(pair);
}

bool WellPairs::contains(const WellPair& pair) const {
  return std::ranges::find(of_[pair.a], pair) != of_[pair.a].end();
}

void WellPairs::insert(const WellPair& pair) {
  of_[pair.a].push_back(pair);
  ++size_;
}

void WellPairs::erase(const WellPair& pair) {
  auto& pairs = of_[pair.a];
  const auto place = std::ranges::find(pairs, pair);
  assert(place != pairs.end());
  *place = pairs.back();
  pairs.pop_back();
  --size_;
}

std::vector<WellPair> WellPairs::all() const {
  std::vector<WellPair> pairs;
  pairs.reserve(size_);
  for (const auto& some : of_) pairs.insert(pairs.end(), some.begin(), some.end());
  std::ranges::sort(pairs);
  return pairs;
}

WellPair well_pair(const Disks& disks, Index i, Index j, NearImage image) {
  const Index a = std::min(i, j);
  const Index b = std::max(i, j);
  const NearImage of_b = i == a ? image : image.opposite();
  WellPair pair{a, b, {of_b.x(), of_b.y()}};
  for (const std::size_t axis : {0, 1}) {
    const std::int32_t offset_a = disks[a].box_image_offset[axis] - disks.wraps(a)[axis];
    const std::int32_t offset_b = disks[b].box_image_offset[axis] - disks.wraps(b)[axis];
    pair.periods[axis] += offset_b - offset_a;
  }
  return pair;
}

void require_sound(const std::vector<WellPair>& pairs, std::size_t disks) {
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    require_state(pairs[k].a < disks && pairs[k].b < disks && is_moderate(pairs[k].periods), "a pair in a well");
    require_state(k == 0 || pairs[k - 1] < pairs[k], "pairs in wells are not in order");
  }
}

std::vector<WellPair> pairs_by_distance(const Well& well, const Disks& disks, const DiskBoxes& boxes,
                                        const Space& space) {
  std::vector<WellPair> pairs;
  for (Index i = 0; i < disks.size(); ++i) {
    for (const Partner partner : boxes.partners_of(i)) {
      const Index j = partner.disk();
      const double edge = well.range * (disks.flight(i).radius + disks.flight(j).radius);
      if (i < j && disks.approach(i, j, partner.image(), space).distance.norm() < edge) {
        pairs.push_back(well_pair(disks, i, j, partner.image()));
      }
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

WellEvent next_well_event(const Approach& pair, double contact, double range, bool inside) {
  const double a = pair.velocity.squaredNorm();
  const double b = pair.distance.dot(pair.velocity);
  const double square = pair.distance.squaredNorm();
  const double edge = range * contact;
  const double c_edge = square - edge * edge;
  const auto reached = [&](double distance) {
    const PairQuadratic disks{pair.begin, a, b, square - distance * distance};
    return b < 0.0 ? disks.time([&] { return close_discriminant(pair, distance); }) : kNever;
  };
  if (!inside) return {reached(edge), true};
  const double touch = reached(contact);
  if (touch < kNever) return {touch, false};
  if (a == 0.0) return {kNever, true};
  if (c_edge >= 0.0 && b >= 0.0) return {pair.begin, true};
  const double root = std::sqrt(std::max(b * b - a * c_edge, 0.0));
  return {pair.begin + (b > 0.0 ? -c_edge / (b + root) : (root - b) / a), true};
}

bool cross_edge(const Well& well, bool inside, ImpactBody& a, ImpactBody& b, const Vec2& distance) {
  const double cost = inside ? -well.energy : well.energy;
  const double inertia = distance.squaredNorm() * (a.inverse_mass + b.inverse_mass);
  const double before = distance.dot(b.velocity - a.velocity);
  const double left = before * before - 2.0 * cost * inertia;
  const bool passes = left >= 0.0;
  const double outward = inside == passes ? 1.0 : -1.0;
  const double after = outward * (passes ? std::sqrt(left) : std::abs(before));
  const auto push = [&](const Vec2& impulse) {
    a.velocity -= a.inverse_mass * impulse;
    b.velocity += b.inverse_mass * impulse;
  };
  push(impulse_to(after, a, b, distance));
  using Limits = std::numeric_limits<double>;
  for (double rest = std::max(std::abs(after - before) / inertia * Limits::epsilon(), Limits::min());
       outward * distance.dot(b.velocity - a.velocity) <= 0.0; rest *= 2.0) {  // not for ever if it is no number
    push(outward * rest * distance);
  }
  return passes;
}

}  // namespace scree::hard
