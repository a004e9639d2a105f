#pragma once

#include <functional>
#include <vector>

#include "geometry/polygon.hpp"

namespace scree {

/// A regular polygon with a vertex on the positive x-axis. @pre vertices >= 3, circumradius > 0 [m]
Polygon regular_polygon(int vertices, double circumradius);

/// The rectangle of the given sides, centred at the origin; vertex 0 is the lower left one. @pre sides > 0 [m]
Polygon rectangle(double width, double height);

/// A random convex polygon of unit area. Its vertices lie on an ellipse, one at a random angle in each of n equal
/// sectors (in the inner part of the sector, so that no side is much shorter than the others); the polygon is then
/// rotated at random.
///
/// @param vertices number of vertices, >= 3
/// @param aspect   ratio of the ellipse's axes, >= 1
/// @param uniform  source of independent numbers in [0, 1); called vertices + 1 times
Polygon random_convex_polygon(int vertices, double aspect, const std::function<double()>& uniform);

/// A closed ring of four-sided segments around a point, counter-clockwise from the direction of x; neighbours share
/// their ends to the last bit. The inner sides are tangents of the circle of the given radius.
/// @pre segments >= 3, radius > 0, thickness > 0: of the ring at the segments' ends [m]
std::vector<std::vector<Vec2>> ring(const Vec2& centre, double radius, double thickness, int segments);

}  // namespace scree
