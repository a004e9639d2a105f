#pragma once

// Bullet's broadphases as peers: flat boxes in its space of floats. Rounding keeps order, so that boxes that overlap
// still do.

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <algorithm>
#include <type_traits>
#include <vector>

#include "broadphase_bench.hpp"

namespace scree::bench {

struct BulletBox {
  explicit BulletBox(const Aabb2& box)
      : lo(static_cast<float>(box.lo.x()), static_cast<float>(box.lo.y()), -1),
        hi(static_cast<float>(box.hi.x()), static_cast<float>(box.hi.y()), 1) {}
  btVector3 lo, hi;
};

inline ProxyId bullet_id(const btBroadphaseProxy* proxy) {
  return *static_cast<const ProxyId*>(proxy->m_clientObject);
}

inline std::vector<Pair> bullet_pairs(btBroadphaseInterface& broadphase) {
  const btBroadphasePairArray& array = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
  std::vector<Pair> pairs;
  for (int k = 0; k < array.size(); ++k) {
    const ProxyId a = bullet_id(array[k].m_pProxy0);
    const ProxyId b = bullet_id(array[k].m_pProxy1);
    pairs.push_back({std::min(a, b), std::max(a, b)});
  }
  return pairs;
}

/// btAxisSweep3 (Int = unsigned short, up to 32 766 boxes) or bt32BitAxisSweep3 (unsigned), filled in bulk: box by box,
/// as Bullet does it, 10^5 boxes would take minutes. Without its tree for ray casts.
template <class Int>
class BulletSweep : public btAxisSweep3Internal<Int> {
 public:
  static double margin(double) { return 0; }

  explicit BulletSweep(const std::vector<Aabb2>& boxes)
      : btAxisSweep3Internal<Int>(world(boxes).lo, world(boxes).hi, kMask, kSentinel,
                                  static_cast<Int>(boxes.size() + 1), nullptr, true),
        ids_(ids_below(boxes.size())) {
    prepare(boxes);
    for (std::size_t id = 0; id < boxes.size(); ++id) {
      Handle& handle = *this->getHandle(this->allocHandle());  // handles are id + 1
      handle.m_uniqueId = static_cast<int>(id + 1);
      handle.m_clientObject = &ids_[id];
      handle.m_collisionFilterGroup = handle.m_collisionFilterMask = 1;
    }
    for (int axis = 0; axis < 3; ++axis) fill(axis);
    // Its boxes are ours rounded to floats and to 16 bits or more: larger by less than this.
    const double rounding = 1e-4 * (world(boxes).hi - world(boxes).lo).length();
    std::vector<Aabb2> larger = boxes;
    for (Aabb2& box : larger) box = box.expanded(rounding);
    const Tracked<SortAndUpdate<2>, 2> candidates(larger);
    for (const Pair& pair : candidates.changes.begun) {
      Handle* const a = this->getHandle(static_cast<Int>(pair.a + 1));
      Handle* const b = this->getHandle(static_cast<Int>(pair.b + 1));
      if (this->testAabbOverlap(a, b)) this->m_pairCache->addOverlappingPair(a, b);
    }
  }

  void prepare(const std::vector<Aabb2>& boxes) { boxes_ = std::vector<BulletBox>(boxes.begin(), boxes.end()); }

  void update(const std::vector<Aabb2>&) {
    for (std::size_t id = 0; id < boxes_.size(); ++id) {
      this->setAabb(this->getHandle(static_cast<Int>(id + 1)), boxes_[id].lo, boxes_[id].hi, nullptr);
    }
    this->calculateOverlappingPairs(nullptr);
  }

  std::vector<Pair> candidates() { return bullet_pairs(*this); }

 private:
  using Handle = typename btAxisSweep3Internal<Int>::Handle;
  using Edge = typename btAxisSweep3Internal<Int>::Edge;
  static constexpr bool kShort = std::is_same_v<Int, unsigned short>;
  static constexpr Int kMask = kShort ? 0xfffe : 0xfffffffe;      // as in Bullet's own classes
  static constexpr Int kSentinel = kShort ? 0xffff : 0x7fffffff;  // the same

  static BulletBox world(const std::vector<Aabb2>& boxes) {
    Aabb2 all = boxes.front();
    for (const Aabb2& box : boxes) {
      all.extend(box.lo);
      all.extend(box.hi);
    }
    return BulletBox(all.expanded(0.05 * (all.hi - all.lo).maxCoeff()));
  }

  void fill(int axis) {
    const auto n = static_cast<Int>(boxes_.size());
    std::vector<Edge> edges;
    for (Int handle = 1; handle <= n; ++handle) {
      Int lo[3];
      Int hi[3];
      this->quantize(lo, boxes_[handle - 1u].lo, 0);
      this->quantize(hi, boxes_[handle - 1u].hi, 1);
      for (const Int position : {lo[axis], hi[axis]}) {
        edges.emplace_back();
        edges.back().m_pos = position;
        edges.back().m_handle = handle;
      }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.m_pos < b.m_pos; });
    Edge* const sorted = this->m_pEdges[axis];  // between two sentinels
    sorted[edges.size() + 1] = sorted[1];
    this->m_pHandles[0].m_maxEdges[axis] = static_cast<Int>(edges.size() + 1);
    for (std::size_t k = 0; k < edges.size(); ++k) {
      sorted[k + 1] = edges[k];
      Handle& handle = *this->getHandle(edges[k].m_handle);
      (edges[k].IsMax() ? handle.m_maxEdges : handle.m_minEdges)[axis] = static_cast<Int>(k + 1);
    }
  }

  std::vector<ProxyId> ids_;
  std::vector<BulletBox> boxes_;
};

class BulletTree {
 public:
  static double margin(double) { return 0.05; }  // gDbvtMargin

  explicit BulletTree(const std::vector<Aabb2>& boxes) : ids_(ids_below(boxes.size())) {
    prepare(boxes);
    for (std::size_t id = 0; id < boxes.size(); ++id) {
      const btVector3 centre = (boxes_[id].lo + boxes_[id].hi) / 2;  // only what changes gets a margin
      proxies_.push_back(tree_.createProxy(centre, centre, 0, &ids_[id], 1, 1, nullptr));
    }
    update(boxes);
  }
  ~BulletTree() {
    for (btBroadphaseProxy* proxy : proxies_) tree_.destroyProxy(proxy, nullptr);
  }
  BulletTree(const BulletTree&) = delete;
  BulletTree& operator=(const BulletTree&) = delete;

  void prepare(const std::vector<Aabb2>& boxes) { boxes_ = std::vector<BulletBox>(boxes.begin(), boxes.end()); }

  void update(const std::vector<Aabb2>&) {
    for (std::size_t id = 0; id < boxes_.size(); ++id) {
      tree_.setAabb(proxies_[id], boxes_[id].lo, boxes_[id].hi, nullptr);
    }
    tree_.calculateOverlappingPairs(nullptr);
  }

  std::vector<Pair> candidates() { return bullet_pairs(tree_); }

 private:
  btDbvtBroadphase tree_;
  std::vector<ProxyId> ids_;
  std::vector<btBroadphaseProxy*> proxies_;
  std::vector<BulletBox> boxes_;
};

}  // namespace scree::bench
