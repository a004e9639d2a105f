#include "geometry/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "geometry/outlines.hpp"

namespace scree {
namespace {

using namespace outlines;

/// A common region thinner than this many units of rounding of the largest coordinate is no contact: flush or touching
/// outlines give one or two of them, at random. A grain of 1 cm loses overlaps shallower than 2e-17 m by it.
constexpr double kRoundings = 8.0;

/// A sum of chord vectors shorter than this part of the region's extent counts as none: the place where its force would
/// act is farther away than the inverse of this, in extents.
constexpr double kVanishedChord = 1e-6;

/// An arc with more vertices than this, of an outline with more than that, is not summed up vertex by vertex.
constexpr int kLongArc = 2;
constexpr int kManyVertices = 16;

/// With fewer vertices than this in both arcs, following them is quicker than to certify that nothing else crosses.
constexpr int kWorthCertifying = 3;

/// A corner of the common region, and what follows it: an edge on the outline of a (on_a = 1) or on that of b (0); or a
/// long arc, from vertex `arc_from` of that outline, which is this corner, to `arc_to`, which is the next.
struct Corner {
  Vec2 at;
  double on_a;
  int arc_from;
  int arc_to;  // < 0: an edge
};

/// The corners of the common region, counter-clockwise: a ring that starts where its first corner is set.
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
  void clear() { size_ = 0; }
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

/// What the polygons share, and how large coordinates took part.
struct CommonRegion {
  explicit CommonRegion(const Pose& b_in_a) : largest_coordinates(b_in_a.position.cwiseAbs()) {}

