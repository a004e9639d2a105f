#include "geometry/polygon.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>

#include "geometry/elementary.hpp"
#include "geometry/tolerances.hpp"

namespace scree {
namespace {

/// A point of the input, relative to the first one, and its number in the input for error messages.
struct Corner {
  Vec2 at;
  std::size_t number;
};
using Corners = std::vector<Corner>;

std::string named(std::span<const Vec2> points, std::size_t number) {
  std::ostringstream text;
  text << "vertex " << number << " (" << points[number].x() << ", " << points[number].y() << ")";
  return text.str();
}

void require_finite(std::span<const Vec2> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) throw GeometryError(named(points, i) + ": not finite");
  }
}

Aabb2 box_around(std::span<const Vec2> points) {
  Aabb2 box{points.front(), points.front()};
  for (const Vec2& p : points) box.extend(p);
  return box;
}

/// Whether the outline is straight at q (the tip of a spike, where it turns back, is not).
bool runs_straight(const Vec2& p, const Vec2& q, const Vec2& r, double tolerance) {
  const Vec2 in = q - p;
  const Vec2 out = r - q;
  return in.dot(out) > 0.0 && std::abs(cross(in, out)) <= tolerance * (r - p).norm();
}

Corners without_duplicates(const Corners& all, double tolerance) {
  Corners kept;
  kept.reserve(all.size());
  for (const Corner& c : all) {
    if (kept.empty() || (c.at - kept.back().at).norm() > tolerance) kept.push_back(c);
  }
  while (kept.size() > 1 && (kept.back().at - kept.front().at).norm() <= tolerance) kept.pop_back();
  return kept;
}

Corners without_straight_corners(const Corners& all, double tolerance) {
  Corners kept;
  kept.reserve(all.size());
  for (const Corner& c : all) {
    while (kept.size() > 1 && runs_straight(kept[kept.size() - 2].at, kept.back().at, c.at, tolerance)) kept.pop_back();
    kept.push_back(c);
  }
  // At the closing vertex, where removing one end may straighten the other.
  std::size_t first = 0;
  for (bool changed = true; changed && kept.size() - first > 2;) {
    changed = false;
    if (runs_straight(kept[kept.size() - 2].at, kept.back().at, kept[first].at, tolerance)) {
      kept.pop_back();
      changed = true;
    } else if (runs_straight(kept.back().at, kept[first].at, kept[first + 1].at, tolerance)) {
      ++first;
      changed = true;
    }
  }
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first));
  return kept;
}

double twice_area(const Corners& corners) {
  double sum = 0.0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    sum += cross(corners[i].at, corners[(i + 1) % corners.size()].at);
  }
  return sum;
}

void require_convex(std::span<const Vec2> points, const Corners& corners) {
  const std::size_t n = corners.size();
  const auto leads_up = [](const Vec2& e) { return e.y() > 0.0 || (e.y() == 0.0 && e.x() > 0.0); };
  int turns = 0;  // number of turns of the edges' direction
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& corner = corners[(i + 1) % n];
    const Vec2 in = corner.at - corners[i].at;
    const Vec2 out = corners[(i + 2) % n].at - corner.at;
    if (!(cross(in, out) > 0.0)) {
      throw GeometryError(named(points, corner.number) +
                          ": the outline turns the wrong way there; a polygon must be convex");
    }
    turns += !leads_up(in) && leads_up(out) ? 1 : 0;
  }
  if (turns != 1) {
    throw GeometryError("the outline winds more than once (" + std::to_string(turns) +
                        " times) around the inside; a polygon must not cross itself");
  }
}

