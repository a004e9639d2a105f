#pragma once

#include <string>

#include "io/pages/picture.hpp"

namespace scree::app {

/// Throws UsageError if this program was built without cairo.
void require_png();

/// A picture as PNG, with cairo. Throws IoError if it is too large; UsageError as require_png.
std::string png(const Picture& picture);

}  // namespace scree::app
