#pragma once

#include <span>
#include <vector>

#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

namespace scree::soft {

/// The plane, divided among ranks by recursive coordinate bisection. Everywhere has an owner.
class DomainTree {
 public:
  /// A grain and what it costs.
  struct Load {
    Vec2 at;      ///< [m]
    double cost;  ///< > 0, in any unit
  };

  DomainTree() = default;
  /// Divides so that costs are as equal as cuts allow: the longer side of what the loads take is cut first.
  /// @param ranks 1 or more  Cost: O(n log n log ranks)
  DomainTree(std::span<Load> loads, int ranks);

  int owner(const Vec2& at) const;
  /// All that a rank owns; at the rim it has no end [m].
  Aabb2 domain(int rank) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.cuts_);
  }

 private:
  struct Cut {
    double at = 0.0;  // [m]
    int axis = 0;
    int below = 0;  // index of a cut; a rank as ~rank
    int above = 0;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.at, self.axis, self.below, self.above);
    }
  };

  int divide(std::span<Load> loads, int first_rank, int ranks);

  std::vector<Cut> cuts_;  // the first one is the root; none: all belongs to rank 0
};

}  // namespace scree::soft
