#pragma once

// Box2D's broadphase, a dynamic tree of fat boxes, as a peer. Rounding to float keeps order, so that boxes that overlap
// still do.

#include <box2d/b2_broad_phase.h>
#include <vector>

#include "broadphase_bench.hpp"

namespace scree::bench {

class Box2dTree {
 public:
  static double margin(double) { return b2_aabbExtension; }

  explicit Box2dTree(const std::vector<Aabb2>& boxes) : ids_(ids_below(boxes.size())) {
    prepare(boxes);
    for (std::size_t id = 0; id < boxes.size(); ++id) proxies_.push_back(tree_.CreateProxy(boxes_[id], &ids_[id]));
    tree_.UpdatePairs(this);
  }

  void prepare(const std::vector<Aabb2>& boxes) {
    before_.swap(boxes_);
    boxes_.clear();
    for (const Aabb2& box : boxes) boxes_.push_back({to_float(box.lo), to_float(box.hi)});
  }

  void update(const std::vector<Aabb2>&) {
    for (std::size_t id = 0; id < boxes_.size(); ++id) {
      tree_.MoveProxy(proxies_[id], boxes_[id], boxes_[id].lowerBound - before_[id].lowerBound);
    }
    tree_.UpdatePairs(this);
  }

  /// It tells begins only, some of them more than once; that a pair has ended is for the caller to see.
  std::vector<Pair> candidates() const { return begun_; }

  void AddPair(void* a, void* b) {  // NOLINT(readability-identifier-naming): b2BroadPhase calls it so
    begun_.push_back({std::min(id(a), id(b)), std::max(id(a), id(b))});
  }

 private:
  static b2Vec2 to_float(const Eigen::Vector2d& p) { return {static_cast<float>(p.x()), static_cast<float>(p.y())}; }
  static ProxyId id(const void* client) { return *static_cast<const ProxyId*>(client); }

  b2BroadPhase tree_;
  std::vector<ProxyId> ids_;
  std::vector<int32> proxies_;  // by id
  std::vector<b2AABB> boxes_;
  std::vector<b2AABB> before_;
  std::vector<Pair> begun_;
};

}  // namespace scree::bench
