#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "broadphase/hierarchical_grid.hpp"
#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/shapes.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/motion/placement.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// A contact at the start that is shallower than this share of the smaller grain's diameter is a touch: that much is
/// left by positions and sizes with six digits.
inline constexpr double kTouchingDepth = 1e-6;

/// At the start no more boxes than these may overlap, in pairs: some 4 GB. A million grains of any sizes have some
/// millions.
inline constexpr std::uint64_t kMostPairsAtStart = 30'000'000;

/// Refuses grains that overlap each other or a wall at time 0 by more than SoftOptions::initial_depth, since the energy
/// of their springs would come from nowhere. Pairs that may pass through each other are exempt.
class StartOverlaps {
 public:
  /// What bodies are, and how they lie.
  struct View {
    const Scene& scene;
    const ContactLaws& laws;
    const Proxies& proxies;  ///< periodic sides, and which walls span them
    const Bodies& bodies;
    const Placement& placement;
  };

  /// Compares the bodies that are new since the last call with each other and with those before. After a thousand
  /// overlaps it stops, so that grains which are all at one place cost no more than others.
  /// @throws InvalidScene at the key that put down the younger body of the deepest overlap; or if the boxes of all
  /// bodies overlap in more than some kMostPairsAtStart pairs, whether the bodies do or not
  /// Cost: O(n log n) for n bodies
  void add(const View& view);
  /// Whether a shape would overlap none of the bodies that were added, nor a periodic image of one.
  /// Cost: O(near ones)
  bool has_room(const View& view, const ShapeView& shape, const Pose& pose) const;

 private:
  struct Found {
    BodyPair pair;
    double depth_ratio;
    bool is_half_way;  ///< through the thinner one
  };

  /// Calls act(bodies, image, shift) with all bodies whose boxes, or those of an image of the box, overlap a box.
  template <class Act>
  void for_each_near(const Periodic& periodic, const Aabb2& box, const Act& act) const;
  bool has_too_many_pairs(const Placement& placement);
  void compare(const View& view, std::uint32_t body);
  void measure(const View& view, BodyPair pair, const Vec2& branch_vector);

  std::uint32_t seen_ = 0;     // bodies
  HierarchicalGrid<2> index_;  // of boxes, by body
  Aabb2 extent_;               // of all boxes
  std::optional<Found> deepest_;
  std::size_t overlaps_ = 0;
  std::uint64_t looks_ = 0;  // at pairs of boxes that overlap
  std::size_t counted_ = 0;  // bodies, when such pairs were counted last
};

}  // namespace scree::soft
