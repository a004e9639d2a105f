#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/placement.hpp"

namespace scree::soft {

/// What the narrowphase reads of the bodies.
struct DetectionView {
  const Bodies& bodies;
  const Placement& placement;
  const Proxies& proxies;
  const Gear& gear;                    ///< accelerations, for chords that jump
  std::span<const char> counted = {};  ///< one flag a body: chords of its contacts as a are counted; none: all
};

/// Candidates beside those of plain contacts of disks (dem/soft/forces/plain_disks.hpp), ascending.
struct CandidatesBeside {
  std::span<const std::uint32_t> apart;  ///< pairs of disks that do not touch
  const std::uint32_t* bodies_apart;     ///< a, b of each
  const double* shifts_apart;            ///< of b to its image, x, y of each; null: all are 0 [m]
  std::span<const std::uint32_t> at_walls;
  std::span<const std::uint32_t> contacts_at_walls;  ///< of each, or lanes::kNoContact
};

/// From candidate pairs to overlaps. Keeps no memory but room for its results.
class Narrowphase {
 public:
  /// Measures all candidates, each from its hint, and renews the geometry of contacts; what does not touch any more has
  /// an overlap that does not touch. The overlap is found in the frame of a, where a pair far from the origin loses no
  /// digits. On several threads, with the same result for any number of them.
  /// Cost: O(candidates), see overlap().
  void detect(const DetectionView& view, Contacts& contacts);
  /// Detects some candidates, in a scene whose particles are all disks.
  void detect(const DetectionView& view, const CandidatesBeside& some, Contacts& contacts);

  /// Contacts that begin, ascending by candidate, in lists behind one another: as detect left them.
  std::span<const std::vector<NewContact>> found() const { return found_; }
  /// Whether bodies of some contacts do not touch any more.
  bool some_are_apart() const { return some_are_apart_; }
  /// Contacts whose chord jumped since the step before: as detect counted them (dem/soft/contact/chord_jump.hpp).
  std::uint64_t chord_jumps() const { return chord_jumps_; }

 private:
  std::vector<std::vector<NewContact>> found_;
  std::uint64_t chord_jumps_ = 0;
  bool some_are_apart_ = false;
};

/// Velocity of the point `arm` away from the centre of a body [m/s].
inline Vec2 velocity_at(const Motion& velocity, const Vec2& arm) {
  return linear(velocity) + velocity.z() * perp(arm);
}

/// Whether the law of disks holds for a pair.
inline bool has_disk(const Bodies& bodies, const BodyPair& pair) {
  return bodies.outline_size[pair.a] == 0 || bodies.outline_size[pair.b] == 0;
}

}  // namespace scree::soft
