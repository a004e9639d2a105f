#pragma once

#include "geometry/tolerances.hpp"
#include "geometry/wide_overlap.hpp"

/// The overlaps of W pairs of convex polygons at once, each measured between two known crossings of its outlines, with
/// any number of vertices between them. For code that is compiled for each width (geometry/wide.hpp).
namespace scree::wide {

/// Truth values that were found one by one.
template <int W>
SCREE_WIDE Mask<W> mask_of(const double (&ones_and_zeros)[W]) {
  return less(Number<W>(0.5), Number<W>::load(ones_and_zeros));
}

/// The part of an outline that is inside the other polygon, in each lane: vertices `first` to `last`, between the edge
/// on which the outline enters and the one on which it leaves; none if these are the same.
template <int W>
struct Arcs {
  static constexpr int kSumSize = 4;    ///< doubles of an ArcSum (geometry/polygon.hpp)
  static constexpr int kSumMoment = 2;  ///< where its moment is

  const double* vertices[W];  ///< x, y of the outline's first one, in its own frame [m]; it follows the last one again
  const double* sums[W];      ///< the outline's running sums; null: the arc is not long
  int size[W];                ///< vertices of the outline
  int first[W];
  int last[W];
  int count[W];      ///< of the arc's vertices
  double counts[W];  ///< likewise
  // Its pose in the common frame.
  Number<W> cos;
  Number<W> sin;
  Vector<W> position;
  /// The edge on which it enters, from start to end, and the one on which it leaves: in its own frame.
  Vector<W> own[4];
  Vector<W> at[4];  ///< in the common frame

  SCREE_WIDE Vector<W> turned(const Vector<W>& v) const { return cos * v + sin * perp(v); }
  SCREE_WIDE const double* vertex(int lane, int after_first) const {
    const int at_end = first[lane] + after_first;
    return vertices[lane] + 2 * (at_end >= size[lane] ? at_end - size[lane] : at_end);
  }
  SCREE_WIDE Mask<W> have_at_most(int corners) const { return at_most(Number<W>::load(counts), Number<W>(corners)); }
  SCREE_WIDE Mask<W> have_more_than(int corners) const { return less(Number<W>(corners), Number<W>::load(counts)); }
  SCREE_WIDE bool is_long(int lane) const { return sums[lane] != nullptr; }
  SCREE_WIDE Mask<W> are_long() const {
    double is[W];
    for (int lane = 0; lane < W; ++lane) is[lane] = is_long(lane) ? 1.0 : 0.0;
    return mask_of<W>(is);
  }
};

/// See overlap()'s class Sums (geometry/overlap.cpp): the same sums in the same order, in each lane of its own corners.
template <int W>
class ArcSums {
 public:
  SCREE_WIDE ArcSums(const Vector<W>& begin, const Vector<W>& chord)
      : doubled_area(0.0),
        moment{0.0, 0.0},
        lo{0.0, 0.0},
        hi{0.0, 0.0},
        lowest(0.0),
        highest(0.0),
        origin_(begin),
        across_{chord.y, -chord.x},
        from_{0.0, 0.0},
        has_long_(less(Number<W>(1.0), Number<W>(0.0))) {}

  SCREE_WIDE void go_to(const Vector<W>& corner) { go_by(corner - origin_); }
  /// The next corner, where there is one. Elsewhere the last one again, which adds nothing.
  SCREE_WIDE void go_to(const Vector<W>& corner, const Mask<W>& where) { go_by(only(where, corner - origin_, from_)); }

  /// Along an arc. @return lanes whose long arcs turn by more than half a circle: their summits are not found
  template <bool Moved>
  SCREE_WIDE unsigned go_along(const Arcs<W>& arc) {
    go_to(arc.at[1], arc.have_more_than(0));
    const Mask<W> are_long = arc.are_long();
    const unsigned uncertain = are_long.bits() != 0 ? add_long<Moved>(arc, are_long) : 0;
    // The corners of short arcs between the first and the last one.
    int end = 0;
    for (int lane = 0; lane < W; ++lane) {
      const int of_lane = arc.is_long(lane) ? 0 : arc.count[lane] - 1;
      end = of_lane > end ? of_lane : end;
    }
    for (int k = 1; k < end; ++k) {
      double is_between[W];
      const double* from[W];
      for (int lane = 0; lane < W; ++lane) {
        const bool is = k < arc.count[lane] - 1 && !arc.is_long(lane);
        is_between[lane] = is ? 1.0 : 0.0;
        from[lane] = is ? arc.vertex(lane, k) : arc.vertices[lane];
      }
      const Vector<W> corner = load_two<W>(from);
      go_to(Moved ? arc.turned(corner) + arc.position : corner, mask_of<W>(is_between));
    }
    go_to(arc.at[2], arc.have_more_than(1));
    return uncertain;
  }

