#pragma once

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "geometry/closest_features.hpp"
#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

/// What two polygons share and how far apart they are, in rational numbers: no rounding but that of b's vertices in a's
/// frame, which is the engine's own. Nothing of the engine's method: every edge is clipped by all edges of the other.
namespace scree::test {

using Rounded = CGAL::Exact_predicates_inexact_constructions_kernel::Point_2;  // doubles with exact predicates
using ExactKernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Exact = ExactKernel::FT;
using Rational = Exact::ET;

struct ExactPair {
  bool convex = false;                   ///< both outlines, as rounded; if not, nothing else is known
  bool tied = false;                     ///< a vertex of one is on the line of an edge of the other
  bool disjoint = false;                 ///< no point in common, not even of the outlines
  Relation relation = Relation::kApart;  ///< with b shifted by (e, e^2), e = 2^-2000 m
  Rational area = 0;                     ///< of the common region [m^2]
  Vec2 centroid = Vec2::Zero();          ///< of it, rounded [m]
  Vec2 chord = Vec2::Zero();             ///< sum of the chord vectors of the arcs of a, rounded; if not tied [m]
  double distance = 0.0;                 ///< rounded [m]
  double largest_coordinate = 0.0;       ///< of all vertices [m]
  double extent = 0.0;                   ///< of the common region [m]
  std::size_t vertices = 0;              ///< of the outline that has more
  double flattest = 1.0;                 ///< least sine of an angle at which edges cross
};

/// On which side of each edge of p each vertex of q is: 1 left, -1 right, 0 on its line.
class Sides {
 public:
  template <class Point>
  Sides(const std::vector<Point>& p, const std::vector<Point>& q) : edges_(p.size()), vertices_(q.size()) {
    for (std::size_t j = 0; j < edges_; ++j) {
      for (const Point& v : q) signs_.push_back(CGAL::orientation(p[j], p[(j + 1) % edges_], v));
    }
  }
  int of(std::size_t edge, std::size_t vertex) const { return signs_[edge * vertices_ + vertex % vertices_]; }
  bool ties() const { return std::count(signs_.begin(), signs_.end(), 0) > 0; }
  bool all_left() const {
    return std::all_of(signs_.begin(), signs_.end(), [](int sign) { return sign > 0; });
  }
  /// Whether some edge has all vertices on its right (or, if `closed`, on its line).
  bool separate(bool closed) const {
    for (auto row = signs_.begin(); row != signs_.end(); row += static_cast<std::ptrdiff_t>(vertices_)) {
      const auto end = row + static_cast<std::ptrdiff_t>(vertices_);
      if (std::all_of(row, end, [&](int sign) { return sign < 0 || (closed && sign == 0); })) return true;
    }
    return false;
  }

 private:
  std::size_t edges_;
  std::size_t vertices_;
  std::vector<int> signs_;
};

/// Of outlines without ties.
inline Relation relation_of(std::size_t n_a, std::size_t n_b, const Sides& by_a, const Sides& by_b) {
  for (std::size_t i = 0; i < n_a; ++i) {
    for (std::size_t j = 0; j < n_b; ++j) {
      if (by_a.of(i, j) != by_a.of(i, j + 1) && by_b.of(j, i) != by_b.of(j, i + 1)) return Relation::kCrossing;
    }
  }
  if (by_b.all_left()) return Relation::kAInsideB;
  if (by_a.all_left()) return Relation::kBInsideA;
  return Relation::kApart;
}

inline bool strictly_convex(const std::vector<Rounded>& p) {
  int turns = 0;  // how often the direction of the edges comes round
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Rounded& corner = p[(i + 1) % p.size()];
    const Rounded& after = p[(i + 2) % p.size()];
    if (!CGAL::left_turn(p[i], corner, after)) return false;
    turns += CGAL::compare_yx(p[i], corner) == CGAL::LARGER && CGAL::compare_yx(corner, after) == CGAL::SMALLER;
  }
  return turns == 1;
}

/// The part of edge i of p inside q, from lo to hi of its length; empty if lo >= hi.
struct Part {
  Exact lo = 0;
  Exact hi = 0;
};

inline Part clip(const std::vector<Rounded>& p, std::size_t i, const std::vector<Rounded>& q, const Sides& by_q,
                 double& flattest) {
  const auto exact = [](const Rounded& v) { return ExactKernel::Point_2(v.x(), v.y()); };
  const Rounded& start = p[i];
  const Rounded& end = p[(i + 1) % p.size()];
  const ExactKernel::Vector_2 along = exact(end) - exact(start);
  Part part{0, 1};
  for (std::size_t j = 0; j < q.size(); ++j) {
    const int before = by_q.of(j, i);
    const int after = by_q.of(j, i + 1);
    if (before >= 0 && after >= 0) continue;
    if (before <= 0 && after <= 0) return {};
    const ExactKernel::Vector_2 line = exact(q[(j + 1) % q.size()]) - exact(q[j]);
    const Exact height = CGAL::determinant(line, exact(start) - exact(q[j]));
    const Exact turn = CGAL::determinant(along, line);
    const Exact t = height / turn;
    if (before < 0 && t > part.lo) part.lo = t;
    if (before > 0 && t < part.hi) part.hi = t;
    const double lengths = std::sqrt(CGAL::to_double(line.squared_length()) * CGAL::to_double(along.squared_length()));
    flattest = std::min(flattest, std::abs(CGAL::to_double(turn)) / lengths);
  }
  return part;
}

