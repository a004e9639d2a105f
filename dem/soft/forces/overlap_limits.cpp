#include "dem/soft/forces/overlap_limits.hpp"

namespace scree::soft {

double thickness(const Bodies& bodies, const Placement& placement, std::uint32_t body, const Vec2& direction) {
  const Vec2 along = placement.rotation_of(body).inverse() * direction;
  double least = 0.0;  // the centroid is within
  double greatest = 0.0;
  for (const Vec2& vertex : bodies.shape(body).outline) {
    least = std::min(least, vertex.dot(along));
    greatest = std::max(greatest, vertex.dot(along));
  }
  return greatest - least;
}

}  // namespace scree::soft