  Region region;
  Vec2 largest_coordinates;  ///< along x and y
  int arcs = 0;              ///< of a
  int arc_end = 0;           ///< the corner where the last arc of a ends
  bool has_long_arcs = false;
};

/// Where edge i of a and edge j of b cross. Nearly parallel edges cross somewhere in what they have in common.
template <class B>
Vec2 point_of(const Fixed& a, const B& b, Crossing at, Vec2& largest) {
  const Vec2& start = a[at.on_p];
  const Vec2& end = a[next(a, at.on_p)];
  const Vec2& from = b[at.on_q];
  const Vec2& to = b[next(b, at.on_q)];
  const Vec2 along = end - start;
  const double before = cross(along, from - start);
  const double after = cross(along, to - start);
  // Rounding may have taken the signs of both heights, even made them equal.
  const double t = before == after ? 0.5 : std::min(std::max(before / (before - after), 0.0), 1.0);
  largest =
      largest.cwiseMax(start.cwiseAbs().cwiseMax(end.cwiseAbs())).cwiseMax(from.cwiseAbs().cwiseMax(to.cwiseAbs()));
  return (from + t * (to - from)).cwiseMax(start.cwiseMin(end)).cwiseMin(start.cwiseMax(end));
}

/// Adds the vertices of p from its edge i, where it comes in, to its edge k, where it goes out.
template <class P>
void add_arc(const P& p, int i, int k, CommonRegion& common) {
  constexpr double kOnA = P::kMoved ? 0.0 : 1.0;
  Region& region = common.region;
  if (i == k) return;
  const int first = next(p, i);
  if (p.size() > kManyVertices && steps_between(p, i, k) > kLongArc && p.own().sums() != nullptr) {
    common.has_long_arcs = true;
    region.add(p[first], kOnA, first, k);
    region.add(p[k], kOnA);
    return;
  }
  for (int v = first;; v = next(p, v)) {
    region.add(p[v], kOnA);
    if (v == k) return;
  }
}

/// Walks around the common region from a crossing where a comes in: along a until it goes out again, along b until that
/// goes out, and so on. The first corner is where a comes in, at its lowest edge that does.
/// @param leaving where a goes out first
/// @return false if the walk does not close: rounding has made b concave
template <class B>
bool walk_around(const Fixed& a, const B& b, Crossing at, Crossing& leaving, CommonRegion& common) {
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
    region.add(point_of(a, b, in, common.largest_coordinates), 1.0);
    add_arc(a, in.on_p, out.on_p, common);
    ++common.arcs;
    common.arc_end = region.size();
    region.add(point_of(a, b, out, common.largest_coordinates), 0.0);
    const Crossing next_in = follow(b, a, {out.on_q, out.on_p}, true, {at.on_q, at.on_p});
    if (next_in.on_p < 0 || region.size() > a.size() + b.size()) return false;
    add_arc(b, out.on_q, next_in.on_p, common);
    in = {next_in.on_q, next_in.on_p};
  } while (in != at);
  if (first_corner > 0) region.set_first(first_corner);
  return true;
}

/// Whether the arc of p from its edge i, at one end of the chord, to its edge k, at the other, is inside q for sure: it
/// is if the triangle is that the arc's end edges and the chord make.
template <class P, class Q>
bool arc_is_inside(const P& p, int i, int k, const Q& q, int near, const Vec2& from, const Vec2& to) {
  if (i == k) return true;  // a piece of the chord
  const Vec2 first = p[next(p, i)] - p[i];
  const Vec2 last = p[next(p, k)] - p[k];
  const double turn = cross(first, last);
  const double along = cross(to - from, last);
  if (!(turn > 0.0) || !(along > 0.0)) return false;
  const Vec2 middle = 0.5 * (from + to);
  const Vec2 above = from + along / turn * first - middle;
  // A triangle a little larger has room for the rounding of this one's top.
  constexpr double kLarger = 1e-6;
  const double rounding = std::numeric_limits<double>::epsilon() * (p.pose().position.norm() + from.norm() + to.norm());
  if (kLarger * above.norm() * turn < 100.0 * rounding * first.norm() * last.norm()) return false;
  FanWalk<Q> fan(q, near, middle + (1.0 + kLarger) * above);
  while (!fan.step()) {
  }
  return fan.inside();
}

/// The common region between two crossings that are its only ones for sure, however many vertices are between.
template <class B>
bool take_between(const Fixed& a, const B& b, Crossing in, Crossing out, CommonRegion& common) {
  Vec2 largest = common.largest_coordinates;
  const Vec2 begin = point_of(a, b, in, largest);
  const Vec2 end = point_of(a, b, out, largest);
  const int middle_of_a = wrapped(a, in.on_p + steps_between(a, in.on_p, out.on_p) / 2);
  const int middle_of_b = wrapped(b, out.on_q + steps_between(b, out.on_q, in.on_q) / 2);
  if (!arc_is_inside(a, in.on_p, out.on_p, b, middle_of_b, begin, end)) return false;
  if (!arc_is_inside(b, out.on_q, in.on_q, a, middle_of_a, end, begin)) return false;
  common.largest_coordinates = largest;
  common.region.add(begin, 1.0);
  add_arc(a, in.on_p, out.on_p, common);
  common.arcs = 1;
  common.arc_end = common.region.size();
  common.region.add(end, 0.0);
  add_arc(b, out.on_q, in.on_q, common);
  return true;
}

template <class P>
void add_all(const P& p, double on_a, CommonRegion& common) {
  for (int i = 0; i < p.size(); ++i) {
    const Vec2 v = p[i];
    common.region.add(v, on_a);
    common.largest_coordinates = common.largest_coordinates.cwiseMax(v.cwiseAbs());
  }
}

Crossing edges(FeaturePair features) {
  return {static_cast<int>(features.a / 2), static_cast<int>(features.b / 2)};
}
FeaturePair features(Crossing crossing) {
  return {static_cast<Feature>(2 * crossing.on_p + 1), static_cast<Feature>(2 * crossing.on_q + 1)};
}

/// @param in      a crossing where a comes in
/// @param leaving a guess where it goes out first; becomes that
/// @return false if rounding has made b concave
template <class B>
bool find_from_crossing(const Fixed& a, const B& b, Crossing in, FeaturePair& leaving, CommonRegion& common) {
  Crossing out = edges(leaving);
  const auto vertices = [&] { return steps_between(a, in.on_p, out.on_p) + steps_between(b, out.on_q, in.on_q); };
  const bool taken = out.on_p < a.size() && out.on_q < b.size() && vertices() >= kWorthCertifying &&
                     find_near(a, b, false, out) >= 0 && take_between(a, b, in, out, common);
  if (!taken && !walk_around(a, b, in, out, common)) return false;
  leaving = features(out);
  return true;
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
  if (is_left<Moved>(b[in.on_q], b[next(b, in.on_q)], a[in.on_p])) {  // a goes out, so b comes in
    const Crossing b_out = follow(b, a, {in.on_q, in.on_p}, true);
    if (b_out.on_p < 0) return false;
    in = {b_out.on_q, b_out.on_p};
    closest.features = features(in);
  }
  return find_from_crossing(a, b, in, closest.leaving, common);
}

/// What a long arc adds to sums over corners that take it for an edge: doubled area and its moment, about `origin`.
template <class P>
ArcSum beyond_edge(const P& p, const Corner& corner, const Vec2& origin) {
  const ArcSum* const sums = p.own().sums();
  const ArcSum& begin = sums[corner.arc_from];
  const ArcSum& end = sums[corner.arc_to];
  ArcSum arc{end.doubled_area - begin.doubled_area, end.moment - begin.moment};
  if (corner.arc_to < corner.arc_from) {  // past vertex 0
    const ArcSum& all = sums[p.size()];
    arc = {arc.doubled_area + all.doubled_area, arc.moment + all.moment};
  }
  // Less the triangle with the origin of the outline's own frame, and then from there to `origin`.
  const Vec2& u = p.own()[static_cast<std::size_t>(corner.arc_from)];
  const Vec2& v = p.own()[static_cast<std::size_t>(corner.arc_to)];
  arc.doubled_area -= cross(u, v);
  arc.moment -= cross(u, v) * (u + v);
  arc.moment = p.pose().rotation * arc.moment + 3.0 * arc.doubled_area * (p.pose().position - origin);
  return arc;
}

/// Calls reach(height above `origin` along the normal) for the vertices inside a long arc that are farthest up or down.
template <class P, class Reach>
void reach_summits(const P& p, const Corner& corner, const Vec2& normal, const Vec2& origin, Reach reach) {
  const int edges = steps_between(p, corner.arc_from, corner.arc_to);
  const Vec2 up = p.pose().rotation.inverse() * normal;
  const auto vertex = [&](int k) -> const Vec2& {
    return p.own()[static_cast<std::size_t>(wrapped(p, corner.arc_from + k))];
  };
  const auto along = [&](int k) -> Vec2 { return vertex(k + 1) - vertex(k); };  // the arc's edge k
  const auto height = [&](int k) { return normal.dot(p[wrapped(p, corner.arc_from + k)] - origin); };
  const Vec2 first = along(0);
  const Vec2 last = along(edges - 1);
  if (cross(first, last) <= 0.0) {  // turns by more than half a circle
    for (int k = 1; k < edges; ++k) reach(height(k));
    return;
  }
  const bool rises_first = up.dot(first) > 0.0;
  if (rises_first == (up.dot(last) > 0.0)) return;  // the ends, which are corners, are farthest

  // The first edge that does not run like the first one, looked for from the middle, where it most likely is.
  int low = 0;
  int high = edges - 1;
  int probe = edges / 2;
  for (int stride = 1; high - low > 1; stride *= 2) {
    const bool like_first = rises_first == (up.dot(along(probe)) > 0.0);
    (like_first ? low : high) = probe;
    probe += like_first ? stride : -stride;
    if (probe <= low || probe >= high) probe = (low + high) / 2;
  }
  reach(height(high));
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
/// With the chord's tangent and the normal as axes (s, h), and "delta" for end minus begin summed over the arcs:
/// |D| s = delta(s^2 + h^2) / 2 gives the moment of the arcs' forces. The place along the normal is free for that;
/// |D| h = delta(s h) is right for a single arc and does not notice where an arc is divided in two, so the chord moves
/// smoothly when a vertex of a comes out on the other side of b.
/// @param lowest, highest extent of the region along the normal, from the origin [m]
Vec2 middle_of_arcs(const Region& region, const Vec2& origin, const Vec2& normal, double chord, double lowest,
                    double highest) {
  const Vec2 tangent = perp(normal);
  const double along = sum_over_arc_ends(region, [&](const Vec2& v) { return (v - origin).squaredNorm(); });
  const double upward =
      sum_over_arc_ends(region, [&](const Vec2& v) { return tangent.dot(v - origin) * normal.dot(v - origin); });
  return 0.5 * along / chord * tangent + std::clamp(upward / chord, lowest, highest) * normal;
}

template <class B>
Overlap measure(const Fixed& a, const B& b, const CommonRegion& common) {
  Overlap result;
  const Region& region = common.region;
  if (region.size() == 0) return result;
  // All sums are about vertex 0, so that a region far smaller than the polygons keeps its digits.
  const Vec2 origin = region[0].at;
  double doubled_area = 0.0;
  Vec2 moment = Vec2::Zero();
  Vec2 lo = Vec2::Zero();
  Vec2 hi = Vec2::Zero();
  Vec2 from = Vec2::Zero();
  for (int i = 1; i < region.size(); ++i) {
    const Vec2 to = region[i].at - origin;
    const double c = cross(from, to);
    doubled_area += c;
    moment += c * (from + to);
    lo = lo.cwiseMin(to);
    hi = hi.cwiseMax(to);
    from = to;
  }
  if (common.has_long_arcs) {
    for (int i = 0; i < region.size(); ++i) {
      if (region[i].arc_to < 0) continue;
      const ArcSum arc = region[i].on_a > 0.0 ? beyond_edge(a, region[i], origin) : beyond_edge(b, region[i], origin);
      doubled_area += arc.doubled_area;
      moment += arc.moment;
    }
  }

  const double extent = (hi - lo).maxCoeff();
  const double rounding = kRoundings * std::numeric_limits<double>::epsilon() * common.largest_coordinates.maxCoeff();
  if (!(0.5 * doubled_area > rounding * extent)) return result;
  result.area = 0.5 * doubled_area;
  const Vec2 centroid = moment / (3.0 * doubled_area);
  result.centroid = origin + (common.has_long_arcs ? centroid : Vec2(centroid.cwiseMax(lo).cwiseMin(hi)));

  const Vec2 chord = common.arcs == 1 ? Vec2(region[common.arc_end].at - origin)
                                      : sum_over_arc_ends(region, [&](const Vec2& v) -> Vec2 { return v - origin; });
  const double length = chord.norm();
  const bool vanished = length < kVanishedChord * extent;
  if (vanished) {
    const double apart = b.pose().position.norm();
    result.normal = apart > 0.0 ? Vec2(b.pose().position / apart) : Vec2(1.0, 0.0);
  } else {
    result.normal = -perp(chord) / length;
  }
  double lowest = 0.0;
  double highest = 0.0;
  const auto reach = [&](double height) {
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  };
  for (int i = 1; i < region.size(); ++i) reach(result.normal.dot(region[i].at - origin));
  if (common.has_long_arcs) {
    for (int i = 0; i < region.size(); ++i) {
      if (region[i].arc_to < 0) continue;
      region[i].on_a > 0.0 ? reach_summits(a, region[i], result.normal, origin, reach)
                           : reach_summits(b, region[i], result.normal, origin, reach);
    }
  }
  result.depth = highest - lowest;

  if (vanished) {
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }
  const Vec2 middle =
      common.arcs == 1 ? Vec2(0.5 * chord) : middle_of_arcs(region, origin, result.normal, length, lowest, highest);
  result.chord_begin = origin + (middle - 0.5 * chord);
  result.chord_end = origin + (middle + 0.5 * chord);
  return result;
}

/// The same in b's frame, where a is rounded instead: for when rounding made b concave.
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
  // Most likely they cross where they did.
  if (hint.features.a % 2 == 1 && hint.features.b % 2 == 1 && hint.features.a < 2 * a.size() &&
      hint.features.b < 2 * b.size()) {
    CommonRegion common(b_in_a);
    Overlap found;
    const auto look_there = [&](const auto& moved) {
      const Fixed fixed(a);
      Crossing in = edges(hint.features);
      if (find_near(fixed, moved, true, in) < 0 || !find_from_crossing(fixed, moved, in, hint.leaving, common)) {
        return false;
      }
      hint.features = features(in);
      found = measure(fixed, moved, common);
      return true;
    };
    if (b.size() <= Placed::kMost ? look_there(Placed(b, b_in_a)) : look_there(Moved(b, b_in_a))) return found;
  }
  ClosestFeatures closest = closest_features(a, b, b_in_a, hint.features);
  closest.leaving = hint.leaving;
  const Overlap found = overlap(a, b, b_in_a, closest);
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
    // A crossing at a vertex names it twice.
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
