#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// Boxes in many short lists, to find those near a given box.
///
/// Boxes are sorted by size into levels: level L holds those whose largest extent is above 4^(L-1) and not above 4^L.
/// Each level cuts space into strips, 4^L wide and four times as long along x, and each strip has a list of the boxes
/// whose lower corner lies in it, sorted by lower x. When a box moves a little, it is exchanged with its neighbours in
/// the list, as in insertion sort. The length of the lists depends on the density of boxes, not on their number. A wall
/// is on its own level and does not change the width of other strips.
///
/// Strips are found through a hash table without collision lists: strips with the same entry share its list, which
/// costs a few comparisons and does not affect the results.
///
/// Cost, if the boxes of a level are distributed evenly: O(1) for each level in use.
template <int Dim>
class StripIndex {
 public:
  void insert(ProxyId id, const Aabb<Dim>& box);
  void erase(ProxyId id);
  void move(ProxyId id, const Aabb<Dim>& box);

  /// Calls visit(id) for all boxes that overlap this one, in any order; rarely twice for the same box.
  template <class Visit>
  void visit(const Aabb<Dim>& box, Visit visit) const;

  const Aabb<Dim>& box(ProxyId id) const { return boxes_[id]; }

  /// Number of boxes passed so far in the lists by insertions, removals and moves.
  std::uint64_t exchanges() const { return exchanges_; }

 private:
  struct Entry {
    double x;  // lower
    ProxyId id;
  };
  using List = std::vector<Entry>;
  using Cell = std::array<std::int64_t, Dim>;
  struct Level {
    int exponent;
    std::array<double, Dim> per_length;  // strips per metre on each axis; 0: one strip for all
    std::array<double, Dim> reach{};     // the largest extents so far [m]
    std::size_t size = 0;
  };

  static int exponent_of(const Aabb<Dim>& box);
  static std::int64_t cell(const Level& level, int k, double x);
  static double before(const Level& level, int k, double x);
  std::size_t slot(const Level& level, const Cell& cell) const;
  Level& level_of(const Aabb<Dim>& box);
  std::size_t place(const Level& level, const Aabb<Dim>& box) const;
  void put(List& list, Entry entry);
  void take(List& list, ProxyId id);
  std::size_t settle(List& list, std::size_t at);
  void grow();

  template <class Visit>
  void visit_level(const Level& level, const Cell& first, const Cell& last, const Aabb<Dim>& box, Visit& visit) const;

  std::vector<Aabb<Dim>> boxes_;      // by id
  std::vector<std::uint8_t> in_use_;  // by id
  std::size_t size_ = 0;
  std::vector<Level> levels_;
  std::vector<List> lists_ = std::vector<List>(16);  // 2^n of them
  int hash_shift_ = 60;                              // 64 - n
  std::uint64_t exchanges_ = 0;
};

template <int Dim>
template <class Visit>
void StripIndex<Dim>::visit(const Aabb<Dim>& box, Visit visit) const {
  for (const Level& level : levels_) {
    if (level.size == 0) continue;
    Cell first;
    Cell last;
    double strips = 1;
    for (int k = 0; k < Dim; ++k) {
      const auto i = static_cast<std::size_t>(k);
      first[i] = cell(level, k, before(level, k, box.lo[k]));
      last[i] = std::max(first[i], cell(level, k, box.hi[k]));
      strips *= static_cast<double>(last[i] - first[i] + 1);
    }
    if (strips <= static_cast<double>(size_)) {
      visit_level(level, first, last, box, visit);
      continue;
    }
    for (ProxyId id = 0; id < boxes_.size(); ++id) {  // more strips than boxes
      if (in_use_[id] && boxes_[id].overlaps(box) && exponent_of(boxes_[id]) == level.exponent) visit(id);
    }
  }
}

template <int Dim>
template <class Visit>
void StripIndex<Dim>::visit_level(const Level& level, const Cell& first, const Cell& last, const Aabb<Dim>& box,
                                  Visit& visit) const {
  const double from = before(level, 0, box.lo[0]);
  Cell cell = first;
  for (;;) {
    const List& list = lists_[slot(level, cell)];
    auto entry = std::lower_bound(list.begin(), list.end(), from, [](const Entry& e, double x) { return e.x < x; });
    for (; entry != list.end() && entry->x <= box.hi[0]; ++entry) {
      if (boxes_[entry->id].overlaps(box)) visit(entry->id);
    }
    std::size_t k = 0;
    while (k < Dim && cell[k] == last[k]) {
      cell[k] = first[k];
      ++k;
    }
    if (k == Dim) return;
    ++cell[k];
  }
}

// The least coordinate at which a box of this level that reaches x may begin: not above the exact value.
template <int Dim>
double StripIndex<Dim>::before(const Level& level, int k, double x) {
  constexpr double kRounding = 1e-15;
  const double begin = x - (1 + kRounding) * level.reach[static_cast<std::size_t>(k)];
  return begin - kRounding * (begin < 0 ? -begin : begin);
}

template <int Dim>
std::int64_t StripIndex<Dim>::cell(const Level& level, int k, double x) {
  constexpr double kFarthest = 0x1p40;  // all beyond this is one strip
  const double per_length = level.per_length[static_cast<std::size_t>(k)];
  if (per_length == 0) return 0;
  const double number = std::min(std::max(-kFarthest, x * per_length), kFarthest);
  const auto truncated = static_cast<std::int64_t>(number);
  return truncated - (static_cast<double>(truncated) > number ? 1 : 0);
}

template <int Dim>
std::size_t StripIndex<Dim>::slot(const Level& level, const Cell& cell) const {
  std::uint64_t hash = static_cast<std::uint64_t>(level.exponent);
  for (const std::int64_t number : cell) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>((hash * 0x9E3779B97F4A7C15u) >> hash_shift_);
}

extern template class StripIndex<2>;
extern template class StripIndex<3>;

}  // namespace scree
