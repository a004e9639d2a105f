#pragma once

#include "geometry/vec.hpp"

namespace scree {

/// Length of a parabola: what a point moves in a time [s] that begins with a velocity [m/s] and has a constant
/// acceleration [m/s^2]. In [m].
double path_length(const Vec2& velocity, const Vec2& acceleration, double time);

}  // namespace scree
