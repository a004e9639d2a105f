#include "io/scene/grain_width.hpp"

#include <cmath>
#include <numbers>
#include <variant>

#include "geometry/deterministic_math.hpp"
#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"

namespace scree::keys {

namespace {

// Widths of shapes whose equal disk has diameter 1.

double width_of(const Disk&) {
  return 1.0;
}

/// Diameter of the circle around it.
double width_of(const RegularPolygon& polygon) {
  const double sector = 2.0 * std::numbers::pi / polygon.vertices;
  return std::sqrt(sector / deterministic::sincos(sector).sin);
}

/// No random polygon is wider than the ellipse that it is inscribed in; this is the greatest of those ellipses. The
/// corners stand in the middle 60 % of their sectors (polygon_makers.cpp), s wide, so that neighbours are at most 1.6 s
/// apart. The area of a polygon of n corners on a unit circle is half the sum of the sines of these angles; it is least
/// for angles of 0.4 s and 1.6 s in turn, where each pair has sin(0.4 s) + sin(1.6 s) = 2 sin(s) cos(0.6 s). Few
/// corners are the worst.
double width_of(const RandomPolygon& polygon) {
  const double sector = 2.0 * std::numbers::pi / polygon.vertices[0];
  return width_of(RegularPolygon{polygon.vertices[0]}) *
         std::sqrt(polygon.aspect[1] / deterministic::sincos(0.6 * sector).cos);
}

double width_of(const ExplicitPolygon& polygon) {
  const Polygon form(polygon.vertices);
  return 2.0 * form.bounding_radius() / equivalent_diameter(form.area());
}

double width_of(const Clump& clump) {
  const Union& all = clump.whole();
  return 2.0 * all.bounding_radius / equivalent_diameter(all.area);
}

}  // namespace

double greatest_width(const ShapeSpec& shape, const SizeSpec& size) {
  return size.greatest * std::visit([](const auto& form) { return width_of(form); }, shape);
}

}  // namespace scree::keys
