#include "dem/measure/area_inside.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace scree {

namespace {

/// Area common to the unit disk about the origin and the triangle of the origin, p and q; negative if they lie
/// clockwise.
double common_with_triangle(const Vec2& p, const Vec2& q) {
  const auto sector = [](const Vec2& from, const Vec2& to) { return 0.5 * std::atan2(cross(from, to), from.dot(to)); };
  const Vec2 side = q - p;
  const double a = side.squaredNorm();
  const double b = p.dot(side);
  const double discriminant = b * b - a * (p.squaredNorm() - 1.0);
  if (!(discriminant > 0.0)) return sector(p, q);
  const double enters = (-b - std::sqrt(discriminant)) / a;  // as a fraction of the side
  const double leaves = (-b + std::sqrt(discriminant)) / a;
  if (enters >= 1.0 || leaves <= 0.0) return sector(p, q);
  const Vec2 first = p + std::max(enters, 0.0) * side;
  const Vec2 last = p + std::min(leaves, 1.0) * side;
  return (enters > 0.0 ? sector(p, first) : 0.0) + 0.5 * cross(first, last) + (leaves < 1.0 ? sector(last, q) : 0.0);
}

/// Mean height of a straight line from height a to height b, with heights clamped to [0, top].
double mean_height(double a, double b, double top) {
  const double least = std::clamp(std::min(a, b), 0.0, top);
  const double greatest = std::clamp(std::max(a, b), 0.0, top);
  const auto integral = [&](double y) {
    const double inside = std::clamp(y, 0.0, top);
    return 0.5 * inside * inside + top * std::max(y - top, 0.0);
  };
  if (a == b) return least;
  return std::clamp((integral(b) - integral(a)) / (b - a), least, greatest);
}

}  // namespace

double disk_area_inside(const Vec2& centre, double radius, const Aabb2& box) {
  const Vec2 lo = (box.lo - centre) / radius;
  const Vec2 hi = (box.hi - centre) / radius;
  const std::array<Vec2, 4> corners = {lo, Vec2(hi.x(), lo.y()), hi, Vec2(lo.x(), hi.y())};
  double area = 0.0;
  for (std::size_t k = 0; k < 4; ++k) area += common_with_triangle(corners[k], corners[(k + 1) % 4]);
  return std::max(area, 0.0) * radius * radius;
}

double polygon_area_inside(std::span<const Vec2> outline, const Aabb2& box) {
  const double top = box.hi.y() - box.lo.y();
  double area = 0.0;  // Green's theorem: minus the integral of the height over x along the outline
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec2 p = outline[k] - box.lo;
    const Vec2 q = outline[(k + 1) % outline.size()] - box.lo;
    const double from = std::clamp(p.x(), 0.0, box.hi.x() - box.lo.x());
    const double to = std::clamp(q.x(), 0.0, box.hi.x() - box.lo.x());
    if (from == to) continue;
    const double slope = (q.y() - p.y()) / (q.x() - p.x());
    const double y_from = from == p.x() ? p.y() : p.y() + slope * (from - p.x());
    const double y_to = to == q.x() ? q.y() : p.y() + slope * (to - p.x());
    area -= (to - from) * mean_height(y_from, y_to, top);
  }
  return std::max(area, 0.0);
}

}  // namespace scree
