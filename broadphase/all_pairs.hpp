#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// The simplest broadphase: it compares every pair of boxes. It is the reference for the other broadphases in tests,
/// and efficient for a few dozen boxes.
///
/// Cost, n = largest id in use + 1: update and bulk insert O(n^2), everything else O(n).
template <int Dim>
class AllPairs {
 public:
  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const { return boxes_[id]; }
  std::size_t size() const { return size_; }

 private:
  std::vector<Aabb<Dim>> boxes_;      // by id
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t size_ = 0;
};

static_assert(Broadphase<AllPairs<2>, 2> && Broadphase<AllPairs<3>, 3>);

extern template class AllPairs<2>;
extern template class AllPairs<3>;

}  // namespace scree
