#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// Incremental sort-and-update: each axis has one sorted list of all interval ends. When boxes move a little, the list
/// stays nearly sorted, and insertion sort repairs it by exchanging neighbours. Only the exchange of a begin with an
/// end can begin or end the overlap of a pair.
///
/// The ends have a total order: by value, at equal values begin before end (touching counts), then by id. -0 equals 0.
///
/// @pre Boxes have lo <= hi on every axis; infinite boxes are allowed. Not-a-number is a programmer's mistake
///   (asserted); without asserts it neither crashes nor hangs, but the pairs reported from then on are undefined.
/// @pre  Ids are below 2^31 - 1.
///
/// Cost, n boxes, m = largest id in use + 1:
///   update        O(n + ends passed)
///   move          O(log n + ends passed)
///   insert one    O(m), also erase and query
///   insert many   O((n + k) log(n + k) + pairs), k of them new; in space, `pairs` are those that overlap on the two
///                 axes that separate most boxes
/// In a steady state only insert allocates. If there are many boxes, update processes the axes in parallel; changes are
/// the same, in the same order, for any number of threads.
///
/// Source: A. Schinner, Fast algorithms for the simulation of polygonal particles, Granular Matter 2 (1999), section 3.
/// The source keeps a list of pairs and tests the other axis after each exchange. Here the boxes of the last call are
/// stored. A pair that begins is reported by the lowest axis on which it did not overlap before, and one that ends by
/// the lowest axis on which it does not overlap now. So each net change is reported once, for any order of the
/// exchanges.
template <int Dim>
class SortAndUpdate {
 public:
  SortAndUpdate();

  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const { return boxes_[id]; }
  std::size_t size() const { return size_; }

  /// Number of exchanges of neighbouring ends so far by update and move, over all axes: the cost of the motion.
  std::uint64_t exchanges() const;
  /// Number of elementary steps so far to find the pairs of many boxes inserted at once: the cost of starting.
  std::uint64_t start_steps() const { return start_steps_; }

 private:
  struct End {
    double value;        // [m]
    std::uint32_t code;  // side in the highest bit (0 begin, 1 end), id below: one comparison breaks ties
  };
  struct Axis {
    std::vector<End> ends;  // sorted, between two sentinels
    PairChanges changes;    // found on this axis by the present call
    std::uint64_t exchanges = 0;
  };
  struct Passing;

  static bool before(const End& a, const End& b) {
    return a.value < b.value || (a.value == b.value && a.code < b.code);
  }
  static std::size_t position(const Axis& axis, const End& end);

  void sort(int k, std::span<const Aabb<Dim>> now);
  void look(int k, std::span<const Passing> passings, std::span<const Aabb<Dim>> now);
  void move_end(int k, std::uint32_t code, const Aabb<Dim>& now);
  void pass(int k, bool together, ProxyId mover, ProxyId passed, const Aabb<Dim>& now);
  void find_partners(ProxyId id, std::vector<Pair>& pairs) const;
  void find_starting_pairs(std::vector<Pair>& begun);
  void make_room(ProxyId id);
  void collect(PairChanges& changes);

  std::array<Axis, Dim> axes_;
  std::vector<Aabb<Dim>> boxes_;      // by id: of the last call
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t size_ = 0;
  std::uint64_t start_steps_ = 0;
};

static_assert(Broadphase<SortAndUpdate<2>, 2> && Broadphase<SortAndUpdate<3>, 3>);

extern template class SortAndUpdate<2>;
extern template class SortAndUpdate<3>;

}  // namespace scree