/// The area by Green's theorem from the parts of the outlines that bound the common region.
inline void measure(const std::vector<Rounded>& a, const std::vector<Rounded>& b, const Sides& by_a, const Sides& by_b,
                    ExactPair& result) {
  Rational doubled_area = 0;
  Rational moment_x = 0;
  Rational moment_y = 0;
  double lo[2] = {HUGE_VAL, HUGE_VAL};
  double hi[2] = {-HUGE_VAL, -HUGE_VAL};
  const auto add = [&](const std::vector<Rounded>& p, std::size_t i, const Part& part) {
    const Rounded& end = p[(i + 1) % p.size()];
    const Rational x = p[i].x();
    const Rational y = p[i].y();
    const Rational along_x = Rational(end.x()) - x;
    const Rational along_y = Rational(end.y()) - y;
    const Rational length = part.hi.exact() - part.lo.exact();
    const Rational middle = part.hi.exact() + part.lo.exact();
    const Rational c = length * (x * along_y - y * along_x);
    doubled_area += c;
    moment_x += c * (2 * x + middle * along_x);
    moment_y += c * (2 * y + middle * along_y);
    const double vector[2] = {CGAL::to_double(along_x), CGAL::to_double(along_y)};
    const double from[2] = {p[i].x(), p[i].y()};
    for (const double t : {CGAL::to_double(part.lo), CGAL::to_double(part.hi)}) {
      for (const int k : {0, 1}) {
        lo[k] = std::min(lo[k], from[k] + t * vector[k]);
        hi[k] = std::max(hi[k], from[k] + t * vector[k]);
      }
    }
    return Vec2(CGAL::to_double(length * along_x), CGAL::to_double(length * along_y));
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Part part = clip(a, i, b, by_b, result.flattest);
    if (part.lo < part.hi) result.chord += add(a, i, part);
  }
  for (std::size_t j = 0; j < b.size(); ++j) {
    // What an edge of a shares with it has been added; if they run against each other, the two cancel.
    const auto shared = [&](std::size_t i) {
      if (by_b.of(j, i) != 0 || by_b.of(j, i + 1) != 0) return false;
      const auto direction = [](const std::vector<Rounded>& p, std::size_t k) { return p[(k + 1) % p.size()] - p[k]; };
      return CGAL::angle(direction(a, i), direction(b, j)) == CGAL::ACUTE;
    };
    bool is_shared = false;
    for (std::size_t i = 0; i < a.size(); ++i) is_shared = is_shared || shared(i);
    if (is_shared) continue;
    const Part part = clip(b, j, a, by_a, result.flattest);
    if (part.lo < part.hi) add(b, j, part);
  }
  result.area = doubled_area / 2;
  result.centroid = {CGAL::to_double(Rational(moment_x / (3 * doubled_area))),
                     CGAL::to_double(Rational(moment_y / (3 * doubled_area)))};
  result.extent = std::max(hi[0] - lo[0], hi[1] - lo[1]);
}

/// The least of all distances from an edge of p to a vertex of q; those that doubles tell to be larger are left out.
inline double least_distance(const std::vector<Rounded>& p, const std::vector<Rounded>& q, double size, double least) {
  const auto exact = [](const Rounded& v) { return ExactKernel::Point_2(v.x(), v.y()); };
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Rounded& start = p[i];
    const Rounded& end = p[(i + 1) % p.size()];
    const double x = end.x() - start.x();
    const double y = end.y() - start.y();
    const double squared_length = x * x + y * y;
    for (const Rounded& v : q) {
      const double t = std::clamp(((v.x() - start.x()) * x + (v.y() - start.y()) * y) / squared_length, 0.0, 1.0);
      if (std::hypot(v.x() - start.x() - t * x, v.y() - start.y() - t * y) > least + 1e-13 * size) continue;
      const Exact squared = CGAL::squared_distance(ExactKernel::Segment_2(exact(start), exact(end)), exact(v));
      least = std::min(least, std::sqrt(CGAL::to_double(squared.exact())));
    }
  }
  return least;
}

inline ExactPair exact_pair(Outline outline_a, Outline outline_b, const Pose& b_in_a) {
  std::vector<Rounded> a;
  std::vector<Rounded> b;
  ExactPair result;
  const auto add = [&](std::vector<Rounded>& p, const Vec2& v) {
    p.emplace_back(v.x(), v.y());
    result.largest_coordinate = std::max(result.largest_coordinate, v.cwiseAbs().maxCoeff());
  };
  for (const Vec2& v : outline_a) add(a, v);
  for (const Vec2& v : outline_b) add(b, b_in_a * v);
  result.vertices = std::max(a.size(), b.size());
  result.convex = strictly_convex(a) && strictly_convex(b);
  if (!result.convex) return result;

  const Sides by_a(a, b);
  const Sides by_b(b, a);
  result.tied = by_a.ties() || by_b.ties();
  result.disjoint = by_a.separate(false) || by_b.separate(false);
  if (result.disjoint) {
    const double infinity = std::numeric_limits<double>::infinity();
    result.distance = least_distance(a, b, result.largest_coordinate, infinity);
    result.distance = least_distance(b, a, result.largest_coordinate, result.distance);
    return result;
  }

  if (result.tied) {
    static const Exact e = [] {
      Exact power = 1;
      for (int i = 0; i < 2000; ++i) power /= 2;
      return Exact(power.exact());
    }();
    std::vector<ExactKernel::Point_2> fixed;
    std::vector<ExactKernel::Point_2> shifted;
    for (const Rounded& v : a) fixed.emplace_back(v.x(), v.y());
    for (const Rounded& v : b) shifted.emplace_back(v.x() + e, v.y() + e * e);
    result.relation = relation_of(a.size(), b.size(), Sides(fixed, shifted), Sides(shifted, fixed));
  } else {
    result.relation = relation_of(a.size(), b.size(), by_a, by_b);
  }
  if (!by_a.separate(true) && !by_b.separate(true)) measure(a, b, by_a, by_b, result);
  return result;
}

}  // namespace scree::test