  SCREE_WIDE Vector<W> centroid() const {
    const Number<W> thrice = Number<W>(3.0) * doubled_area;
    const Vector<W> centroid = {moment.x / thrice, moment.y / thrice};
    return origin_ + only(has_long_, centroid, lesser(hi, greater(lo, centroid)));
  }
  SCREE_WIDE const Vector<W>& across() const { return across_; }

  Number<W> doubled_area;
  Vector<W> moment;
  Vector<W> lo;
  Vector<W> hi;
  Number<W> lowest;  ///< along across
  Number<W> highest;

 private:
  static SCREE_WIDE Vector<W> only(const Mask<W>& where, const Vector<W>& yes, const Vector<W>& no) {
    return {select(where, yes.x, no.x), select(where, yes.y, no.y)};
  }

  /// @param to from the origin
  SCREE_WIDE void go_by(const Vector<W>& to) {
    const Number<W> c = cross(from_, to);
    doubled_area = doubled_area + c;
    moment = moment + c * (from_ + to);
    lo = lesser(to, lo);
    hi = greater(to, hi);
    const Number<W> height = dot(across_, to);
    lowest = lesser(height, lowest);
    highest = greater(height, highest);
    from_ = to;
  }

  template <bool Moved>
  SCREE_WIDE unsigned add_long(const Arcs<W>& arc, const Mask<W>& where) {
    using N = Number<W>;
    using V = Vector<W>;
    has_long_ = has_long_ | where;
    const auto sums_at = [&](const int(&vertex)[W], N& area, V& moment_there) __attribute__((always_inline)) {
      static constexpr double kNone[Arcs<W>::kSumSize] = {};
      const double* at[W];
      const double* moment_at[W];
      for (int lane = 0; lane < W; ++lane) {
        at[lane] = arc.is_long(lane) ? arc.sums[lane] + Arcs<W>::kSumSize * vertex[lane] : kNone;
        moment_at[lane] = at[lane] + Arcs<W>::kSumMoment;
      }
      area = load_one<W>(at);
      moment_there = load_two<W>(moment_at);
    };
    N area;
    N area_before;
    V of_arc;
    V of_arc_before;
    sums_at(arc.last, area, of_arc);
    sums_at(arc.first, area_before, of_arc_before);
    area = area - area_before;
    of_arc = of_arc - of_arc_before;
    double wraps[W];
    bool some_wrap = false;
    for (int lane = 0; lane < W; ++lane) {
      const bool does = arc.last[lane] < arc.first[lane];
      wraps[lane] = does ? 1.0 : 0.0;
      some_wrap |= does;
    }
    if (some_wrap) [[unlikely]] {
      const Mask<W> around = mask_of<W>(wraps);
      N whole;
      V of_whole;
      sums_at(arc.size, whole, of_whole);
      area = select(around, area + whole, area);
      of_arc = only(around, of_arc + of_whole, of_arc);
    }
    const V& u = arc.own[1];
    const V& v = arc.own[2];
    const N triangle = cross(u, v);
    area = area - triangle;
    of_arc = of_arc - triangle * (u + v);
    doubled_area = select(where, doubled_area + area, doubled_area);
    const V centre = Moved ? arc.position : V{0.0, 0.0};
    const V turned = Moved ? arc.turned(of_arc) : of_arc;
    moment = only(where, moment + (turned + N(3.0) * area * (centre - origin_)), moment);

    // The vertex inside each arc that is highest or lowest, between an edge that rises and one that falls.
    const V up = Moved ? arc.cos * across_ + -arc.sin * perp(across_) : across_;
    const double* second[W];
    const double* last_but_one[W];
    for (int lane = 0; lane < W; ++lane) {
      second[lane] = arc.is_long(lane) ? arc.vertex(lane, 1) : arc.vertices[lane];
      last_but_one[lane] = arc.is_long(lane) ? arc.vertex(lane, arc.count[lane] - 2) : arc.vertices[lane];
    }
    const V first_edge = load_two<W>(second) - u;
    const V last_edge = v - load_two<W>(last_but_one);
    const unsigned uncertain = (where & at_most(cross(first_edge, last_edge), N(0.0))).bits();
    const unsigned rises_first = less(N(0.0), dot(up, first_edge)).bits();
    const unsigned rises_last = less(N(0.0), dot(up, last_edge)).bits();
    const unsigned has_summit = where.bits() & ~uncertain & (rises_first ^ rises_last);
    double up_x[W];
    double up_y[W];
    up.x.store(up_x);
    up.y.store(up_y);
    double there[W];
    const double* summit[W];
    for (int lane = 0; lane < W; ++lane) {
      there[lane] = 0.0;
      summit[lane] = arc.vertices[lane];
      if ((has_summit >> lane & 1U) == 0) continue;
      there[lane] = 1.0;
      summit[lane] = arc.vertex(lane, find_summit(arc, lane, up_x[lane], up_y[lane], (rises_first >> lane & 1U) != 0));
    }
    V top = load_two<W>(summit);
    if constexpr (Moved) top = arc.turned(top) + arc.position;
    const N height = dot(across_, top - origin_);
    const Mask<W> is_there = mask_of<W>(there);
    lowest = select(is_there, lesser(height, lowest), lowest);
    highest = select(is_there, greater(height, highest), highest);
    return uncertain;
  }

