#pragma once

// CGAL's box_self_intersection_d as a peer: from scratch at each step.

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>
#include <vector>

#include "broadphase_bench.hpp"

namespace scree::bench {

class CgalBoxes {
 public:
  static double margin(double) { return 0; }

  explicit CgalBoxes(const std::vector<Aabb2>&) {}

  void prepare(const std::vector<Aabb2>&) {}

  void update(const std::vector<Aabb2>& boxes) {
    boxes_.clear();
    for (ProxyId id = 0; id < boxes.size(); ++id) {
      const Aabb2& box = boxes[id];
      boxes_.emplace_back(CGAL::Bbox_2(box.lo.x(), box.lo.y(), box.hi.x(), box.hi.y()), id);
    }
    pairs_.clear();
    CGAL::box_self_intersection_d(boxes_.begin(), boxes_.end(), [&](const Box& a, const Box& b) {
      pairs_.push_back({std::min(a.info(), b.info()), std::max(a.info(), b.info())});
    });
  }

  std::vector<Pair> candidates() const { return pairs_; }

 private:
  using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 2, ProxyId>;
  std::vector<Box> boxes_;
  std::vector<Pair> pairs_;
};

}  // namespace scree::bench
