#pragma once

#include "geometry/vec.hpp"

namespace scree {

/// Length of a parabola [m]: the path of a point in a time [s] with an initial velocity [m/s] and a constant
/// acceleration [m/s^2].
double path_length(const Vec2& velocity, const Vec2& acceleration, double time);

}  // namespace scree
