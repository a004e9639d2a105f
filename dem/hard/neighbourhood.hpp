#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/hard/box_margin.hpp"
#include "dem/hard/disk_boxes.hpp"
#include "dem/periodic.hpp"
#include "dem/scene.hpp"
#include "geometry/aabb.hpp"

namespace scree::hard {

/// Which disks may collide: every disk flies in a box that covers it wherever it can be until it leaves the box, and
/// has as partners those whose boxes overlap its own (Lubachevsky's sectors, section 4, one a disk). Two disks that are
/// no partners cannot collide before one of them leaves its box.
///
/// Positions are canonical here: centres of boxes lie inside the domain along its periodic axes. A box that sticks out
/// of a periodic side is there a second time, a period away, and so are pairs across that side. Two images of one pair
/// may be partners at once; the same image may be in a list more than once.
///
/// In a cell in shear the images of the rows above and below stand where they are at one tilt, and are wider by how far
/// the tilt may be from it: so their partners hold while they slide along.
///
/// @pre along periodic axes no two boxes are together wider than the domain; nor, in shear, than half of it along x,
/// together with how far the tilt goes
template <Broadphase<2> B>
class Neighbourhood {
 public:
  /// @param margin how far a centre may go from that of its box, along each axis [m]
  Neighbourhood(const Domain& domain, double margin)
      : domain_(domain), periodic_(domain), boxes_(margin, kBoxSlack * margin) {}

  /// Boxes for all disks, anew, and room for others up to `capacity` in all. O(N log N)
  void assign(std::span<const Vec2> centres, std::span<const double> radii, std::size_t capacity = 0);
  /// A box for disk `i`, which has none. @pre i < capacity
  void insert(Index i, const Vec2& centre, double radius);
  /// Takes a disk's box away.
  void erase(Index i);
  /// Gives a disk a new box. O(1) on average, with a broadphase whose move is
  /// @return its new partners, until the next call
  std::span<const Partner> move(Index i, const Vec2& centre, double radius);
  void prefetch_move(Index) const {}

  /// In a cell in shear, from the next `assign` on, or for disks whose boxes are moved.
  /// @param tilt  of rows of images @param slack  by how much it may differ [m] @param until  when it does, on the
  /// clock
  void set_tilt(double tilt, double slack, double until) {
    shears_ = true;
    tilt_ = tilt;
    slack_ = slack;
    tilt_until_ = until;
  }
  /// By then the boxes that stick out of rows must be moved, at another tilt; kNever without shear [s].
  double tilt_until() const { return tilt_until_; }
  /// Whether a box has images in other rows.
  bool sticks_out_of_row(Index i, double radius) const {
    const Aabb2 box = boxes_.box(boxes_.centre(i), radius);
    return box.lo.y() <= domain_.lo.y() || box.hi.y() >= domain_.hi.y();
  }

  /// Their boxes and partners.
  const DiskBoxes& boxes() const { return boxes_; }
  /// Disks whose own boxes, not those across periodic sides, overlap a box.
  void query(const Aabb2& box, std::vector<Index>& found) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// Another box of a disk that sticks out of a periodic side.
  struct Ghost {
    Index disk;
    NearImage image;
    std::uint32_t next;  // of this disk; or of those that are free
  };

  Aabb2 ghost_box(NearImage image, const Aabb2& box) const;
  bool is_needed(NearImage image, const Aabb2& box) const;
  void renew_ghosts(Index i, const Aabb2& box);
  ProxyId add_ghost(Index i, NearImage image);
  void erase_ghost(std::uint32_t& link);
  void apply_changes(Index moved = kNone);
  template <class Do>
  void for_each_partner(const Pair& pair, Do act);
  Ghost owner(ProxyId proxy) const;

