#pragma once

#include <cstdint>
#include <functional>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "geometry/vec.hpp"

namespace scree::soft {

/// The length on which a wall presses: the longest stretch of its front that no other wall covers. The front is the
/// line across `direction` through its foremost point, as wide as the wall. Along a periodic axis at most the period.
/// @param direction unit, in which it presses  @param belongs whether a body, a wall, is part of it
/// @return [m], 0 if all of the front is covered
/// Cost: O(vertices of all walls).
double loaded_length(const Bodies& bodies, const Periodic& periodic, const Vec2& direction,
                     const std::function<bool(std::uint32_t)>& belongs);

}  // namespace scree::soft
