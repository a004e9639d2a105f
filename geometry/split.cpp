#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

#include "geometry/tolerances.hpp"
#include "geometry/union.hpp"

namespace scree {

namespace {

std::string named(const Vec2& point) {
  std::ostringstream text;
  text << "(" << point.x() << ", " << point.y() << ")";
  return text.str();
}

double distance(const Vec2& point, const Vec2& a, const Vec2& b) {
  const Vec2 way = b - a;
  const double part = std::clamp(way.dot(point - a) / way.squaredNorm(), 0.0, 1.0);
  return (point - (a + part * way)).norm();
}

bool crosses(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const auto side = [](const Vec2& p, const Vec2& q, const Vec2& r) { return cross(q - p, r - p); };
  return side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
}

/// Counter-clockwise from the lowest of the leftmost corners, so that it does not matter with which corner a list
/// begins and in which sense it goes: what is split depends on the order.
std::vector<Vec2> in_one_order(std::span<const Vec2> points) {
  std::vector<Vec2> corners;
  for (const Vec2& point : points) {
    if (corners.empty() || point != corners.back()) corners.push_back(point);
  }
  while (corners.size() > 1 && corners.back() == corners.front()) corners.pop_back();
  const auto first =
      std::ranges::min_element(corners, {}, [](const Vec2& corner) { return std::pair(corner.x(), corner.y()); });
  std::rotate(corners.begin(), first, corners.end());
  double doubled = 0.0;
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    doubled += cross(corners[k] - corners[0], corners[k + 1] - corners[0]);
  }
  if (doubled < 0.0) std::reverse(corners.begin() + 1, corners.end());
  return corners;
}

/// Without points that repeat their neighbour or lie on the line through both; in one order.
std::vector<Vec2> cleaned(std::span<const Vec2> points, double same) {
  std::vector<Vec2> corners = in_one_order(points);
  for (bool changed = true; changed && corners.size() >= 3;) {
    changed = false;
    for (std::size_t k = 0; k < corners.size() && corners.size() >= 3; ++k) {
      const std::size_t n = corners.size();
      const Vec2& last = corners[(k + n - 1) % n];
      const Vec2& next = corners[(k + 1) % n];
      const bool repeats = (next - corners[k]).norm() <= same;
      const Vec2 in = corners[k] - last;
      const Vec2 out = next - corners[k];
      const bool is_straight = in.dot(out) > 0.0 && std::abs(cross(in, out)) <= same * (next - last).norm();
      if (!repeats && !is_straight) continue;
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(k));
      changed = true;
      --k;
    }
  }
  return corners;
}

void require_simple(const std::vector<Vec2>& corners, double same) {
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& a = corners[i];
    const Vec2& b = corners[(i + 1) % n];
    if (distance(corners[(i + 2) % n], a, b) <= same) {
      throw GeometryError("the outline turns back on itself at " + named(b));
    }
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;  // neighbours
      const Vec2& c = corners[j];
      const Vec2& d = corners[(j + 1) % n];
      if (crosses(a, b, c, d) || distance(a, c, d) <= same || distance(b, c, d) <= same || distance(c, a, b) <= same ||
          distance(d, a, b) <= same) {
        throw GeometryError("the outline meets itself: its side from " + named(a) + " to " + named(b) +
                            " and that from " + named(c) + " to " + named(d));
      }
    }
  }
}

using Indices = std::vector<std::size_t>;

bool is_inside(const Vec2& point, const Vec2& a, const Vec2& b, const Vec2& c) {
  return cross(b - a, point - a) >= 0.0 && cross(c - b, point - b) >= 0.0 && cross(a - c, point - c) >= 0.0;
}

