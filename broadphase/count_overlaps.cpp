#include "broadphase/count_overlaps.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace scree {

namespace {

/// Counts of ranks, and their sums up to a rank. Source: P. Fenwick, Software: Practice and Experience 24 (1994).
class FenwickTree {
 public:
  explicit FenwickTree(std::size_t ranks) : sums_(ranks + 1, 0) {}

  void add(std::size_t rank) {
    for (std::size_t i = rank + 1; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
  }
  /// How many were added with a rank below this one.
  std::uint64_t below(std::size_t rank) const {
    std::uint64_t sum = 0;
    for (std::size_t i = rank; i > 0; i -= i & (~i + 1)) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<std::uint32_t> sums_;
};

std::vector<double> sorted(std::span<const Aabb2> boxes, Aabb2::Vec Aabb2::*side, int axis) {
  std::vector<double> values;
  values.reserve(boxes.size());
  for (const Aabb2& box : boxes) values.push_back((box.*side)[axis]);
  std::ranges::sort(values);
  return values;
}

std::size_t number_below(const std::vector<double>& sorted, double value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

std::size_t number_up_to(const std::vector<double>& sorted, double value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(sorted, value) - sorted.begin());
}

}  // namespace

std::uint64_t count_overlaps(std::span<const Aabb2> boxes) {
  const std::size_t n = boxes.size();
  if (n < 2) return 0;
  std::uint64_t apart = 0;
  for (const int axis : {0, 1}) {
    const std::vector<double> ends = sorted(boxes, &Aabb2::hi, axis);
    for (const Aabb2& box : boxes) apart += number_below(ends, box.lo[axis]);
  }

  // Apart along both: from the left to the right, each box with those that have ended before it begins.
  const std::vector<double> lower = sorted(boxes, &Aabb2::lo, 1);
  const std::vector<double> upper = sorted(boxes, &Aabb2::hi, 1);
  std::vector<std::size_t> by_begin(n);
  std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
  std::vector<std::size_t> by_end = by_begin;
  std::ranges::sort(by_begin, {}, [&](std::size_t i) { return boxes[i].lo.x(); });
  std::ranges::sort(by_end, {}, [&](std::size_t i) { return boxes[i].hi.x(); });
  FenwickTree lower_sides(n);
  FenwickTree upper_sides(n);
  std::size_t ended = 0;
  std::uint64_t apart_along_both = 0;
  for (const std::size_t i : by_begin) {
    for (; boxes[by_end[ended]].hi.x() < boxes[i].lo.x(); ++ended) {
      lower_sides.add(number_below(lower, boxes[by_end[ended]].lo.y()));
      upper_sides.add(number_below(upper, boxes[by_end[ended]].hi.y()));
    }
    apart_along_both += upper_sides.below(number_below(upper, boxes[i].lo.y()));
    apart_along_both += ended - lower_sides.below(number_up_to(lower, boxes[i].hi.y()));
  }
  return std::uint64_t{n} * (n - 1) / 2 - apart + apart_along_both;
}

}  // namespace scree