/// The corners of the outline, counter-clockwise and relative to the first point.
Corners corners_of(std::span<const Vec2> points) {
  if (points.size() < 3) {
    throw GeometryError("fewer than 3 distinct vertices: a polygon of " + std::to_string(points.size()) + " points");
  }
  require_finite(points);
  const Aabb2 box = box_around(points);
  const double extent = Vec2(box.hi - box.lo).maxCoeff();
  if (!std::isfinite(extent)) throw GeometryError("the extent of the polygon is not finite");

  // Far from the origin the rounding of the points limits their accuracy.
  const double largest = std::max(box.lo.cwiseAbs().maxCoeff(), box.hi.cwiseAbs().maxCoeff());
  const double tolerance = std::max(1e-9 * extent, kDifferenceRounding * largest);
  Corners all;
  all.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) all.push_back({points[i] - points[0], i});

  Corners corners = without_straight_corners(without_duplicates(all, tolerance), tolerance);
  if (corners.size() < 3) {
    throw GeometryError("fewer than 3 distinct vertices: of " + std::to_string(points.size()) + " points only " +
                        std::to_string(corners.size()) + " are left, the others repeat them or lie on their line");
  }
  if (twice_area(corners) < 0.0) std::reverse(corners.begin() + 1, corners.end());
  require_convex(points, corners);
  return corners;
}

struct AreaAndCentroid {
  double area;
  Vec2 centroid;
};

AreaAndCentroid area_and_centroid(const Outline& outline) {
  const std::size_t n = outline.size();
  double doubled = 0.0;
  Vec2 moment = Vec2::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& p = outline[i];
    const Vec2& q = outline[(i + 1) % n];
    doubled += cross(p, q);
    moment += cross(p, q) * (p + q);
  }
  return {0.5 * doubled, moment / (3.0 * doubled)};
}

/// Integral of r^2 dA about the origin, triangle by triangle.
double polar_moment(const Outline& outline) {
  const std::size_t n = outline.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& p = outline[i];
    const Vec2& q = outline[(i + 1) % n];
    sum += cross(p, q) * (p.squaredNorm() + p.dot(q) + q.squaredNorm());
  }
  return sum / 12.0;
}

}  // namespace

Polygon::Polygon(std::span<const Vec2> points) {
  const Corners corners = corners_of(points);
  vertices_.reserve(corners.size());
  for (const Corner& c : corners) vertices_.push_back(c.at);

  // Two passes: the second one, about the centroid found, removes the rounding error of the first.
  Vec2 centroid = Vec2::Zero();
  for (int pass = 0; pass < 2; ++pass) {
    const Vec2 step = area_and_centroid(vertices_).centroid;
    for (Vec2& v : vertices_) v -= step;
    centroid += step;
  }
  centroid_ = points[0] + centroid;
  area_ = area_and_centroid(vertices_).area;
  second_moment_ = polar_moment(vertices_);
  if (!(area_ > 0.0) || !std::isfinite(area_) || !(second_moment_ > 0.0) || !std::isfinite(second_moment_)) {
    std::ostringstream text;
    text << "the area vanishes or is too large: area " << area_ << ", second moment " << second_moment_;
    throw GeometryError(text.str());
  }

  append_arc_sums(vertices_, sums_);
  inner_radius_ = scree::inner_radius(vertices());
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    bounding_radius_ = std::max(bounding_radius_, vertices_[i].norm());
    longest_side_ = std::max(longest_side_, (vertices_[(i + 1) % vertices_.size()] - vertices_[i]).norm());
  }
}

double inner_radius(const Outline& outline) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2& p = outline[i];
    const Vec2 edge = outline[i + 1 < outline.size() ? i + 1 : 0] - p;
    least = std::min(least, cross(p, edge) / edge.norm());
  }
  return least;
}

Polygon Polygon::scaled(double factor) const {
  assert(factor > 0.0);
  Polygon result = *this;
  for (Vec2& v : result.vertices_) v *= factor;
  result.sums_.clear();
  append_arc_sums(result.vertices_, result.sums_);
  result.centroid_ *= factor;
  result.area_ *= factor * factor;
  result.second_moment_ *= factor * factor * factor * factor;
  result.bounding_radius_ *= factor;
  result.inner_radius_ *= factor;
  result.longest_side_ *= factor;
  return result;
}

double equivalent_diameter(double area) {
  return 2.0 * std::sqrt(area / std::numbers::pi);
}

