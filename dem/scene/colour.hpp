#pragma once

#include <array>
#include <cstdint>

namespace scree {

/// Red, green, blue.
using Colour = std::array<std::uint8_t, 3>;

}  // namespace scree
