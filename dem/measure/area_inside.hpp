#pragma once

#include <span>

#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

/// The area of the part of a grain that lies in a box [m^2].
namespace scree {

/// Cost: O(1). The error is about 1e-15 of the disk's area.
double disk_area_inside(const Vec2& centre, double radius, const Aabb2& box);

/// @param outline convex, counter-clockwise [m]. Cost: O(vertices); allocates nothing
double polygon_area_inside(std::span<const Vec2> outline, const Aabb2& box);

}  // namespace scree
