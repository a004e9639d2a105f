#include "dem/soft/checks/start_overlaps.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "broadphase/count_overlaps.hpp"
#include "dem/errors.hpp"
#include "dem/room.hpp"
#include "dem/scene.hpp"
#include "dem/soft/forces/overlap_limits.hpp"

namespace scree::soft {

namespace {

constexpr std::size_t kMostOverlaps = 1000;
constexpr std::uint64_t kMostLooks = 3'000'000;  // at pairs, for an overlap to tell of where there are too many pairs

/// Whether another period along an axis is the same place: a wall as wide as the domain needs no images there.
bool is_the_same(const Proxies& proxies, std::uint32_t body, const Image& image) {
  return (image[0] != 0 && proxies.spans(body, 0)) || (image[1] != 0 && proxies.spans(body, 1));
}

/// The key that put a grain down.
std::string key_of(const Scene& scene, const Bodies& bodies, std::uint32_t body) {
  const std::int32_t group = bodies.type[body];
  if (scene.start && static_cast<std::size_t>(group) + scene.start->groups >= scene.particles.size())
    return "start.from";
  const std::string key = fmt::format("particles[{}]", group);
  if (!std::holds_alternative<Place>(scene.particles[static_cast<std::size_t>(group)].how)) return key + ".fill";
  const auto first = std::lower_bound(bodies.type.begin() + bodies.walls, bodies.type.end(), group);
  const auto first_body = static_cast<std::uint32_t>(first - bodies.type.begin());
  return fmt::format("{}.place[{}]", key, bodies.id[body] - bodies.id[first_body]);
}

}  // namespace

void StartOverlaps::add(const View& view) {
  const Bodies& bodies = view.bodies;
  const std::uint32_t first = std::exchange(seen_, bodies.size());
  std::vector<std::uint32_t> added(bodies.size() - first);
  std::iota(added.begin(), added.end(), first);
  // A box is compared with boxes around it: the large ones first, or each would be compared with all small ones in it.
  std::ranges::stable_sort(
      added, [&](std::uint32_t a, std::uint32_t b) { return bodies.bounding_radius[a] > bodies.bounding_radius[b]; });
  const bool too_many_pairs = has_too_many_pairs(view.placement);
  PairChanges ignored;
  for (const std::uint32_t body : added) {
    if (bodies.is_clump(body)) continue;
    const Aabb2& box = view.placement.box[body];
    if (!bodies.is_wall(body)) compare(view, body);
    if (bodies.is_absent(body)) continue;
    if (overlaps_ >= kMostOverlaps || (too_many_pairs && looks_ > kMostLooks)) break;
    if (index_.size() == 0) extent_ = box;
    extent_.extend(box.lo);
    extent_.extend(box.hi);
    index_.insert(body, box, ignored);
  }
  if (!deepest_ && too_many_pairs) {
    throw InvalidScene("particles",
                       fmt::format("the boxes along x and y of the first {} bodies overlap in more than {} pairs, must "
                                   "be fewer: each takes memory and time, whether its bodies touch or not",
                                   bodies.size(), kMostPairsAtStart));
  }
  if (!deepest_) return;

  const auto [pair, depth_ratio, is_half_way] = *deepest_;
  const auto percent = [](double share) { return fmt::format("{:.3g} %", 100.0 * share); };
  const bool with_wall = bodies.is_wall(pair.b);
  const double allowed = view.scene.soft.initial_depth;
  std::string problem = fmt::format("particle {} ", bodies.id[with_wall ? pair.a : pair.b]);
  if (with_wall) {
    problem += fmt::format("overlaps the wall '{}' by {} of its diameter at the start",
                           view.scene.walls[static_cast<std::size_t>(bodies.type[pair.b])].name, percent(depth_ratio));
  } else {
    problem += fmt::format("overlaps particle {} ({}) by {} of the smaller one's diameter at the start",
                           bodies.id[pair.a], key_of(view.scene, bodies, pair.a), percent(depth_ratio));
  }
  if (is_half_way) problem += ", more than half of the thickness of the thinner one";
  if (overlaps_ > 1) {
    problem +=
        fmt::format(" (the deepest of {}{} overlaps)", overlaps_ >= kMostOverlaps ? "more than " : "", overlaps_);
  }
  problem += allowed > 0.0 ? fmt::format("; allowed: at most {} (contact.initial_depth)", percent(allowed))
                           : "; allowed: none, or small ones by contact.initial_depth";
  throw InvalidScene(key_of(view.scene, bodies, with_wall ? pair.a : pair.b), problem);
}

/// Counts when there are half as many bodies again as the last time, so that many groups cost no more than one.
bool StartOverlaps::has_too_many_pairs(const Placement& placement) {
  const std::size_t n = placement.box.size();
  if (std::uint64_t{n} * n / 2 <= kMostPairsAtStart || n < counted_ + counted_ / 2) return false;
  counted_ = n;
  return count_overlaps(placement.box) > kMostPairsAtStart;
}

template <class Act>
void StartOverlaps::for_each_near(const Periodic& periodic, const Aabb2& box, const Act& act) const {
  std::vector<ProxyId> near;
  periodic.for_each_near_image([&](const Image& image) {
    const Vec2 shift = periodic.shift(image);
    const Aabb2 there = box.shifted(shift);
    if (index_.size() == 0 || !extent_.overlaps(there)) return;
    index_.query(there, near);
    act(near, image, shift);
  });
}

bool StartOverlaps::has_room(const View& view, const ShapeView& shape, const Pose& pose) const {
  const auto take_near = [&](const Aabb2& box, const auto& take) {
    const auto act = [&](std::span<const ProxyId> near, const Image& image, const Vec2& shift) {
      for (const ProxyId other : near) {
        if (is_the_same(view.proxies, other, image)) continue;
        Pose there = view.bodies.pose(other);
        there.position -= shift;
        take(view.bodies.shape(other), there);
      }
    };
    for_each_near(view.proxies.periodic(), box, act);
  };
  return scree::has_room(shape, pose, 0.0, take_near);
}

/// With all boxes in the index, and their images one period away.
void StartOverlaps::compare(const View& view, std::uint32_t body) {
  const auto act = [&](std::span<const ProxyId> near, const Image& image, const Vec2& shift) {
    looks_ += near.size();
    for (const ProxyId other : near) {
      if (overlaps_ >= kMostOverlaps) return;
      if (is_the_same(view.proxies, other, image)) continue;
      if (view.bodies.particle(other) == view.bodies.particle(body)) continue;
      const Vec2 between = linear(view.bodies.position[body]) - linear(view.bodies.position[other]) + shift;
      const bool is_a = view.bodies.is_wall(other) || body < other;  // as in the narrowphase
      measure(view, is_a ? BodyPair{body, other} : BodyPair{other, body}, is_a ? Vec2(-between) : between);
    }
  };
  for_each_near(view.proxies.periodic(), view.placement.box[body], act);
}

void StartOverlaps::measure(const View& view, BodyPair pair, const Vec2& branch_vector) {
  const Bodies& bodies = view.bodies;
  const PairLaw& law = view.laws.of(bodies, pair);
  if (law.is_ghost) return;
  const Pose b_in_a =
      relative_pose(view.placement.rotation_of(pair.a), view.placement.rotation_of(pair.b), branch_vector);
  if (clearly_apart(bodies.shape(pair.a), bodies.shape(pair.b), b_in_a)) return;
  PairHint no_hint;
  ContactGeometry geometry{overlap(bodies.shape(pair.a), bodies.shape(pair.b), b_in_a, no_hint), branch_vector, 0.0};
  if (!geometry.overlap.touching()) return;
  geometry.overlap.normal = view.placement.rotation_of(pair.a) * geometry.overlap.normal;
  geometry.depth_ratio = geometry.overlap.depth / (2.0 * std::min(bodies.radius[pair.a], bodies.radius[pair.b]));
  const bool is_half_way = passes_through(bodies, view.placement, pair, geometry, law);
  if (geometry.depth_ratio <= std::max(view.scene.soft.initial_depth, kTouchingDepth) && !is_half_way) return;
  ++overlaps_;
  if (deepest_ && geometry.depth_ratio <= deepest_->depth_ratio) return;
  deepest_ = {pair, geometry.depth_ratio, is_half_way};
}

}  // namespace scree::soft
