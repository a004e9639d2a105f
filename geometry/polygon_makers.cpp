#include "geometry/polygon_makers.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include "geometry/deterministic_math.hpp"

namespace scree {

Polygon regular_polygon(int vertices, double circumradius) {
  assert(vertices >= 3 && circumradius > 0.0);
  std::vector<Vec2> points;
  points.reserve(static_cast<std::size_t>(vertices));
  for (int i = 0; i < vertices; ++i) {
    const auto [sin, cos] = deterministic::sincos(2.0 * std::numbers::pi * i / vertices);
    points.emplace_back(circumradius * cos, circumradius * sin);
  }
  return Polygon(points);
}

Polygon rectangle(double width, double height) {
  assert(width > 0.0 && height > 0.0);
  const double x = 0.5 * width;
  const double y = 0.5 * height;
  return Polygon(std::array{Vec2(-x, -y), Vec2(x, -y), Vec2(x, y), Vec2(-x, y)});
}

Polygon random_convex_polygon(int vertices, double aspect, const std::function<double()>& uniform) {
  assert(vertices >= 3 && aspect >= 1.0);
  const Rotation turn = Rotation::by(2.0 * std::numbers::pi * uniform());
  const double stretch = std::sqrt(aspect);
  std::vector<Vec2> points;
  points.reserve(static_cast<std::size_t>(vertices));
  for (int i = 0; i < vertices; ++i) {
    // The middle 60 % of each sector: neighbours are between 0.4 and 1.6 sectors apart.
    const double sector = i + 0.2 + 0.6 * uniform();
    const auto [sin, cos] = deterministic::sincos(2.0 * std::numbers::pi * sector / vertices);
    points.push_back(turn * Vec2(stretch * cos, sin / stretch));
  }
  const Polygon polygon(points);
  return polygon.scaled(1.0 / std::sqrt(polygon.area()));
}

std::vector<std::vector<Vec2>> ring(const Vec2& centre, double radius, double thickness, int segments) {
  assert(segments >= 3 && radius > 0.0 && thickness > 0.0);
  const double inner = radius / deterministic::sincos(std::numbers::pi / segments).cos;
  std::vector<std::vector<Vec2>> outlines;
  for (int k = 0; k < segments; ++k) {
    const auto corner = [&](int i, double distance) -> Vec2 {
      const auto [sin, cos] = deterministic::sincos(2.0 * std::numbers::pi * (i % segments) / segments);
      return centre + distance * Vec2(cos, sin);
    };
    outlines.push_back(
        {corner(k, inner), corner(k, inner + thickness), corner(k + 1, inner + thickness), corner(k + 1, inner)});
  }
  return outlines;
}

}  // namespace scree
