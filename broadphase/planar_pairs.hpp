#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scree {

/// A rectangle, given by the ranks of its sides: their positions in the sorted list of all lower sides. The index of
/// the rectangle in the array is the rank of its lower x.
struct RankedBox {
  std::uint32_t x_end;    ///< number of lower x at or below its upper x
  std::uint32_t y_begin;  ///< rank of its lower y
  std::uint32_t y_end;    ///< number of lower y at or below its upper y
};

/// Visits every pair of overlapping rectangles once.
///
/// Two rectangles overlap in y if and only if the lower y of one, a point, lies in the y interval of the other. The
/// plane is divided into slabs of y, which are halved repeatedly. An interval that covers a whole slab overlaps in y
/// with every point in it, so a scan along x through both sorted lists finds only overlapping pairs; the other
/// intervals are passed down to the halves that they overlap.
///
/// @param boxes  in the order of their lower x; every y_begin from 0 to n-1 occurs once
/// @param visit visit(i, j) with indices into boxes, in any order
/// @return number of elementary steps, O(n log n + pairs), like the time. Memory O(n log n) at worst, usually O(n).
/// Source: the segment tree, streamed: Zomorodian & Edelsbrunner, Fast software for box intersections, IJCGA 12 (2002)
template <class Visit>
class PlanarPairs {
 public:
  PlanarPairs(std::span<const RankedBox> boxes, Visit visit) : boxes_(boxes), visit_(visit) {}

  std::uint64_t run() {
    const auto n = static_cast<std::uint32_t>(boxes_.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      points_.push_back(i);
      intervals_.push_back(i);
    }
    descend({0, n}, 0, 0);
    return steps_;
  }

 private:
  static constexpr std::uint32_t kSmall = 8;  // a slab with at most this many points is not halved

  struct Slab {
    std::uint32_t begin, end;
    bool holds(std::uint32_t y) const { return begin <= y && y < end; }
  };

  // The points and intervals of this slab are the tops of both stacks, from `points` and `intervals` on.
  void descend(Slab slab, std::size_t points, std::size_t intervals) {
    const std::size_t points_end = points_.size();
    const std::size_t intervals_end = intervals_.size();
    if (points == points_end || intervals == intervals_end) return;
    steps_ += (points_end - points) + (intervals_end - intervals);

    scanned_.clear();
    const auto covers = [&](std::uint32_t i) { return from(i) <= slab.begin && slab.end <= boxes_[i].y_end; };
    push_some(scanned_, intervals_, intervals, intervals_end, covers);
    const auto rest =
        std::remove_if(intervals_.begin() + static_cast<std::ptrdiff_t>(intervals), intervals_.end(), covers);
    intervals_.erase(rest, intervals_.end());
    const std::size_t rest_end = intervals_.size();
    scan(points, points_end);
    if (slab.end - slab.begin <= kSmall) {
      look_at_all(points, intervals);
      return;
    }

    const std::uint32_t middle = slab.begin + (slab.end - slab.begin) / 2;
    for (const Slab half : {Slab{slab.begin, middle}, Slab{middle, slab.end}}) {
      push_some(intervals_, intervals_, intervals, rest_end,
                [&](std::uint32_t i) { return from(i) < half.end && half.begin < boxes_[i].y_end; });
      push_some(points_, points_, points, points_end, [&](std::uint32_t i) { return half.holds(boxes_[i].y_begin); });
      descend(half, points_end, rest_end);
      points_.resize(points_end);
      intervals_.resize(rest_end);
    }
  }

  // Appends the wanted elements of source[begin, end) to target, which may be the source. Without a branch, since it
  // would be unpredictable.
  template <class Wanted>
  static void push_some(std::vector<std::uint32_t>& target, const std::vector<std::uint32_t>& source, std::size_t begin,
                        std::size_t end, Wanted wanted) {
    std::size_t top = target.size();
    target.resize(top + (end - begin));
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t i = source[k];
      target[top] = i;
      top += wanted(i) ? 1 : 0;
    }
    target.resize(top);
  }

  // The end of the recursion: compares every remaining interval on top of the stack with every point.
  void look_at_all(std::size_t points, std::size_t intervals) {
    steps_ += (points_.size() - points) * (intervals_.size() - intervals);
    for (std::size_t k = intervals; k < intervals_.size(); ++k) {
      const std::uint32_t i = intervals_[k];
      for (std::size_t p = points; p < points_.size(); ++p) {
        const std::uint32_t j = points_[p];
        if (from(i) <= boxes_[j].y_begin && boxes_[j].y_begin < boxes_[i].y_end && j < boxes_[i].x_end &&
            i < boxes_[j].x_end) {
          visit_(i, j);
        }
      }
    }
  }

  // An interval is [from, y_end): its own lower y is not in it, so each pair is found only once.
  std::uint32_t from(std::uint32_t i) const { return boxes_[i].y_begin + 1; }

  // Every scanned_ interval overlaps every point in y; of any two that overlap in x, one begins inside the other.
  void scan(std::size_t points, std::size_t points_end) {
    std::size_t s = 0;
    std::size_t p = points;
    while (s < scanned_.size() && p < points_end) {
      if (scanned_[s] < points_[p]) {
        const std::uint32_t i = scanned_[s++];
        for (std::size_t k = p; k < points_end && points_[k] < boxes_[i].x_end; ++k) meet(i, points_[k]);
      } else {
        const std::uint32_t i = points_[p++];
        for (std::size_t k = s; k < scanned_.size() && scanned_[k] < boxes_[i].x_end; ++k) meet(i, scanned_[k]);
      }
    }
  }

  void meet(std::uint32_t i, std::uint32_t j) {
    ++steps_;
    visit_(i, j);
  }

  std::span<const RankedBox> boxes_;
  Visit visit_;
  std::vector<std::uint32_t> points_;  // stacks of the slabs of the recursion, each in the order of x
  std::vector<std::uint32_t> intervals_;
  std::vector<std::uint32_t> scanned_;
  std::uint64_t steps_ = 0;
};

}  // namespace scree
