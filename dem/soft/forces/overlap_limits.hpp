#pragma once

#include <algorithm>
#include <cstdint>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/motion/placement.hpp"
#include "geometry/vec.hpp"

/// How far two bodies may overlap.
namespace scree::soft {

/// A depth beyond this share of the smaller grain's diameter ends the run: the laws mean nothing there.
inline constexpr double kMaxDepthRatio = 0.2;

inline bool is_too_deep(const ContactGeometry& geometry, const PairLaw& law) {
  return !(geometry.depth_ratio <= kMaxDepthRatio) && !law.is_ghost;
}

/// How far a polygon extends along a direction [m].
double thickness(const Bodies& bodies, const Placement& placement, std::uint32_t body, const Vec2& direction);

/// More than half way through a thin polygon, from where on the force would push it out on the other side.
inline bool passes_through(const Bodies& bodies, const Placement& placement, const BodyPair& pair,
                           const ContactGeometry& geometry, const PairLaw& law) {
  const Overlap& found = geometry.overlap;
  if (!(found.depth > bodies.min_inradius) || has_disk(bodies, pair) || law.is_ghost) return false;
  return found.depth > 0.5 * std::min(thickness(bodies, placement, pair.a, found.normal),
                                      thickness(bodies, placement, pair.b, found.normal));
}

}  // namespace scree::soft
