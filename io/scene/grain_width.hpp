#pragma once

#include "dem/scene/grain_shape.hpp"
#include "dem/scene/particles.hpp"

namespace scree::keys {

/// A bound on the greatest extent of grains in any direction [m]: what regions and periods are compared with.
double greatest_width(const ShapeSpec& shape, const SizeSpec& size);

}  // namespace scree::keys