/// Triangles, by ears: of all ears the one whose corner is farthest from the diagonal, in its lengths.
std::vector<Indices> triangles_of(const std::vector<Vec2>& corners) {
  Indices left(corners.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<Indices> triangles;
  while (left.size() > 3) {
    const std::size_t n = left.size();
    std::size_t best = n;
    double thickest = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const Vec2& a = corners[left[(k + n - 1) % n]];
      const Vec2& b = corners[left[k]];
      const Vec2& c = corners[left[(k + 1) % n]];
      const double doubled = cross(b - a, c - b);
      if (!(doubled > 0.0)) continue;
      const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
      const double thickness = doubled / longest;
      if (thickness <= thickest) continue;
      const bool is_ear = std::ranges::none_of(left, [&](std::size_t other) {
        const Vec2& point = corners[other];
        return point != a && point != b && point != c && is_inside(point, a, b, c);
      });
      if (!is_ear) continue;
      best = k;
      thickest = thickness;
    }
    if (best == n) throw GeometryError("the outline cannot be split into convex parts: it nearly meets itself");
    triangles.push_back({left[(best + n - 1) % n], left[best], left[(best + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  triangles.push_back(left);
  return triangles;
}

/// Two parts without the side that they share, if that is convex; else empty.
Indices merged(const std::vector<Vec2>& corners, const Indices& a, const Indices& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t from = a[i];
    const std::size_t to = a[(i + 1) % a.size()];
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j] != to || b[(j + 1) % b.size()] != from) continue;
      Indices both;
      for (std::size_t k = 1; k <= a.size(); ++k) both.push_back(a[(i + k) % a.size()]);  // to ... from
      for (std::size_t k = 2; k < b.size(); ++k) both.push_back(b[(j + k) % b.size()]);   // behind from ... to
      const std::size_t n = both.size();
      for (std::size_t k = 0; k < n; ++k) {
        const Vec2& p = corners[both[k]];
        const Vec2& q = corners[both[(k + 1) % n]];
        const Vec2& r = corners[both[(k + 2) % n]];
        if (cross(q - p, r - q) < 0.0) return {};
      }
      return both;
    }
  }
  return {};
}

double length_of_common_side(const std::vector<Vec2>& corners, const Indices& a, const Indices& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j] == a[(i + 1) % a.size()] && b[(j + 1) % b.size()] == a[i]) return (corners[a[i]] - corners[b[j]]).norm();
    }
  }
  return 0.0;
}

}  // namespace

std::vector<std::vector<Vec2>> split_into_convex(std::span<const Vec2> points) {
  Vec2 lo = points.empty() ? Vec2::Zero() : points.front();
  Vec2 hi = lo;
  for (const Vec2& point : points) {
    if (!point.allFinite()) throw GeometryError("a corner is not finite");
    lo = lo.cwiseMin(point);
    hi = hi.cwiseMax(point);
  }
  const double largest = std::max(lo.cwiseAbs().maxCoeff(), hi.cwiseAbs().maxCoeff());
  const double same = std::max(1e-9 * (hi - lo).maxCoeff(), kDifferenceRounding * largest);
  const std::vector<Vec2> corners = cleaned(points, same);
  if (corners.size() < 3) throw GeometryError("the outline has no area");
  require_simple(corners, same);
  std::vector<Indices> parts = triangles_of(corners);
  // The longest diagonals first.
  for (bool changed = true; changed;) {
    changed = false;
    double longest = 0.0;
    std::size_t one = 0;
    std::size_t other = 0;
    Indices together;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = i + 1; j < parts.size(); ++j) {
        const double length = length_of_common_side(corners, parts[i], parts[j]);
        if (length <= longest) continue;
        Indices both = merged(corners, parts[i], parts[j]);
        if (both.empty()) continue;
        longest = length;
        one = i;
        other = j;
        together = std::move(both);
      }
    }
    if (together.empty()) break;
    parts[one] = std::move(together);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(other));
    changed = true;
  }
  std::vector<std::vector<Vec2>> polygons;
  for (const Indices& part : parts) {
    std::vector<Vec2> polygon;
    for (const std::size_t k : part) polygon.push_back(corners[k]);
    polygons.push_back(std::move(polygon));
  }
  return polygons;
}

}  // namespace scree
