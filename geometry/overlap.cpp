#include "geometry/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "geometry/long_arc.hpp"
#include "geometry/outlines.hpp"
#include "geometry/tolerances.hpp"
#include "geometry/two.hpp"

namespace scree {
namespace {

using namespace outlines;

/// A corner of the common region and the part of the outline that follows it. This part is an edge on the outline of a
/// (on_a = 1) or of b (0), or a long arc from vertex `arc_from` of that outline, which is this corner, to `arc_to`,
/// which is the next corner.
struct Corner {
  Vec2 at;
  double on_a;
  int arc_from;
  int arc_to;  // < 0: an edge
};

/// The corners of the common region, counter-clockwise and cyclic; the first one can be chosen.
class Region {
 public:
  Region() : corners_(few_) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  void add(const Vec2& at, double on_a, int arc_from = -1, int arc_to = -1) {
    if (size_ == capacity_) make_room();
    corners_[size_++] = {at, on_a, arc_from, arc_to};
  }
  void set_first(int first) { std::rotate(corners_, corners_ + first, corners_ + size_); }
  int size() const { return size_; }
  const Corner& operator[](int i) const { return corners_[i]; }
  const Corner& back() const { return corners_[size_ - 1]; }

 private:
  static constexpr int kFew = 64;

  void make_room() {
    thread_local std::vector<Corner> many;
    if (many.size() < 2 * static_cast<std::size_t>(capacity_)) many.resize(2 * static_cast<std::size_t>(capacity_));
    if (corners_ == few_) std::copy(few_, few_ + size_, many.begin());
    corners_ = many.data();
    capacity_ = static_cast<int>(many.size());
  }

  Corner few_[kFew];
  Corner* corners_;
  int size_ = 0;
  int capacity_ = kFew;
};

/// The common region, and the largest coordinate involved.
struct CommonRegion {
  explicit CommonRegion(const Pose& b_in_a) : largest_coordinate(b_in_a.position.cwiseAbs().maxCoeff()) {}

  Region region;
  double largest_coordinate;
  int arcs = 0;     ///< of a
  int arc_end = 0;  ///< the corner where the last arc of a ends
};

/// The crossing of edge i of a and edge j of b. Nearly parallel edges cross somewhere in their common part.
Vec2 point_of(const Fixed& a, const Moved& b, Crossing at, double& largest) {
  const Vec2& start = a[at.on_p];
  const Vec2& end = a[next(a, at.on_p)];
  const Vec2& from = b[at.on_q];
  const Vec2& to = b[next(b, at.on_q)];
  const Vec2 along = end - start;
  const double before = cross(along, from - start);
  const double after = cross(along, to - start);
  // Rounding may have changed the signs of both heights, or even made them equal.
  const double t = before == after ? 0.5 : std::min(std::max(before / (before - after), 0.0), 1.0);
  for (const Vec2& v : {start, end, from, to}) largest = std::max(largest, v.cwiseAbs().maxCoeff());
  return (from + t * (to - from)).cwiseMax(start.cwiseMin(end)).cwiseMin(start.cwiseMax(end));
}

/// Whether there are too many vertices from p's edge i to its edge k to sum them one by one.
template <class P>
bool is_long(const P& p, int i, int k) {
  return p.size() > static_cast<int>(kMostUnsummed) && steps_between(p, i, k) > kLongArc && p.own().sums() != nullptr;
}

/// Adds the vertices of p from its edge i, where it enters, to its edge k, where it leaves.
template <class P>
void add_arc(const P& p, int i, int k, CommonRegion& common) {
  constexpr double kOnA = P::kMoved ? 0.0 : 1.0;
  Region& region = common.region;
  if (i == k) return;
  const int first = next(p, i);
  if (is_long(p, i, k)) {
    region.add(p[first], kOnA, first, k);
    region.add(p[k], kOnA);
    return;
  }
  for (int v = first;; v = next(p, v)) {
    region.add(p[v], kOnA);
    if (v == k) return;
  }
}

/// The sums along the outline of the common region. They are about its first corner, so that they are accurate for a
/// region much smaller than the polygons.
class Sums {
 public:
  /// @param across vector along the normal, of any length: heights are dot products with it
  Sums(const Vec2& origin, const Vec2& across) : origin_(origin), across_(across) {}