namespace {

/// A number of twice the digits of double, the sum of two: the same on every processor, which `long double` is not.
/// Source: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971).
class TwoDoubles {
 public:
  TwoDoubles() = default;
  TwoDoubles(double high, double low) : high_(high + low), low_((high - high_) + low) {}
  static TwoDoubles sum(double a, double b) {
    const double all = a + b;
    const double part = all - a;
    return {all, (a - (all - part)) + (b - part)};
  }
  static TwoDoubles product(double a, double b) {
    const double a_high = elementary::upper_half<1>(a).value;
    const double b_high = elementary::upper_half<1>(b).value;
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double all = a * b;
    return {all, ((a_high * b_high - all) + (a_high * b_low + a_low * b_high)) + a_low * b_low};
  }
  TwoDoubles operator-() const { return {-high_, -low_}; }
  TwoDoubles operator+(const TwoDoubles& other) const {
    const TwoDoubles high = sum(high_, other.high_);
    return {high.high_, high.low_ + (low_ + other.low_)};
  }
  TwoDoubles operator*(const TwoDoubles& other) const {
    const TwoDoubles high = product(high_, other.high_);
    return {high.high_, high.low_ + (high_ * other.low_ + low_ * other.high_)};
  }
  double rounded() const { return high_; }

 private:
  double high_ = 0.0;
  double low_ = 0.0;
};

}  // namespace

void append_arc_sums(const Outline& outline, std::vector<ArcSum>& sums) {
  if (outline.size() <= kMostUnsummed) return;
  TwoDoubles doubled_area;  // the rounding error of a long sum would exceed the area of a shallow arc
  TwoDoubles moment_x;
  TwoDoubles moment_y;
  sums.emplace_back();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2& p = outline[i];
    const Vec2& q = outline[i + 1 == outline.size() ? 0 : i + 1];
    const TwoDoubles c = TwoDoubles::product(p.x(), q.y()) + -TwoDoubles::product(p.y(), q.x());
    doubled_area = doubled_area + c;
    moment_x = moment_x + c * TwoDoubles::sum(p.x(), q.x());
    moment_y = moment_y + c * TwoDoubles::sum(p.y(), q.y());
    sums.push_back({doubled_area.rounded(), {moment_x.rounded(), moment_y.rounded()}});
  }
}

namespace {

/// Steps along the outline from vertex i while `height` increases: it has a single maximum. @return this maximum
template <class Height>
double climb(std::size_t vertices, std::uint32_t& i, Height height) {
  const auto n = static_cast<std::uint32_t>(vertices);
  if (i >= n) i = 0;
  const auto next = [n](std::uint32_t k) { return k + 1 == n ? 0 : k + 1; };
  const auto previous = [n](std::uint32_t k) { return k == 0 ? n - 1 : k - 1; };
  double highest = height(i);
  // Most likely it is there already, and its neighbours are beside it.
  if (i > 0 && i + 1 < n && height(i + 1) < highest && height(i - 1) < highest) [[likely]]
    return highest;
  const auto go = [&](auto neighbour) {
    for (std::uint32_t gone = 0; gone < n; ++gone) {  // equal heights: only at the maximum and the minimum
      const std::uint32_t there = neighbour(i);
      const double height_there = height(there);
      if (height_there < highest) return;
      highest = height_there;
      i = there;
    }
  };
  go(next);
  go(previous);
  return highest;
}

}  // namespace

Aabb2 bounds(const Outline& outline, const Pose& pose, Extremes& extremes) {
  assert(!outline.empty());
  constexpr std::size_t kFew = 12;
  if (outline.size() <= kFew) return bounds(outline, pose);  // a loop over all vertices is faster than four searches
  const Rotation& turn = pose.rotation;
  const auto x = [&](std::uint32_t i) { return turn.cos * outline[i].x() - turn.sin * outline[i].y(); };
  const auto y = [&](std::uint32_t i) { return turn.sin * outline[i].x() + turn.cos * outline[i].y(); };
  const double right = climb(outline.size(), extremes[0], x);
  const double up = climb(outline.size(), extremes[1], y);
  const double left = -climb(outline.size(), extremes[2], [&](std::uint32_t i) { return -x(i); });
  const double down = -climb(outline.size(), extremes[3], [&](std::uint32_t i) { return -y(i); });
  return Aabb2{{left, down}, {right, up}}.shifted(pose.position);
}

Aabb2 bounds(const Outline& outline, const Pose& pose) {
  assert(!outline.empty());
  const Vec2 first = pose.rotation * outline.front();
  Aabb2 box{first, first};
  for (const Vec2& v : outline) box.extend(pose.rotation * v);
  return box.shifted(pose.position);
}

}  // namespace scree