  /// Of two successive edges, of which only one rises, the number of the latter; searched for from the middle.
  static SCREE_WIDE int find_summit(const Arcs<W>& arc, int lane, double up_x, double up_y, bool rises_first) {
    const int edges = arc.count[lane] - 1;
    int low = 0;
    int high = edges - 1;
    int probe = edges / 2;
    for (int stride = 1; high - low > 1; stride *= 2) {
      const double* const from = arc.vertex(lane, probe);
      const bool like_first = rises_first == (up_x * (from[2] - from[0]) + up_y * (from[3] - from[1]) > 0.0);
      (like_first ? low : high) = probe;
      probe += like_first ? stride : -stride;
      if (probe <= low || probe >= high) probe = (low + high) / 2;
    }
    return high;
  }

  Vector<W> origin_;
  Vector<W> across_;
  Vector<W> from_;
  Mask<W> has_long_;
};

/// Where the arc is within: a triangle over the chord, whose apex is where the lines of its end edges meet, or its
/// vertex if it has only one.
/// @param from, to the chord, from where the arc begins
/// @return lanes that have such a triangle; lanes without an arc have, too
template <int W>
SCREE_WIDE Mask<W> find_tips(const Arcs<W>& arc, const Vector<W>& from, const Vector<W>& to, const Number<W>& largest,
                             Vector<W>& tip) {
  using N = Number<W>;
  using V = Vector<W>;
  const V first = arc.at[1] - arc.at[0];
  const V last = arc.at[3] - arc.at[2];
  const N zero = 0.0;
  const N turn = cross(first, last);
  const N along = cross(to - from, last);
  const V middle = N(0.5) * (from + to);
  const V above = from + along / turn * first - middle;
  // A slightly larger triangle allows for the rounding error of the apex.
  constexpr double kLarger = 1e-6;
  const N rounding = N(kDifferenceRounding) * largest;
  const auto sum = [](const V& v) __attribute__((always_inline)) {
    return magnitude(v.x) + magnitude(v.y);
  };
  const Mask<W> is_safe =
      at_most(N(100.0) * rounding * sum(first) * sum(last), N(kLarger) * largest_coordinate(above) * turn);
  const Mask<W> have_few = arc.have_at_most(1);
  const V apex = middle + N(1.0 + kLarger) * above;
  tip = {select(have_few, arc.at[1].x, apex.x), select(have_few, arc.at[1].y, apex.y)};
  return have_few | (less(zero, turn) & less(zero, along) & is_safe);
}

/// Measures the overlaps, as measure() (geometry/wide_overlap.hpp) with the same meaning of certain: crossings by the
/// signs of cross products; that nothing else crosses, by a triangle about each arc, whose apex is inside the other
/// outline.
/// @param a enters b on its first edge and leaves it on its last one; its frame is the common one
template <int W>
SCREE_WIDE Mask<W> measure(const Arcs<W>& a, const Arcs<W>& b, Overlaps<W>& found) {
  using N = Number<W>;
  using V = Vector<W>;
  const N zero = 0.0;
  const N one = 1.0;
  N coordinate = largest_coordinate(a.at[0]);
  for (int i = 1; i < 4; ++i) coordinate = greater(coordinate, largest_coordinate(a.at[i]));
  for (int i = 0; i < 4; ++i) coordinate = greater(coordinate, largest_coordinate(b.at[i]));
  const N largest = greater(largest_coordinate(b.position), coordinate);

  const V in_a = a.at[1] - a.at[0];
  const V out_a = a.at[3] - a.at[2];
  const V in_b = b.at[3] - b.at[2];
  const V out_b = b.at[1] - b.at[0];
  const N in_from = cross(in_a, b.at[2] - a.at[0]);
  const N in_to = cross(in_a, b.at[3] - a.at[0]);
  const N out_from = cross(out_a, b.at[0] - a.at[2]);
  const N out_to = cross(out_a, b.at[1] - a.at[2]);
  const N of_a = lesser(lesser(in_from, -in_to), lesser(-out_from, out_to));
  const N of_b = lesser(lesser(-cross(in_b, a.at[0] - b.at[2]), cross(in_b, a.at[1] - b.at[2])),
                        lesser(cross(out_b, a.at[2] - b.at[0]), -cross(out_b, a.at[3] - b.at[0])));
  Mask<W> certain = less(N(exact::kCrossError) * coordinate * coordinate, lesser(of_a, of_b));

  const N in_t = lesser(one, greater(zero, in_from / (in_from - in_to)));
  const N out_t = lesser(one, greater(zero, out_from / (out_from - out_to)));
  const V begin = lesser(greater(a.at[1], a.at[0]), greater(lesser(a.at[1], a.at[0]), b.at[2] + in_t * in_b));
  const V end = lesser(greater(a.at[3], a.at[2]), greater(lesser(a.at[3], a.at[2]), b.at[0] + out_t * out_b));
  const V chord = end - begin;

  const Mask<W> has_no_a = a.have_at_most(0);
  const Mask<W> has_no_b = b.have_at_most(0);
  V tip;
  certain = certain & find_tips(a, begin, end, largest, tip);
  const N edges_of_b = lesser(least_cross(out_b, tip - b.at[0]), least_cross(in_b, tip - b.at[2]));
  const N cuts_of_b =
      lesser(least_cross(b.at[0] - b.position, tip - b.position), least_cross(b.position - b.at[3], tip - b.at[3]));
  certain = certain & (has_no_a | less(zero, lesser(edges_of_b, cuts_of_b)));
  certain = certain & find_tips(b, end, begin, largest, tip);
  const N edges_of_a = lesser(least_cross(in_a, tip - a.at[0]), least_cross(out_a, tip - a.at[2]));
  const N cuts_of_a = lesser(least_cross(a.at[0], tip), least_cross(-a.at[3], tip - a.at[3]));
  certain = certain & (has_no_b | less(zero, lesser(edges_of_a, cuts_of_a)));

  ArcSums<W> sums(begin, chord);
  unsigned uncertain = sums.template go_along<false>(a);
  sums.go_to(end);
  uncertain |= sums.template go_along<true>(b);

  const V& across = sums.across();
  const N length_of_chord = length(across);
  const V size = sums.hi - sums.lo;
  const N extent = greater(size.x, size.y);
  const N area = N(0.5) * sums.doubled_area;
  double sure[W];
  for (int lane = 0; lane < W; ++lane) sure[lane] = (uncertain >> lane & 1U) == 0 ? 1.0 : 0.0;
  certain = certain & mask_of<W>(sure) & less(N(kVanishedChord) * extent, length_of_chord) &
            less(N(kDistanceRounding) * largest * extent, area);
  found.area = area;
  found.depth = (sums.highest - sums.lowest) / length_of_chord;
  found.centroid = sums.centroid();
  found.normal = {across.x / length_of_chord, across.y / length_of_chord};
  found.chord_begin = begin;
  found.chord_end = end;
  return certain;
}

}  // namespace scree::wide
