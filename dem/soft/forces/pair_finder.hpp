#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/fastest.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/kind.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/proxies.hpp"
#include "dem/scene/domain.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/motion/placement.hpp"

namespace scree::soft {

/// From boxes of bodies to candidate pairs: keeps a box in the broadphase for every body and every periodic image of it
/// that is needed, and turns what the broadphase reports into changes of pairs.
class PairFinder {
 public:
  PairFinder(const Domain& domain, BroadphaseKind kind);

  const Proxies& proxies() const { return proxies_; }
  const Periodic& periodic() const { return proxies_.periodic(); }
  /// The cell has deformed. @param shape now
  void deform(const CellShape& shape) { proxies_.deform(shape); }
  /// Which walls need no images, see Proxies.
  void set_spans(std::vector<std::array<bool, 2>> of_walls) { proxies_.set_spans(std::move(of_walls)); }

  /// Boxes for bodies [first, number of bodies), which have none; not for those without a shape: walls that are not
  /// there yet, and clumps themselves, whose parts have boxes.
  void insert(std::uint32_t first, const Bodies& bodies, const Placement& placement);
  /// For one that has none.
  void insert_one(std::uint32_t body, const Bodies& bodies, const Placement& placement);
  /// Takes all boxes of some bodies away. @param leaving one flag a body
  void erase(const std::vector<char>& leaving, const Bodies& bodies);
  /// After bodies were removed. @param new_index see Bodies::remove
  void renumber(const std::vector<std::uint32_t>& new_index, const Bodies& bodies);
  /// Boxes of all bodies as they lie now, and images as they are needed. Several threads.
  void update(const Bodies& bodies, const Placement& placement);
  /// Boxes for images that are needed and have none.
  void insert_images(const Bodies& bodies, const Placement& placement);

  /// Box of a proxy in use, as of the last update or since it was added.
  const Aabb2& box(ProxyId id, const Placement& placement) const {
    return boxes_.empty() ? placement.box[proxies_[id].body] : boxes_[id];
  }

  // For simulations that are spread over ranks (dem/soft/ranks/subdomain.hpp).

  /// Boxes for bodies that come from elsewhere. @param proxies in the order of bodies
  void begin_anew(const std::vector<Proxy>& proxies, std::vector<Aabb2> boxes, const Placement& placement);
  /// New boxes for proxies, found by body and image; the broadphase does not get them. @pre each has a proxy
  void set_boxes(std::span<const Proxy> proxies, std::span<const Aabb2> boxes);
  /// An image that got a box in an update, or lost it.
  struct ImageChange {
    Proxy proxy;
    bool is_needed;
    Aabb2 box;  ///< the last one, of an image that lost it
  };
  /// Notes from now on what update does to images. Null: it does not. @param changes their reader empties them
  void note_image_changes(std::vector<ImageChange>* changes) { noted_ = changes; }
  /// Proxies that come and go together: in an update, with a birth or with departures.
  struct ProxyChanges {
    std::vector<Proxy> begun;                    ///< in the order in which they come
    std::vector<std::pair<Proxy, Aabb2>> ended;  ///< with their last boxes, in any order [m]
  };
  /// Puts images into the order in which an update adds them. @pre the cell has the shape that it had in that update
  void sort_as_update(std::vector<Proxy>& begun) const;
  /// Does to the numbers of proxies what these changes would have done, one after the other; the broadphase learns
  /// nothing of it. Cost: O(proxies + changes)
  void repeat(std::span<const ProxyChanges> changes);

  /// What has changed since these were last taken; the taker empties it.
  std::vector<PairChange>& changes() { return pair_changes_; }

  /// Calls take(shape, pose) for bodies and images of them whose boxes overlap a box; poses as they are now.
  template <class Take>
  void for_each_near(const Aabb2& box, const Bodies& bodies, const Take& take) const;

  /// Which broadphase is at work, and what the last trial found if it chose itself.
  std::string broadphase_reason() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    Proxies::visit(archive, self.proxies_);
    archive(self.boxes_);
  }
  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;
  /// After loading: the broadphase is a function of the boxes.
  void restore(const Placement& placement);
  /// Gives back memory that the start or loading took, see dem/trim.hpp.
  void trim();

 private:
  bool has_own_boxes() const { return periodic().any() || !ids_are_bodies_; }
  void insert(std::span<const Proxy> proxies, const Bodies& bodies, const Placement& placement);
  void erase(ProxyId id, const Bodies& bodies);
  void note_changes(const Bodies& bodies);
  void note(const Pair& boxes, std::int32_t change, const Bodies& bodies);

  Proxies proxies_;
  std::variant<Fastest<2>, SortAndUpdate<2>, SortedStrips<2>, LinkedCells<2>, HierarchicalGrid<2>, DistanceSort<2>,
               AllPairs<2>>
      broadphase_;  // in the order of BroadphaseKind
  /// No body was ever removed, none is not there yet: the boxes are those of Placement, and boxes_ is empty, unless
  /// there are images.
  bool ids_are_bodies_ = true;
  std::vector<Aabb2> boxes_;  // by proxy
  std::vector<PairChange> pair_changes_;
  std::vector<ImageChange>* noted_ = nullptr;
  // Kept for their memory.
  PairChanges box_changes_;
  Proxies::ImageChanges image_changes_;
};

template <class Take>
void PairFinder::for_each_near(const Aabb2& box, const Bodies& bodies, const Take& take) const {
  std::vector<ProxyId> found;
  std::visit([&](const auto& broadphase) { broadphase.query(box, found); }, broadphase_);
  for (const ProxyId id : found) {
    const Proxy proxy = proxies_[id];
    Pose pose = bodies.pose(proxy.body);
    pose.position += proxies_.shift(proxy, bodies);
    take(bodies.shape(proxy.body), pose);
  }
}

}  // namespace scree::soft
