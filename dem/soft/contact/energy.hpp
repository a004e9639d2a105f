#pragma once

#include "geometry/overlap.hpp"

namespace scree::soft {

/// Second moment of the overlap's thickness along a chord: half the integral of (thickness along the normal)^2 over
/// the extent along the tangent [m^3]. Times Y / l it is the energy stored in the bed of springs of the area law: exact
/// for a body pressed into a flat one, with l held fixed.
/// @param region convex, counter-clockwise (overlap_polygon)
double half_squared_thickness(const std::vector<Vec2>& region, const Vec2& normal);

}  // namespace scree::soft
