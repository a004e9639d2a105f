#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

/// The common region of two polygons the slow way, with nothing of the engine's own method: in long double, by
/// collecting the corners it can have and by clipping each edge of a against all of b.
namespace scree::test {

struct Point {
  long double x = 0;
  long double y = 0;
};

inline Point operator+(Point p, Point q) {
  return {p.x + q.x, p.y + q.y};
}
inline Point operator-(Point p, Point q) {
  return {p.x - q.x, p.y - q.y};
}
inline Point operator*(long double s, Point p) {
  return {s * p.x, s * p.y};
}
inline long double cross(Point p, Point q) {
  return p.x * q.y - p.y * q.x;
}
inline long double dot(Point p, Point q) {
  return p.x * q.x + p.y * q.y;
}

inline std::vector<Point> placed(Outline outline, const Pose& pose) {
  std::vector<Point> points;
  const long double c = pose.rotation.cos;
  const long double s = pose.rotation.sin;
  for (const Vec2& v : outline) {
    points.push_back({c * v.x() - s * v.y() + pose.position.x(), s * v.x() + c * v.y() + pose.position.y()});
  }
  return points;
}

inline bool holds(const std::vector<Point>& polygon, Point p) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    if (cross(polygon[(i + 1) % polygon.size()] - from, p - from) < 0) return false;
  }
  return true;
}

struct SlowOverlap {
  long double area = 0;
  Point centroid;
  Point chord;             ///< sum of the chord vectors of the arcs of a
  long double moment = 0;  ///< about the origin, of the force |chord| n at the middle of each arc's chord
  int arcs = 0;            ///< of a inside b; 0 where there is none, or a lies all inside
};

inline SlowOverlap slow_overlap(Outline outline_a, Outline outline_b, const Pose& b_in_a) {
  const std::vector<Point> a = placed(outline_a, {});
  const std::vector<Point> b = placed(outline_b, b_in_a);
  const std::size_t n_a = a.size();
  const std::size_t n_b = b.size();

  std::vector<Point> corners;
  for (const Point& p : a) {
    if (holds(b, p)) corners.push_back(p);
  }
  for (const Point& p : b) {
    if (holds(a, p)) corners.push_back(p);
  }
  for (std::size_t i = 0; i < n_a; ++i) {
    for (std::size_t j = 0; j < n_b; ++j) {
      const Point along_a = a[(i + 1) % n_a] - a[i];
      const Point along_b = b[(j + 1) % n_b] - b[j];
      const long double turn = cross(along_a, along_b);
      if (turn == 0) continue;
      const long double s = cross(b[j] - a[i], along_b) / turn;
      const long double t = cross(b[j] - a[i], along_a) / turn;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) corners.push_back(a[i] + s * along_a);
    }
  }

  SlowOverlap result;
  if (corners.size() >= 3) {
    Point middle;
    for (const Point& p : corners) middle = middle + p;
    middle = (1.0L / static_cast<long double>(corners.size())) * middle;
    std::sort(corners.begin(), corners.end(), [&](const Point& p, const Point& q) {
      return std::atan2(p.y - middle.y, p.x - middle.x) < std::atan2(q.y - middle.y, q.x - middle.x);
    });
    long double doubled = 0;
    Point moment;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point p = corners[i] - middle;
      const Point q = corners[(i + 1) % corners.size()] - middle;
      doubled += cross(p, q);
      moment = moment + cross(p, q) * (p + q);
    }
    result.area = doubled / 2;
    if (doubled > 0) result.centroid = middle + (1 / (3 * doubled)) * moment;
  }

  // Arcs: the part of each edge of a that lies inside b.
  std::vector<bool> starts_inside(n_a);
  std::vector<bool> ends_inside(n_a);
  std::vector<bool> present(n_a);
  for (std::size_t i = 0; i < n_a; ++i) {
    const Point from = a[i];
    const Point along = a[(i + 1) % n_a] - from;
    long double lo = 0;
    long double hi = 1;
    for (std::size_t j = 0; j < n_b; ++j) {
      const Point edge = b[(j + 1) % n_b] - b[j];
      const long double height = cross(edge, from - b[j]);
      const long double slope = cross(edge, along);  // inside where height + t slope >= 0
      if (slope > 0) {
        lo = std::max(lo, -height / slope);
      } else if (slope < 0) {
        hi = std::min(hi, -height / slope);
      } else if (height < 0) {
        hi = -1;
      }
    }
    if (lo >= hi) continue;
    present[i] = true;
    starts_inside[i] = lo == 0;
    ends_inside[i] = hi == 1;
    const Point p = from + lo * along;
    const Point q = from + hi * along;
    result.chord = result.chord + (q - p);
    result.moment -= (dot(q, q) - dot(p, p)) / 2;
  }
  for (std::size_t i = 0; i < n_a; ++i) {
    const std::size_t before = (i + n_a - 1) % n_a;
    const bool continues = present[before] && ends_inside[before] && starts_inside[i];
    if (present[i] && !continues) ++result.arcs;
  }
  return result;
}

}  // namespace scree::test
