#include "broadphase/all_pairs.hpp"

#include <algorithm>
#include <cassert>

namespace scree {

template <int Dim>
void AllPairs<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  insert(std::span(&id, 1), std::span(&box, 1), changes);
}

template <int Dim>
void AllPairs<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  assert(ids.size() == boxes.size());
  changes.clear();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const ProxyId id = ids[k];
    if (id >= boxes_.size()) {
      boxes_.resize(id + std::size_t{1});
      in_use_.resize(id + std::size_t{1}, 0);
    }
    assert(!in_use_[id]);
    for (ProxyId other = 0; other < boxes_.size(); ++other) {
      if (in_use_[other] && boxes_[other].overlaps(boxes[k])) changes.begun.push_back(pair_of(id, other));
    }
    boxes_[id] = boxes[k];
    in_use_[id] = 1;
  }
  size_ += ids.size();
  std::sort(changes.begun.begin(), changes.begun.end());
}

template <int Dim>
void AllPairs<Dim>::erase(ProxyId id, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id]);
  changes.clear();
  in_use_[id] = 0;
  --size_;
  for (ProxyId other = 0; other < boxes_.size(); ++other) {
    if (in_use_[other] && boxes_[other].overlaps(boxes_[id])) changes.ended.push_back(pair_of(id, other));
  }
}

template <int Dim>
void AllPairs<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  changes.clear();
  for (ProxyId a = 0; a < boxes_.size(); ++a) {
    if (!in_use_[a]) continue;
    for (ProxyId b = a + 1; b < boxes_.size(); ++b) {
      if (!in_use_[b]) continue;
      const bool before = boxes_[a].overlaps(boxes_[b]);
      const bool now = boxes[a].overlaps(boxes[b]);
      if (now && !before) changes.begun.push_back({a, b});
      if (before && !now) changes.ended.push_back({a, b});
    }
  }
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (in_use_[id]) boxes_[id] = boxes[id];
  }
}

template <int Dim>
void AllPairs<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  assert(id < boxes_.size() && in_use_[id]);
  changes.clear();
  for (ProxyId other = 0; other < boxes_.size(); ++other) {
    if (!in_use_[other] || other == id) continue;
    const bool before = boxes_[id].overlaps(boxes_[other]);
    const bool now = box.overlaps(boxes_[other]);
    if (now && !before) changes.begun.push_back(pair_of(id, other));
    if (before && !now) changes.ended.push_back(pair_of(id, other));
  }
  boxes_[id] = box;
}

template <int Dim>
void AllPairs<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  found.clear();
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (in_use_[id] && boxes_[id].overlaps(box)) found.push_back(id);
  }
}

template class AllPairs<2>;
template class AllPairs<3>;

}  // namespace scree