  /// The next corner.
  [[gnu::always_inline]] void go_to(const Vec2& corner) {
    const Vec2 to = corner - origin_;
    const double c = cross(from_, to);
    doubled_area_ += c;
    moment_ += c * (from_ + to);
    lo_ = lo_.cwiseMin(to);
    hi_ = hi_.cwiseMax(to);
    reach(across_.dot(to));
    from_ = to;
  }

  /// Adds a long arc from vertex `first` of p, the last corner, to vertex `last`, the next corner: the difference
  /// between the sums of the arc and those of an edge in its place.
  template <class P>
  [[gnu::noinline]] void add_arc(const P& p, int first, int last) {
    add_beyond_edge(p, first, last);
    reach_summit(p, first, last);
    has_arcs_ = true;
  }

  /// p's vertices from its edge i to its edge k.
  template <class P>
  [[gnu::always_inline]] void go_along(const P& p, int i, int k) {
    if (i == k) return;
    int v = next(p, i);
    go_to(p[v]);
    if (is_long(p, i, k)) {
      add_arc(p, v, k);
      go_to(p[k]);
      return;
    }
    while (v != k) go_to(p[v = next(p, v)]);
  }

  const Vec2& origin() const { return origin_; }
  const Vec2& across() const { return across_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double extent() const { return (hi_ - lo_).maxCoeff(); }  ///< [m]

  /// Whether the mean thickness exceeds the rounding errors that flush or touching outlines give at random.
  /// @param largest coordinate involved [m]
  bool exceed_rounding(double largest) const { return 0.5 * doubled_area_ > kDistanceRounding * largest * extent(); }
  double area() const { return 0.5 * doubled_area_; }
  Vec2 centroid() const {
    const Vec2 centroid = moment_ / (3.0 * doubled_area_);
    return origin_ + (has_arcs_ ? centroid : Vec2(centroid.cwiseMax(lo_).cwiseMin(hi_)));
  }

 private:
  void reach(double height) {
    lowest_ = std::min(lowest_, height);
    highest_ = std::max(highest_, height);
  }

  template <class P>
  void add_beyond_edge(const P& p, int first, int last) {
    const ArcSum* const sums = p.own().sums();
    ArcSum arc{sums[last].doubled_area - sums[first].doubled_area, sums[last].moment - sums[first].moment};
    if (last < first) {  // past vertex 0
      const ArcSum& all = sums[p.size()];
      arc = {arc.doubled_area + all.doubled_area, arc.moment + all.moment};
    }
    // Subtract the triangle with the origin of the outline's own frame, then shift from this origin to the first
    // corner.
    const Vec2& u = p.own()[static_cast<std::size_t>(first)];
    const Vec2& v = p.own()[static_cast<std::size_t>(last)];
    const double triangle = cross(u, v);
    arc.doubled_area -= triangle;
    arc.moment -= triangle * (u + v);
    doubled_area_ += arc.doubled_area;
    moment_ += p.pose().rotation * arc.moment + 3.0 * arc.doubled_area * (p.pose().position - origin_);
  }

  /// The vertex inside a long arc that is highest or lowest, if it is beyond the arc's ends.
  template <class P>
  void reach_summit(const P& p, int first, int last) {
    const int edges = steps_between(p, first, last);
    const Vec2 up = p.pose().rotation.inverse() * across_;
    const auto vertex = [&](int k) -> const Vec2& { return p.own()[static_cast<std::size_t>(wrapped(p, first + k))]; };
    const auto along = [&](int k) -> Vec2 { return vertex(k + 1) - vertex(k); };  // the arc's edge k
    const auto reach_vertex = [&](int k) { reach(across_.dot(p[wrapped(p, first + k)] - origin_)); };
    const Vec2 first_edge = along(0);
    const Vec2 last_edge = along(edges - 1);
    if (cross(first_edge, last_edge) <= 0.0) {  // turns by more than half a circle
      for (int k = 1; k < edges; ++k) reach_vertex(k);
      return;
    }
    const bool rises_first = up.dot(first_edge) > 0.0;
    if (rises_first == (up.dot(last_edge) > 0.0)) return;

    // Finds the first edge whose direction differs from that of the first one (up or down); the search starts in the
    // middle, where it is most likely.
    int low = 0;
    int high = edges - 1;
    int probe = edges / 2;
    for (int stride = 1; high - low > 1; stride *= 2) {
      const bool like_first = rises_first == (up.dot(along(probe)) > 0.0);
      (like_first ? low : high) = probe;
      probe += like_first ? stride : -stride;
      if (probe <= low || probe >= high) probe = (low + high) / 2;
    }
    reach_vertex(high);
  }

  Vec2 origin_;
  Vec2 across_;
  Vec2 from_ = Vec2::Zero();
  double doubled_area_ = 0.0;
  Vec2 moment_ = Vec2::Zero();
  Vec2 lo_ = Vec2::Zero();
  Vec2 hi_ = Vec2::Zero();
  double lowest_ = 0.0;  // along across_
  double highest_ = 0.0;
  bool has_arcs_ = false;
};

/// @param sums along the whole outline, with heights along the chord's normal
[[gnu::always_inline]] inline Overlap overlap_of(const Sums& sums, const Vec2& chord_begin, const Vec2& chord_end) {
  const double length = sums.across().norm();
  return {.area = sums.area(),
          .depth = (sums.highest() - sums.lowest()) / length,
          .centroid = sums.centroid(),
          .normal = sums.across() / length,
          .chord_begin = chord_begin,
          .chord_end = chord_end};
}

Vec2 normal_of(const Vec2& chord) {
  return -perp(chord);
}

bool has_vanished(const Vec2& chord, const Sums& sums) {
  return chord.norm() < kVanishedChord * sums.extent();
}

/// Follows the outline of the common region from a crossing where a enters: along a until it leaves, along b until that
/// leaves, and so on. The first corner is the crossing where a enters on its edge with the lowest number.
/// @param leaving where a leaves first
/// @return false if the walk does not close: rounding has made b concave
bool walk_around(const Fixed& a, const Moved& b, Crossing at, Crossing& leaving, CommonRegion& common) {
  Region& region = common.region;
  Crossing in = at;
  int lowest = at.on_p;
  int first_corner = 0;
  do {
    if (in.on_p < lowest) {
      lowest = in.on_p;
      first_corner = region.size();
    }
    const Crossing out = follow(a, b, in, true);
    if (out.on_p < 0) return false;
    if (region.size() == 0) leaving = out;
    region.add(point_of(a, b, in, common.largest_coordinate), 1.0);
    add_arc(a, in.on_p, out.on_p, common);
    ++common.arcs;
    common.arc_end = region.size();
    region.add(point_of(a, b, out, common.largest_coordinate), 0.0);
    const Crossing next_in = follow(b, a, {out.on_q, out.on_p}, true, {at.on_q, at.on_p});
    if (next_in.on_p < 0 || region.size() > a.size() + b.size()) return false;
    add_arc(b, out.on_q, next_in.on_p, common);
    in = {next_in.on_q, next_in.on_p};
  } while (in != at);
  if (first_corner > 0) region.set_first(first_corner);
  return true;
}

/// The crossings where a enters b and where it leaves b, calculated together.
struct ChordEnds {
  TwoVec2 start_a, end_a;  ///< of the edges of a
  TwoVec2 start_b, end_b;
  TwoVec2 along_a, along_b;
  Two start_b_from_a, end_b_from_a;  ///< positive on the left, which is inside
  double largest_coordinate;

