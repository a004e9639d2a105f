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

  const double* vertices[W];  ///< x, y of the outline's first vertex, in its own frame [m]
  const double* sums[W];      ///< its running sums; read for long arcs
  int size[W];                ///< vertices of the outline
  int first[W];
  int last[W];
  int count[W];  ///< of the arc's vertices
  bool is_long[W];
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
        from_{0.0, 0.0} {
    for (double& each : has_arcs_) each = 0.0;
  }

  /// The next corner, where there is one.
  SCREE_WIDE void go_to(const Vector<W>& corner, const Mask<W>& where) {
    const Vector<W> to = corner - origin_;
    const Number<W> c = cross(from_, to);
    doubled_area = select(where, doubled_area + c, doubled_area);
    const Vector<W> more = moment + c * (from_ + to);
    moment = only(where, more, moment);
    lo = only(where, lesser(to, lo), lo);
    hi = only(where, greater(to, hi), hi);
    const Number<W> height = dot(across_, to);
    lowest = select(where, lesser(height, lowest), lowest);
    highest = select(where, greater(height, highest), highest);
    from_ = only(where, to, from_);
  }

  /// Along an arc. @return lanes whose long arcs turn by more than half a circle: their summits are not found
  template <bool Moved>
  SCREE_WIDE unsigned go_along(const Arcs<W>& arc) {
    unsigned uncertain = 0;
    int most = 0;
    bool any_long = false;
    int corners[W];
    for (int lane = 0; lane < W; ++lane) {
      corners[lane] = arc.is_long[lane] ? 2 : arc.count[lane];
      most = corners[lane] > most ? corners[lane] : most;
      any_long = any_long || arc.is_long[lane];
    }
    for (int t = 0; t < most; ++t) {
      double active[W];
      const double* from[W];
      for (int lane = 0; lane < W; ++lane) {
        active[lane] = t < corners[lane] ? 1.0 : 0.0;
        const int after_first = t < corners[lane] ? (t > 0 && arc.is_long[lane] ? arc.count[lane] - 1 : t) : 0;
        from[lane] = arc.vertex(lane, after_first);
      }
      Vector<W> corner = load_two<W>(from);
      if constexpr (Moved) corner = arc.turned(corner) + arc.position;
      go_to(corner, mask_of<W>(active));
      if (t == 0 && any_long) uncertain = add_long<Moved>(arc);
    }
    return uncertain;
  }

  SCREE_WIDE Vector<W> centroid() const {
    const Number<W> thrice = Number<W>(3.0) * doubled_area;
    const Vector<W> centroid = {moment.x / thrice, moment.y / thrice};
    return origin_ + only(mask_of<W>(has_arcs_), centroid, lesser(hi, greater(lo, centroid)));
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

  template <bool Moved>
  SCREE_WIDE unsigned add_long(const Arcs<W>& arc) {
    using N = Number<W>;
    using V = Vector<W>;
    static constexpr double kNone[Arcs<W>::kSumSize] = {};
    double is_long[W];
    double wraps[W];
    const double* area_at[3][W];  // of the first vertex, of the last one, of the whole outline
    const double* moment_at[3][W];
    for (int lane = 0; lane < W; ++lane) {
      is_long[lane] = arc.is_long[lane] ? 1.0 : 0.0;
      if (arc.is_long[lane]) has_arcs_[lane] = 1.0;
      wraps[lane] = arc.last[lane] < arc.first[lane] ? 1.0 : 0.0;
      const int places[3] = {arc.first[lane], arc.last[lane], arc.size[lane]};
      for (int k = 0; k < 3; ++k) {
        area_at[k][lane] = arc.is_long[lane] ? arc.sums[lane] + Arcs<W>::kSumSize * places[k] : kNone;
        moment_at[k][lane] = area_at[k][lane] + Arcs<W>::kSumMoment;
      }
    }
    const Mask<W> where = mask_of<W>(is_long);
    const Mask<W> around = mask_of<W>(wraps);
    N area = load_one<W>(area_at[1]) - load_one<W>(area_at[0]);
    V of_arc = load_two<W>(moment_at[1]) - load_two<W>(moment_at[0]);
    area = select(around, area + load_one<W>(area_at[2]), area);
    of_arc = only(around, of_arc + load_two<W>(moment_at[2]), of_arc);
    const V& u = arc.own[1];
    const V& v = arc.own[2];
    const N triangle = cross(u, v);
    area = area - triangle;
    of_arc = of_arc - triangle * (u + v);
    doubled_area = select(where, doubled_area + area, doubled_area);
    const V centre = Moved ? arc.position : V{0.0, 0.0};
    const V turned = Moved ? arc.turned(of_arc) : of_arc;
    moment = only(where, moment + (turned + N(3.0) * area * (centre - origin_)), moment);

    // The vertex inside each arc that is highest or lowest, one by one.
    const V up = Moved ? arc.cos * across_ + -arc.sin * perp(across_) : across_;
    double up_x[W];
    double up_y[W];
    up.x.store(up_x);
    up.y.store(up_y);
    unsigned uncertain = 0;
    double has_summit[W];
    const double* summit[W];
    for (int lane = 0; lane < W; ++lane) {
      has_summit[lane] = 0.0;
      summit[lane] = arc.vertex(lane, 0);
      if (!arc.is_long[lane]) continue;
      const int edges = arc.count[lane] - 1;
      const auto along = [&](int k, double& x, double& y) __attribute__((always_inline)) {
        const double* const from = arc.vertex(lane, k);
        const double* const to = arc.vertex(lane, k + 1);
        x = to[0] - from[0];
        y = to[1] - from[1];
      };
      const auto rises = [&](double x, double y) __attribute__((always_inline)) {
        return up_x[lane] * x + up_y[lane] * y > 0.0;
      };
      double x = 0.0;
      double y = 0.0;
      double last_x = 0.0;
      double last_y = 0.0;
      along(0, x, y);
      along(edges - 1, last_x, last_y);
      if (x * last_y - y * last_x <= 0.0) {
        uncertain |= 1U << lane;
        continue;
      }
      const bool rises_first = rises(x, y);
      if (rises_first == rises(last_x, last_y)) continue;
      int low = 0;
      int high = edges - 1;
      int probe = edges / 2;
      for (int stride = 1; high - low > 1; stride *= 2) {
        along(probe, x, y);
        const bool like_first = rises_first == rises(x, y);
        (like_first ? low : high) = probe;
        probe += like_first ? stride : -stride;
        if (probe <= low || probe >= high) probe = (low + high) / 2;
      }
      has_summit[lane] = 1.0;
      summit[lane] = arc.vertex(lane, high);
    }
    V top = load_two<W>(summit);
    if constexpr (Moved) top = arc.turned(top) + arc.position;
    const N height = dot(across_, top - origin_);
    const Mask<W> there = mask_of<W>(has_summit);
    lowest = select(there, lesser(height, lowest), lowest);
    highest = select(there, greater(height, highest), highest);
    return uncertain;
  }

  Vector<W> origin_;
  Vector<W> across_;
  Vector<W> from_;
  double has_arcs_[W];
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
  double few[W];
  for (int lane = 0; lane < W; ++lane) few[lane] = arc.count[lane] <= 1 ? 1.0 : 0.0;
  const Mask<W> has_few = mask_of<W>(few);
  const V apex = middle + N(1.0 + kLarger) * above;
  tip = {select(has_few, arc.at[1].x, apex.x), select(has_few, arc.at[1].y, apex.y)};
  return has_few | (less(zero, turn) & less(zero, along) & is_safe);
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

  double has_a[W];
  double has_b[W];
  for (int lane = 0; lane < W; ++lane) {
    has_a[lane] = a.count[lane] > 0 ? 0.0 : 1.0;
    has_b[lane] = b.count[lane] > 0 ? 0.0 : 1.0;
  }
  V tip;
  certain = certain & find_tips(a, begin, end, largest, tip);
  const N edges_of_b = lesser(least_cross(out_b, tip - b.at[0]), least_cross(in_b, tip - b.at[2]));
  const N cuts_of_b =
      lesser(least_cross(b.at[0] - b.position, tip - b.position), least_cross(b.position - b.at[3], tip - b.at[3]));
  certain = certain & (mask_of<W>(has_a) | less(zero, lesser(edges_of_b, cuts_of_b)));
  certain = certain & find_tips(b, end, begin, largest, tip);
  const N edges_of_a = lesser(least_cross(in_a, tip - a.at[0]), least_cross(out_a, tip - a.at[2]));
  const N cuts_of_a = lesser(least_cross(a.at[0], tip), least_cross(-a.at[3], tip - a.at[3]));
  certain = certain & (mask_of<W>(has_b) | less(zero, lesser(edges_of_a, cuts_of_a)));

  ArcSums<W> sums(begin, chord);
  unsigned uncertain = sums.template go_along<false>(a);
  double all[W];
  for (double& each : all) each = 1.0;
  sums.go_to(end, mask_of<W>(all));
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
