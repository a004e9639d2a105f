// In place of png.cpp where the library cairo is missing.

#include "app/errors.hpp"
#include "app/png.hpp"

namespace scree::app {

void require_png() {
  throw UsageError(
      "this scree was built without the library cairo (SCREE_CAIRO=OFF, or it was missing), which draws PNG and films; "
      "allowed: scree picture with an --output that ends with .svg, scree replay, or scree built again where the "
      "package libcairo2-dev is installed");
}

std::string png(const Picture&) {
  require_png();
  return {};
}

}  // namespace scree::app