  Domain domain_;
  Periodic periodic_;
  B broadphase_;  // proxies: the disks, then the ghosts
  PairChanges changes_;
  std::vector<Partner> newcomers_;  // of the disk whose box has moved
  DiskBoxes boxes_;
  std::vector<std::uint32_t> first_ghost_;  // by disk
  std::vector<Ghost> ghosts_;
  std::uint32_t free_ghost_ = kNone;
  bool shears_ = false;
  double tilt_ = 0.0;    // [m]
  double slack_ = 0.0;   // [m]
  double widest_ = 0.0;  // how far any box reaches beyond its centre, where it shears [m]
  double tilt_until_ = kNever;
};

template <Broadphase<2> B>
void Neighbourhood<B>::assign(std::span<const Vec2> centres, std::span<const double> radii, std::size_t capacity) {
  capacity = std::max(capacity, centres.size());
  broadphase_ = B();
  boxes_.assign(capacity);
  first_ghost_.assign(capacity, kNone);
  ghosts_.clear();
  free_ghost_ = kNone;
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (Index i = 0; i < centres.size(); ++i) {
    boxes_.set_centre(i, centres[i]);
    ids.push_back(i);
    boxes.push_back(boxes_.box(centres[i], radii[i]));
    widest_ = std::max(widest_, 0.5 * (boxes[i].hi.x() - boxes[i].lo.x()));
  }
  for (Index i = 0; i < centres.size(); ++i) {
    periodic_.for_each_near_image([&](const Image& periods) {
      const NearImage image = NearImage::of(periods[0], periods[1]);
      if (image.is_none() || !is_needed(image, boxes[i])) return;
      ids.push_back(add_ghost(i, image));
      boxes.push_back(ghost_box(image, boxes[i]));
    });
  }
  broadphase_.insert(ids, boxes, changes_);
  apply_changes();
}

template <Broadphase<2> B>
void Neighbourhood<B>::insert(Index i, const Vec2& centre, double radius) {
  boxes_.set_centre(i, centre);
  const Aabb2 now = boxes_.box(centre, radius);
  broadphase_.insert(i, now, changes_);
  apply_changes();
  renew_ghosts(i, now);
}

template <Broadphase<2> B>
void Neighbourhood<B>::erase(Index i) {
  while (first_ghost_[i] != kNone) erase_ghost(first_ghost_[i]);
  broadphase_.erase(i, changes_);
  apply_changes();
}

template <Broadphase<2> B>
void Neighbourhood<B>::query(const Aabb2& box, std::vector<Index>& found) const {
  broadphase_.query(box, found);
  std::erase_if(found, [&](Index i) { return i >= boxes_.capacity(); });
}

template <Broadphase<2> B>
std::span<const Partner> Neighbourhood<B>::move(Index i, const Vec2& centre, double radius) {
  newcomers_.clear();
  boxes_.set_centre(i, centre);
  const Aabb2 now = boxes_.box(centre, radius);
  broadphase_.move(i, now, changes_);
  apply_changes(i);
  renew_ghosts(i, now);
  return newcomers_;
}

template <Broadphase<2> B>
Aabb2 Neighbourhood<B>::ghost_box(NearImage image, const Aabb2& box) const {
  const Vec2 shift = periodic_.shift({image.x(), image.y()});
  if (!shears_ || image.y() == 0) return box.shifted(shift);
  Aabb2 ghost = box.shifted(shift + Vec2(image.y() * tilt_, 0.0));
  ghost.lo.x() -= slack_;
  ghost.hi.x() += slack_;
  return ghost;
}

/// A box has an image where that overlaps the domain; in another row, where it meets any that belongs to the domain.
template <Broadphase<2> B>
bool Neighbourhood<B>::is_needed(NearImage image, const Aabb2& box) const {
  if (shears_ && image.y() != 0) {
    if (!periodic_.needs_image(box, 1, image.y())) return false;
    const Aabb2 ghost = ghost_box(image, box);
    return ghost.hi.x() >= domain_.lo.x() - widest_ && ghost.lo.x() <= domain_.hi.x() + widest_;
  }
  return periodic_.needs_image(box, 0, image.x()) && periodic_.needs_image(box, 1, image.y());
}

template <Broadphase<2> B>
void Neighbourhood<B>::renew_ghosts(Index i, const Aabb2& box) {
  const bool inside = (box.lo.array() > domain_.lo.array()).all() && (box.hi.array() < domain_.hi.array()).all();
  if (inside && first_ghost_[i] == kNone) return;
  std::uint32_t present = 0;
  for (std::uint32_t* link = &first_ghost_[i]; *link != kNone;) {
    const std::uint32_t at = *link;
    const auto proxy = static_cast<ProxyId>(boxes_.capacity() + at);
    Ghost& ghost = ghosts_[at];
    if (is_needed(ghost.image, box)) {
      broadphase_.move(proxy, ghost_box(ghost.image, box), changes_);
      apply_changes(i);
      present |= 1u << ghost.image.code;
      link = &ghost.next;
    } else {
      erase_ghost(*link);
    }
  }
  periodic_.for_each_near_image([&](const Image& periods) {
    const NearImage image = NearImage::of(periods[0], periods[1]);
    if (image.is_none() || (present >> image.code & 1) != 0 || !is_needed(image, box)) return;
    const ProxyId proxy = add_ghost(i, image);
    broadphase_.insert(proxy, ghost_box(image, box), changes_);
    apply_changes(i);
  });
}

/// @param link to the ghost; becomes that to the next one
template <Broadphase<2> B>
void Neighbourhood<B>::erase_ghost(std::uint32_t& link) {
  const std::uint32_t at = link;
  broadphase_.erase(static_cast<ProxyId>(boxes_.capacity() + at), changes_);
  apply_changes();
  link = ghosts_[at].next;
  ghosts_[at].next = free_ghost_;
  free_ghost_ = at;
}

template <Broadphase<2> B>
ProxyId Neighbourhood<B>::add_ghost(Index i, NearImage image) {
  std::uint32_t at = free_ghost_;
  if (at == kNone) {
    at = static_cast<std::uint32_t>(ghosts_.size());
    ghosts_.emplace_back();
  } else {
    free_ghost_ = ghosts_[at].next;
  }
  ghosts_[at] = {i, image, first_ghost_[i]};
  first_ghost_[i] = at;
  return static_cast<ProxyId>(boxes_.capacity() + at);
}

template <Broadphase<2> B>
void Neighbourhood<B>::apply_changes(Index moved) {
  for (const Pair& pair : changes_.ended) {
    for_each_partner(pair, [&](Index i, Partner partner) { boxes_.remove_partner(i, partner); });
  }
  for (const Pair& pair : changes_.begun) {
    for_each_partner(pair, [&](Index i, Partner partner) {
      boxes_.add_partner(i, partner);
      if (i == moved) newcomers_.push_back(partner);
    });
  }
}

/// What a pair of boxes means to both disks. Along each axis only pairs of which at least one box is no ghost count:
/// every pair of disks has such boxes, since the centres are inside the domain. In shear, one of the two is no ghost.
template <Broadphase<2> B>
template <class Do>
void Neighbourhood<B>::for_each_partner(const Pair& pair, Do act) {
  const Ghost a = owner(pair.a);
  const Ghost b = owner(pair.b);
  if (a.disk == b.disk || (a.image.x() != 0 && b.image.x() != 0) || (a.image.y() != 0 && b.image.y() != 0)) return;
  if (shears_ && !a.image.is_none() && !b.image.is_none()) return;
  const NearImage image = NearImage::of(b.image.x() - a.image.x(), b.image.y() - a.image.y());
  act(a.disk, Partner(b.disk, image));
  act(b.disk, Partner(a.disk, image.opposite()));
}

template <Broadphase<2> B>
auto Neighbourhood<B>::owner(ProxyId proxy) const -> Ghost {
  const std::size_t disks = boxes_.capacity();
  return proxy < disks ? Ghost{proxy, {}, kNone} : ghosts_[proxy - disks];
}

}  // namespace scree::hard
