#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// Least and greatest distance of a particle from the origin [m]. For a sphere the difference is its diameter.
struct Shell {
  double nearest;
  double farthest;
  ProxyId id;
};

/// Visits each pair of shells that overlap, once: Algorithm 1, steps 2 and 3, of the source below. Spheres or boxes
/// that overlap have shells that overlap, since a common point has a single distance.
///
/// @param shells  sorted on return
/// @param visit visit(id, id), in any order
template <class Visit>
void visit_shells_in_common(std::span<Shell> shells, Visit visit) {
  std::sort(shells.begin(), shells.end(), [](const Shell& a, const Shell& b) { return a.nearest < b.nearest; });
  for (std::size_t i = 0; i < shells.size(); ++i) {
    for (std::size_t j = i + 1; j < shells.size() && shells[j].nearest <= shells[i].farthest; ++j) {
      visit(shells[i].id, shells[j].id);
    }
  }
}

/// Boxes sorted by their distance to a corner of space: a box is compared with all those that begin before it ends. It
/// needs little memory and code. But boxes in the same shell are compared even if they are far from each other in it,
/// so that a step costs n^(2 - 1/Dim) tests for evenly distributed boxes. It serves to measure the paper's claim; the
/// other broadphases are faster.
///
/// The paper sorts spheres. The shell of a box, from its nearest point to its farthest corner, is thinner than that of
/// the sphere around it. Rounding is monotonic, so boxes that touch have shells that touch, to the last bit.
///
/// @pre Boxes have lo <= hi on every axis; infinite boxes are allowed. Not-a-number is a programmer's mistake
///       (asserted); without asserts it neither crashes nor hangs.
///
/// Cost, n boxes, m = largest id in use + 1:
///   update, insert many   O(m + n log n + shells in common), from scratch each time as in the paper
///   insert one, erase, move, query   O(m + pairs)
///
/// Source: J. Leszczynski & M. Ciesielski, Effective algorithm for detection of a collision between spherical
/// particles, ICCS 2004, LNCS 3037, Algorithm 1
template <int Dim>
class DistanceSort {
 public:
  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const { return boxes_[id]; }
  std::size_t size() const { return size_; }

  /// Number of pairs of shells compared so far.
  std::uint64_t tests() const { return tests_; }

 private:
  using Vec = typename Aabb<Dim>::Vec;

  void take(ProxyId id, const Aabb<Dim>& box);
  Vec corner() const;
  void find_all(PairChanges& changes);
  void find_partners(ProxyId id, std::vector<Pair>& pairs) const;
  void remember(const PairChanges& changes);

  std::vector<Aabb<Dim>> boxes_;      // by id
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t size_ = 0;
  std::vector<Pair> pairs_;  // that overlap, ascending
  std::vector<Pair> found_;
  std::vector<Shell> shells_;
  std::uint64_t tests_ = 0;
};

static_assert(Broadphase<DistanceSort<2>, 2> && Broadphase<DistanceSort<3>, 3>);

extern template class DistanceSort<2>;
extern template class DistanceSort<3>;

}  // namespace scree