  [[gnu::always_inline]] ChordEnds(const Fixed& a, const Moved& b, Crossing in, Crossing out)
      : start_a(TwoVec2::of(a[in.on_p], a[out.on_p])),
        end_a(TwoVec2::of(a[next(a, in.on_p)], a[next(a, out.on_p)])),
        start_b(TwoVec2::of(b[in.on_q], b[out.on_q])),
        end_b(TwoVec2::of(b[next(b, in.on_q)], b[next(b, out.on_q)])),
        along_a(end_a - start_a),
        along_b(end_b - start_b),
        start_b_from_a(cross(along_a, start_b - start_a)),
        end_b_from_a(cross(along_a, end_b - start_a)) {
    const TwoVec2 largest = start_a.abs().max(end_a.abs()).max(start_b.abs().max(end_b.abs()));
    largest_coordinate = largest.x.max(largest.y).maxCoeff();
  }

  /// Whether both are certainly crossings in the right direction, for any rounding.
  [[gnu::always_inline]] bool certain() const {
    const Two start_a_from_b = cross(along_b, start_a - start_b);
    const Two end_a_from_b = cross(along_b, end_a - start_b);
    const Two sense(1.0, -1.0);
    const Two least =
        (sense * start_b_from_a).min(-sense * end_b_from_a).min(-sense * start_a_from_b).min(sense * end_a_from_b);
    return least.minCoeff() > cross_error(largest_coordinate);
  }
  /// The points of point_of for both crossings. @pre certain()
  [[gnu::always_inline]] TwoVec2 points() const {
    const Two t = (start_b_from_a / (start_b_from_a - end_b_from_a)).max(0.0).min(1.0);
    return (start_b + along_b * t).max(start_a.min(end_a)).min(start_a.max(end_a));
  }
};

/// Whether a point is certainly inside q, given that it is on the outer side of the chord between a point of q's edge i
/// and one of its edge k. It is if it is on the left of both edges and of two lines that cut off the rest of q.
/// @param start, along of the edges k and i or i and k
template <class Q>
bool is_inside(const Q& q, int i, int k, const TwoVec2& start, const TwoVec2& along, const Vec2& point) {
  const TwoVec2 both = TwoVec2::of(point, point);
  const int behind = next(q, k);
  const int half = steps_between(q, behind, i) / 2;
  const int across_from_i = wrapped(q, behind + half);
  const int across_from_k = wrapped(q, i - half + q.size());
  const TwoVec2 from = TwoVec2::of(q[across_from_i], q[behind]);
  const TwoVec2 to = TwoVec2::of(q[i], q[across_from_k]);
  return at_least(along, both - start).min(at_least(to - from, both - from)).minCoeff() > 0.0;
}

/// The apex of a triangle over the chord that certainly contains an arc: the intersection of the lines of its end
/// edges, or its vertex if it has only one.
/// @param first, last the arc's end edges, i and k; from, to the chord
/// @return false if there is none
template <class P>
bool find_tip(const P& p, int i, int k, const Vec2& first, const Vec2& last, const Vec2& from, const Vec2& to,
              double largest_coordinate, Vec2& tip) {
  if (next(p, i) == k) {
    tip = p[k];
    return true;
  }
  const double turn = cross(first, last);
  const double along = cross(to - from, last);
  if (!(turn > 0.0) || !(along > 0.0)) return false;
  const Vec2 middle = 0.5 * (from + to);
  const Vec2 above = from + along / turn * first - middle;
  // A slightly larger triangle allows for the rounding error of the apex.
  constexpr double kLarger = 1e-6;
  const double rounding = kDifferenceRounding * largest_coordinate;
  tip = middle + (1.0 + kLarger) * above;
  return kLarger * above.cwiseAbs().maxCoeff() * turn >=
         100.0 * rounding * first.cwiseAbs().sum() * last.cwiseAbs().sum();
}

/// Prefetches the data of p's arc from its edge i to its edge k if it is long: they are far from its ends in memory.
template <class P>
void prefetch_arc(const P& p, int i, int k) {
  if (!is_long(p, i, k)) return;
  __builtin_prefetch(p.own().sums() + i + 1);
  __builtin_prefetch(p.own().sums() + k);
  const int half = steps_between(p, i, k) / 2;
  __builtin_prefetch(&p.own()[static_cast<std::size_t>(wrapped(p, i + half))]);
  __builtin_prefetch(&p.own()[static_cast<std::size_t>(wrapped(p, i + half + p.size() / 2))]);
}

/// The overlap between two guessed crossings, if they are certainly crossings and the only ones: each arc is then
/// inside the other outline. This holds for any number of vertices between them.
bool measure_between(const Fixed& a, const Moved& b, Crossing in, Crossing out, Overlap& found) {
  prefetch_arc(a, in.on_p, out.on_p);
  prefetch_arc(b, out.on_q, in.on_q);
  const ChordEnds ends(a, b, in, out);
  if (!ends.certain()) return false;
  const TwoVec2 points = ends.points();
  const double largest = std::max(b.pose().position.cwiseAbs().maxCoeff(), ends.largest_coordinate);
  const Vec2 begin = points.first();
  const Vec2 end = points.second();
  Vec2 tip;
  if (in.on_p != out.on_p) {
    const Vec2 first = ends.along_a.first();
    const Vec2 last = ends.along_a.second();
    if (!find_tip(a, in.on_p, out.on_p, first, last, begin, end, largest, tip)) return false;
    if (!is_inside(b, out.on_q, in.on_q, ends.start_b, ends.along_b, tip)) return false;
  }
  if (in.on_q != out.on_q) {
    const Vec2 first = ends.along_b.second();
    const Vec2 last = ends.along_b.first();
    if (!find_tip(b, out.on_q, in.on_q, first, last, end, begin, largest, tip)) return false;
    if (!is_inside(a, in.on_p, out.on_p, ends.start_a, ends.along_a, tip)) return false;
  }
  const Vec2 chord = end - begin;
  Sums sums(begin, normal_of(chord));
  sums.go_along(a, in.on_p, out.on_p);
  sums.go_to(end);
  sums.go_along(b, out.on_q, in.on_q);
  if (has_vanished(chord, sums)) return false;
  found = sums.exceed_rounding(largest) ? overlap_of(sums, begin, end) : Overlap();
  return true;
}

template <class P>
void add_all(const P& p, double on_a, CommonRegion& common) {
  for (int i = 0; i < p.size(); ++i) {
    const Vec2 v = p[i];
    common.region.add(v, on_a);
    common.largest_coordinate = std::max(common.largest_coordinate, v.cwiseAbs().maxCoeff());
  }
}

Crossing edges(FeaturePair features) {
  return {static_cast<int>(features.a / 2), static_cast<int>(features.b / 2)};
}
FeaturePair features(Crossing crossing) {
  return {static_cast<Feature>(2 * crossing.on_p + 1), static_cast<Feature>(2 * crossing.on_q + 1)};
}

/// @return false if rounding has made b concave
bool find_common_region(const Fixed& a, const Moved& b, ClosestFeatures& closest, CommonRegion& common) {
  switch (closest.relation) {
    case Relation::kApart:
      return true;
    case Relation::kAInsideB:
      add_all(a, 1.0, common);
      return true;
    case Relation::kBInsideA:
      add_all(b, 0.0, common);
      return true;
    case Relation::kCrossing:
      break;
  }
  Crossing in = edges(closest.features);
  if (is_left<Moved>(b[in.on_q], b[next(b, in.on_q)], a[in.on_p])) {  // a leaves, so b enters
    const Crossing b_out = follow(b, a, {in.on_q, in.on_p}, true);
    if (b_out.on_p < 0) return false;
    in = {b_out.on_q, b_out.on_p};
    closest.features = features(in);
  }
  Crossing out;
  if (!walk_around(a, b, in, out, common)) return false;
  closest.leaving = features(out);
  return true;
}

/// The sum of f(end) - f(begin) over the arcs of a.
template <class F>
auto sum_over_arc_ends(const Region& region, F f) {
  auto sum = f(region.back().at);
  sum *= 0.0;
  double from_on_a = region.back().on_a;
  for (int i = 0; i < region.size(); ++i) {
    sum += (from_on_a - region[i].on_a) * f(region[i].at);  // 1: an arc ends, -1: one begins, 0: neither
    from_on_a = region[i].on_a;
  }
  return sum;
}

/// The middle of the chord of several arcs, relative to the origin.
///
/// With the chord's tangent and the normal as axes (s, h), and "delta" for end minus begin summed over the arcs: |D| s
/// = delta(s^2 + h^2) / 2 gives the moment of the arcs' forces. This leaves the position along the normal free. |D| h =
/// delta(s h) is right for a single arc and does not change when an arc is divided in two, so the chord moves
/// continuously when a vertex of a comes out on the other side of b.
/// @param lowest, highest extent of the region along the normal, from the origin [m]
Vec2 middle_of_arcs(const Region& region, const Vec2& origin, const Vec2& normal, double chord, double lowest,
                    double highest) {
  const Vec2 tangent = perp(normal);
  const double along = sum_over_arc_ends(region, [&](const Vec2& v) { return (v - origin).squaredNorm(); });
  const double upward =
      sum_over_arc_ends(region, [&](const Vec2& v) { return tangent.dot(v - origin) * normal.dot(v - origin); });
  return 0.5 * along / chord * tangent + std::clamp(upward / chord, lowest, highest) * normal;
}

Sums sums_of(const Fixed& a, const Moved& b, const Region& region, const Vec2& across) {
  Sums sums(region[0].at, across);
  for (int i = 0; i < region.size(); ++i) {
    const Corner& corner = region[i];
    if (i > 0) sums.go_to(corner.at);
    if (corner.arc_to < 0) continue;
    corner.on_a > 0.0 ? sums.add_arc(a, corner.arc_from, corner.arc_to)
                      : sums.add_arc(b, corner.arc_from, corner.arc_to);
  }
  return sums;
}

Overlap measure(const Fixed& a, const Moved& b, const CommonRegion& common) {
  const Region& region = common.region;
  if (region.size() == 0) return {};
  const Vec2 origin = region[0].at;
  const Vec2 chord = common.arcs == 1 ? Vec2(region[common.arc_end].at - origin)
                                      : sum_over_arc_ends(region, [&](const Vec2& v) -> Vec2 { return v - origin; });
  const Sums sums = sums_of(a, b, region, normal_of(chord));
  if (!sums.exceed_rounding(common.largest_coordinate)) return {};
  if (has_vanished(chord, sums)) {
    const double apart = b.pose().position.norm();
    const Vec2 normal = apart > 0.0 ? Vec2(b.pose().position / apart) : Vec2(1.0, 0.0);
    return overlap_of(sums_of(a, b, region, normal), sums.centroid(), sums.centroid());
  }
  if (common.arcs == 1) return overlap_of(sums, origin, region[common.arc_end].at);
  const double length = chord.norm();
  const Vec2 middle =
      middle_of_arcs(region, origin, sums.across() / length, length, sums.lowest() / length, sums.highest() / length);
  return overlap_of(sums, origin + (middle - 0.5 * chord), origin + (middle + 0.5 * chord));
}

/// Searches for the overlap at the features of the last query.
/// @return false if it is not certain that the overlap is there and only there
bool measure_from_hint(const Fixed& a, const Moved& b, PairHint& hint, Overlap& found) {
  Crossing in = edges(hint.features);
  Crossing out = edges(hint.leaving);
  if (measure_between(a, b, in, out, found)) return true;
  if (find_near(a, b, true, in) < 0 || find_near(a, b, false, out) < 0) return false;
  hint = {features(in), features(out)};
  return measure_between(a, b, in, out, found);
}

/// Whether both are pairs of existing edges.
bool are_edges(const PairHint& hint, const Outline& a, const Outline& b) {
  return is_edge(hint.features.a, a) && is_edge(hint.features.b, b) && is_edge(hint.leaving.a, a) &&
         is_edge(hint.leaving.b, b);
}

/// Measures in b's frame, where a is rounded instead; used when rounding has made b concave.
Overlap measure_in_frame_of_b(const Outline& a, const Outline& b, const Pose& b_in_a) {
  const Pose a_in_b = b_in_a.inverse();
  ClosestFeatures closest = closest_features(b, a, a_in_b, {});
  const Fixed fixed(b);
  const Moved moved(a, a_in_b);
  CommonRegion common(a_in_b);
  find_common_region(fixed, moved, closest, common);
  return seen_from_other(measure(fixed, moved, common), b_in_a);
}

}  // namespace

Overlap seen_from_other(const Overlap& o, const Pose& pose) {
  Overlap seen = o;
  seen.centroid = pose * o.centroid;
  seen.normal = -(pose.rotation * o.normal);
  seen.chord_begin = pose * o.chord_end;
  seen.chord_end = pose * o.chord_begin;
  return seen;
}

Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, ClosestFeatures& closest) {
  if (closest.relation == Relation::kApart) return {};
  const Fixed fixed(a);
  const Moved moved(b, b_in_a);
  CommonRegion common(b_in_a);
  if (!find_common_region(fixed, moved, closest, common)) return measure_in_frame_of_b(a, b, b_in_a);
  return measure(fixed, moved, common);
}

Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, PairHint& hint) {
  Overlap found;
  // Most likely they still cross at the same edges.
  if (are_edges(hint, a, b)) {
    if (measure_from_hint(Fixed(a), Moved(b, b_in_a), hint, found)) return found;
  }
  ClosestFeatures closest = closest_features(a, b, b_in_a, hint.features);
  closest.leaving = hint.leaving;
  found = overlap(a, b, b_in_a, closest);
  hint = {closest.features, closest.leaving};
  return found;
}

Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a) {
  ClosestFeatures closest = closest_features(a, b, b_in_a, {});
  return overlap(a, b, b_in_a, closest);
}

std::vector<Vec2> overlap_polygon(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair hint) {
  std::vector<Vec2> vertices;
  ClosestFeatures closest = closest_features(a, b, b_in_a, hint);
  const Fixed fixed(a);
  const Moved moved(b, b_in_a);
  CommonRegion common(b_in_a);
  find_common_region(fixed, moved, closest, common);
  if (!measure(fixed, moved, common).touching()) return vertices;
  const auto add = [&](const Vec2& v) {
    // A crossing at a vertex gives the vertex twice.
    if (vertices.empty() || (v != vertices.back() && v != vertices.front())) vertices.push_back(v);
  };
  for (int i = 0; i < common.region.size(); ++i) {
    const Corner& corner = common.region[i];
    add(corner.at);
    if (corner.arc_to < 0) continue;
    const auto add_rest = [&](const auto& p) {
      for (int v = next(p, corner.arc_from); v != corner.arc_to; v = next(p, v)) add(p[v]);
    };
    corner.on_a > 0.0 ? add_rest(fixed) : add_rest(moved);
  }
  return vertices;
}

}  // namespace scree
