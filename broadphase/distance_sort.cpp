#include "broadphase/distance_sort.hpp"

#include <cassert>
#include <cmath>
#include <iterator>

namespace scree {

namespace {

template <int Dim>
bool is_proper(const Aabb<Dim>& box) {
  return (box.lo.array() <= box.hi.array()).all();  // false for not-a-number
}

// Both distances are rounded by the same operations in the same order. std::max returns its second argument only if it
// is greater, so not-a-number counts as 0.
template <int Dim>
Shell shell_of(ProxyId id, const Aabb<Dim>& box, const typename Aabb<Dim>::Vec& origin) {
  double nearest = 0;
  double farthest = 0;
  for (int k = 0; k < Dim; ++k) {
    const double lo = box.lo[k] - origin[k];
    const double hi = box.hi[k] - origin[k];
    const double least = std::max(std::max(0.0, lo), -hi);
    const double most = std::max(std::max(0.0, hi), -lo);
    nearest += least * least;
    farthest += most * most;
  }
  return {std::sqrt(nearest), std::sqrt(farthest), id};
}

}  // namespace

template <int Dim>
void DistanceSort<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  changes.clear();
  take(id, box);
  find_partners(id, changes.begun);
  remember(changes);
}

template <int Dim>
void DistanceSort<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  assert(ids.size() == boxes.size());
  for (std::size_t k = 0; k < ids.size(); ++k) take(ids[k], boxes[k]);
  find_all(changes);
}

template <int Dim>
void DistanceSort<Dim>::erase(ProxyId id, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id]);
  changes.clear();
  find_partners(id, changes.ended);
  in_use_[id] = 0;
  --size_;
  remember(changes);
}

template <int Dim>
void DistanceSort<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (!in_use_[id]) continue;
    assert(is_proper(boxes[id]));
    boxes_[id] = boxes[id];
  }
  find_all(changes);
}

template <int Dim>
void DistanceSort<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id] && is_proper(box));
  changes.clear();
  for (ProxyId other = 0; other < boxes_.size(); ++other) {
    if (!in_use_[other] || other == id) continue;
    const bool before = boxes_[id].overlaps(boxes_[other]);
    const bool now = box.overlaps(boxes_[other]);
    if (now && !before) changes.begun.push_back(pair_of(id, other));
    if (before && !now) changes.ended.push_back(pair_of(id, other));
  }
  boxes_[id] = box;
  remember(changes);
}

template <int Dim>
void DistanceSort<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  found.clear();
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (in_use_[id] && boxes_[id].overlaps(box)) found.push_back(id);
  }
}

template <int Dim>
void DistanceSort<Dim>::take(ProxyId id, const Aabb<Dim>& box) {
  assert(is_proper(box));
  if (id >= boxes_.size()) {
    boxes_.resize(id + std::size_t{1});
    in_use_.resize(id + std::size_t{1}, 0);
  }
  assert(!in_use_[id]);
  boxes_[id] = box;
  in_use_[id] = 1;
  ++size_;
}

// "It means that all particle positions should have the same sign."
template <int Dim>
auto DistanceSort<Dim>::corner() const -> Vec {
  Vec lowest = Vec::Zero();
  for (int k = 0; k < Dim; ++k) {
    bool any = false;
    for (ProxyId id = 0; id < boxes_.size(); ++id) {
      const double lo = boxes_[id].lo[k];
      if (!in_use_[id] || !std::isfinite(lo)) continue;
      lowest[k] = any ? std::min(lowest[k], lo) : lo;
      any = true;
    }
  }
  return lowest;
}

template <int Dim>
void DistanceSort<Dim>::find_all(PairChanges& changes) {
  const Vec origin = corner();
  shells_.clear();
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (in_use_[id]) shells_.push_back(shell_of(id, boxes_[id], origin));
  }
  found_.clear();
  visit_shells_in_common(shells_, [&](ProxyId a, ProxyId b) {
    ++tests_;
    if (boxes_[a].overlaps(boxes_[b])) found_.push_back(pair_of(a, b));
  });
  std::sort(found_.begin(), found_.end());

  changes.clear();
  std::set_difference(found_.begin(), found_.end(), pairs_.begin(), pairs_.end(), std::back_inserter(changes.begun));
  std::set_difference(pairs_.begin(), pairs_.end(), found_.begin(), found_.end(), std::back_inserter(changes.ended));
  pairs_.swap(found_);
}

// Pairs of id with boxes in use, ascending.
template <int Dim>
void DistanceSort<Dim>::find_partners(ProxyId id, std::vector<Pair>& pairs) const {
  for (ProxyId other = 0; other < boxes_.size(); ++other) {
    if (in_use_[other] && other != id && boxes_[other].overlaps(boxes_[id])) pairs.push_back(pair_of(id, other));
  }
}

template <int Dim>
void DistanceSort<Dim>::remember(const PairChanges& changes) {
  found_.clear();
  std::set_difference(pairs_.begin(), pairs_.end(), changes.ended.begin(), changes.ended.end(),
                      std::back_inserter(found_));
  pairs_.clear();
  std::merge(found_.begin(), found_.end(), changes.begun.begin(), changes.begun.end(), std::back_inserter(pairs_));
}

template class DistanceSort<2>;
template class DistanceSort<3>;

}  // namespace scree
