#pragma once

#include <span>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/chord_jump.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/placement.hpp"

/// The geometry of pairs one by one, of any shapes.
namespace scree::soft {

/// What the narrowphase reads of the bodies.
struct DetectionView {
  const Bodies& bodies;
  const Placement& placement;
  const Proxies& proxies;
  const Gear& gear;                    ///< accelerations, for chords that jump
  std::span<const char> counted = {};  ///< one flag a body: chords of its contacts as a are counted; none: all
};

struct PairGeometry {
  ContactGeometry geometry;
  Vec2 chord;  ///< of two polygons, in the frame of a; else 0 [m]
};
/// @param branch_vector from the centre of a to that of b's image [m]  @param hint changes the cost only
PairGeometry pair_geometry(const Bodies& bodies, const Placement& placement, const BodyPair& pair,
                           const Vec2& branch_vector, PairHint& hint);

/// Measures the regions of contacts that do not keep them, as the last step did. @pre neither placement nor contacts
/// changed since
void renew_regions(const Bodies& bodies, const Placement& placement, Contacts& contacts);

/// Whether the chord has jumped since the last step.
bool has_jumped(const DetectionView& view, const BodyPair& pair, const ContactGeometry& found, const Chord& before,
                const Chord& now);

/// Velocity of the point `arm` away from the centre of a body [m/s].
inline Vec2 velocity_at(const Motion& velocity, const Vec2& arm) {
  return linear(velocity) + velocity.z() * perp(arm);
}

/// Whether the law of disks holds for a pair.
inline bool has_disk(const Bodies& bodies, const BodyPair& pair) {
  return bodies.outline_size[pair.a] == 0 || bodies.outline_size[pair.b] == 0;
}

}  // namespace scree::soft
