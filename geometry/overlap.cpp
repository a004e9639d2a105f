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

/// A sum of chord vectors shorter than this part of the region's extent has vanished (containment) up to rounding.
constexpr double kVanishedChord = 1e-12;

/// A corner of the common region, and what the edge that leaves it lies on: 1 the outline of a, 0 that of b.
struct Corner {
  Vec2 at;
  double on_a;
};

/// The corners of the common region, counter-clockwise: a ring that starts where its first corner is set.
class Region {
 public:
  Region() : corners_(few_) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  void add(const Vec2& at, double on_a) {
    if (size_ == capacity_) make_room();
    corners_[size_++] = {at, on_a};
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

/// What the polygons share, and the largest coordinate that took part.
struct CommonRegion {
  Region region{};
  double largest_coordinate;
};

/// Where edge i of a and edge j of b cross. Nearly parallel edges cross somewhere in what they have in common.
Vec2 point_of(const Fixed& a, const Moved& b, Crossing at, double& largest) {
  const Vec2& start = a[at.on_p];
  const Vec2& end = a[next(a, at.on_p)];
  const Vec2 from = b[at.on_q];
  const Vec2 to = b[next(b, at.on_q)];
  const Vec2 along = end - start;
  const double before = cross(along, from - start);
  const double after = cross(along, to - start);
  // Rounding may have taken the signs of both heights, even made them equal.
  const double t = before == after ? 0.5 : std::clamp(before / (before - after), 0.0, 1.0);
  const Vec2 point = from + t * (to - from);
  largest = std::max({largest, start.cwiseAbs().maxCoeff(), end.cwiseAbs().maxCoeff(), from.cwiseAbs().maxCoeff(),
                      to.cwiseAbs().maxCoeff()});
  return point.cwiseMax(start.cwiseMin(end)).cwiseMin(start.cwiseMax(end));
}

/// Walks around the common region from a crossing: along a where a comes into b, until a goes out again, along b until
/// that goes out, and so on. The first corner is where a comes in, at its lowest edge that does.
/// @param at a crossing; becomes one where a comes in
/// @return false if the walk does not close: rounding has made b concave
bool walk_around(const Fixed& a, const Moved& b, Crossing& at, CommonRegion& common) {
  Region& region = common.region;
  if (is_left<Moved>(b[at.on_q], b[next(b, at.on_q)], a[at.on_p])) {  // a goes out, so b comes in
    const Crossing out = follow(b, a, {at.on_q, at.on_p}, [](const Vec2&) {});
    if (out.on_p < 0) return false;
    at = {out.on_q, out.on_p};
  }
  Crossing first = at;
  int first_corner = 0;
  Crossing here = at;
  do {
    if (here.on_p < first.on_p) {
      first = here;
      first_corner = region.size();
    }
    region.add(point_of(a, b, here, common.largest_coordinate), 1.0);
    here = follow(a, b, here, [&](const Vec2& v) { region.add(v, 1.0); });
    if (here.on_p < 0) return false;
    region.add(point_of(a, b, here, common.largest_coordinate), 0.0);
    const Crossing out = follow(b, a, {here.on_q, here.on_p}, [&](const Vec2& v) { region.add(v, 0.0); });
    if (out.on_p < 0 || region.size() > a.size() + b.size()) return false;
    here = {out.on_q, out.on_p};
  } while (here != at);
  if (first_corner > 0) region.set_first(first_corner);
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

/// @return false if rounding has made b concave
bool find_common_region(Outline outline_a, Outline outline_b, const Pose& b_in_a, ClosestFeatures& closest,
                        CommonRegion& common) {
  const Fixed a(outline_a);
  const Moved b(outline_b, b_in_a);
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
  Crossing at{static_cast<int>(closest.features.a / 2), static_cast<int>(closest.features.b / 2)};
  const bool closed = walk_around(a, b, at, common);
  closest.features = {static_cast<Feature>(2 * at.on_p + 1), static_cast<Feature>(2 * at.on_q + 1)};
  return closed;
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
  double delta_squares = 0.0;
  double delta_product = 0.0;
  double from_label = region.back().on_a;
  for (int i = 0; i < region.size(); ++i) {
    const double end = from_label - region[i].on_a;
    const double s = tangent.dot(region[i].at - origin);
    const double h = normal.dot(region[i].at - origin);
    delta_squares += end * (s * s + h * h);
    delta_product += end * (s * h);
    from_label = region[i].on_a;
  }
  return 0.5 * delta_squares / chord * tangent + std::clamp(delta_product / chord, lowest, highest) * normal;
}

/// @param rounding a region no thicker than this is none [m]
Overlap measure(const Region& region, double rounding, const Vec2& towards) {
  Overlap result;
  // All sums are about vertex 0, so that a region far smaller than the polygons keeps its digits.
  const Vec2 origin = region[0].at;
  double doubled_area = 0.0;
  Vec2 moment = Vec2::Zero();
  Vec2 lo = Vec2::Zero();
  Vec2 hi = Vec2::Zero();
  Vec2 chord = Vec2::Zero();    // ends of arcs of a minus their begins
  Vec2 crossed = Vec2::Zero();  // ends plus begins
  double crossings = 0.0;
  Vec2 from = region.back().at - origin;
  double from_label = region.back().on_a;
  for (int i = 0; i < region.size(); ++i) {
    const Vec2 to = region[i].at - origin;
    const double c = cross(from, to);
    doubled_area += c;
    moment += c * (from + to);
    lo = lo.cwiseMin(to);
    hi = hi.cwiseMax(to);
    const double end = from_label - region[i].on_a;  // 1 where an arc of a ends, -1 where one begins, else 0
    chord += end * to;
    crossed += end * end * to;
    crossings += end * end;
    from = to;
    from_label = region[i].on_a;
  }

  const double extent = (hi - lo).maxCoeff();
  if (!(0.5 * doubled_area > rounding * extent)) return result;
  result.area = 0.5 * doubled_area;
  result.centroid = origin + (moment / (3.0 * doubled_area)).cwiseMax(lo).cwiseMin(hi);

  const double length = chord.norm();
  const bool vanished = length < kVanishedChord * extent;
  if (vanished) {
    const double apart = towards.norm();
    result.normal = apart > 0.0 ? Vec2(towards / apart) : Vec2(1.0, 0.0);
  } else {
    result.normal = -perp(chord) / length;
  }
  double lowest = 0.0;
  double highest = 0.0;
  for (int i = 1; i < region.size(); ++i) {
    const double height = result.normal.dot(region[i].at - origin);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  result.depth = highest - lowest;

  if (vanished) {
    result.chord_begin = result.chord_end = result.centroid;
    return result;
  }
  const bool one_arc = crossings == 2.0;
  const Vec2 middle =
      one_arc ? Vec2(0.5 * crossed) : middle_of_arcs(region, origin, result.normal, length, lowest, highest);
  result.chord_begin = origin + (middle - 0.5 * chord);
  result.chord_end = origin + (middle + 0.5 * chord);
  return result;
}

/// The common region's corners in a's frame, found in b's, where a is rounded instead: for when rounding made b
/// concave.
void find_from_other_side(Outline a, Outline b, const Pose& b_in_a, CommonRegion& common) {
  const Pose a_in_b = b_in_a.inverse();
  ClosestFeatures closest = closest_features(b, a, a_in_b, {});
  CommonRegion seen{.largest_coordinate = 0.0};
  find_common_region(b, a, a_in_b, closest, seen);
  common.region.clear();
  int first = 0;  // where a comes in
  for (int i = 0; i < seen.region.size(); ++i) {
    const Corner& corner = seen.region[i];
    common.region.add(b_in_a * corner.at, 1.0 - corner.on_a);
    if (first == 0 && i > 0 && corner.on_a < seen.region[i - 1].on_a) first = i;
  }
  common.region.set_first(first);
  common.largest_coordinate = std::max(common.largest_coordinate, seen.largest_coordinate);
}

void find(Outline a, Outline b, const Pose& b_in_a, ClosestFeatures& closest, CommonRegion& common) {
  if (!find_common_region(a, b, b_in_a, closest, common)) find_from_other_side(a, b, b_in_a, common);
}

Overlap measure(const CommonRegion& common, const Pose& b_in_a) {
  if (common.region.size() == 0) return {};
  const double rounding = std::numeric_limits<double>::epsilon() * common.largest_coordinate;
  return measure(common.region, kRoundings * rounding, b_in_a.position);
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

Overlap overlap(Outline a, Outline b, const Pose& b_in_a, ClosestFeatures& closest) {
  CommonRegion common{.largest_coordinate = b_in_a.position.cwiseAbs().maxCoeff()};
  find(a, b, b_in_a, closest, common);
  return measure(common, b_in_a);
}

Overlap overlap(Outline a, Outline b, const Pose& b_in_a) {
  ClosestFeatures closest = closest_features(a, b, b_in_a, {});
  return overlap(a, b, b_in_a, closest);
}

std::vector<Vec2> overlap_polygon(Outline a, Outline b, const Pose& b_in_a, FeaturePair hint) {
  std::vector<Vec2> vertices;
  ClosestFeatures closest = closest_features(a, b, b_in_a, hint);
  CommonRegion common{.largest_coordinate = b_in_a.position.cwiseAbs().maxCoeff()};
  find(a, b, b_in_a, closest, common);
  if (!measure(common, b_in_a).touching()) return vertices;
  for (int i = 0; i < common.region.size(); ++i) {
    const Vec2& v = common.region[i].at;
    // A crossing at a vertex names it twice.
    if (vertices.empty() || (v != vertices.back() && v != vertices.front())) vertices.push_back(v);
  }
  return vertices;
}

}  // namespace scree
