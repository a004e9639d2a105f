#pragma once

#include <string>

#include "io/pages/picture.hpp"

namespace scree::app {

/// A picture as PNG, with cairo. Throws IoError if it is too large.
std::string png(const Picture& picture);

}  // namespace scree::app
