#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// Incremental sort-and-update: on each axis one list of all interval ends, kept sorted. Boxes that move a little leave
/// it nearly sorted; insertion sort repairs it by exchanging neighbours, and only where a begin and an end are
/// exchanged can a pair begin or end.
///
/// The ends have a total order: by value, at equal values begin before end (touching counts), then by id. -0 equals 0.
///
/// @pre  Boxes have lo <= hi on every axis; infinite ones are welcome. Not-a-number is a programmer's mistake
/// (asserted);
///       without asserts it neither crashes nor hangs, but the pairs reported from then on mean nothing.
/// @pre  Ids are below 2^31 - 1.
///
/// Cost, n boxes, m = largest id in use + 1:
///   update        O(n + ends passed)
///   move          O(log n + ends passed)
///   insert one    O(m), also erase and query
///   insert many   O((n + k) log(n + k) + pairs), k of them new; in space, `pairs` are those that overlap on the two
///                 axes that tell most boxes apart
/// In a steady state no call but insert allocates. Update works on the axes in parallel where there are many boxes;
/// changes are the same, in the same order, for any number of threads.
///
/// Source: A. Schinner, Fast algorithms for the simulation of polygonal particles, Granular Matter 2 (1999), section 3.
/// He keeps a list of pairs and looks at the other axis after each exchange; we keep the boxes of the last call, and a
/// pair that begins is reported by the lowest axis on which it did not overlap before, one that ends by the lowest axis
/// on which it does not overlap now: net and once, in whichever order the exchanges come.
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

  /// Neighbouring ends exchanged so far by update and move, over all axes: what motion has cost.
  std::uint64_t exchanges() const;
  /// Elementary steps so far in finding the pairs of many boxes inserted at once: what starting has cost.
  std::uint64_t start_steps() const { return start_steps_; }

 private:
  struct End {
    double value;        // [m]
    std::uint32_t code;  // side in the highest bit (0 begin, 1 end), id below: one comparison breaks ties
  };
  struct Axis {
    std::vector<End> ends;  // sorted, between two sentinels
    PairChanges changes;    // found on this axis by the call under way
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
