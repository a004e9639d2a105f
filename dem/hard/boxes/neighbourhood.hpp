#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/hard/boxes/box_margin.hpp"
#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/flight/cell.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
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
/// In a cell that deforms images stand still for a while, and are wider by how far they may be from where they stand:
/// so their partners hold while they move along. Boxes themselves stand still, even if the domain shrinks past their
/// centres.
///
/// @pre along periodic axes no two boxes are together wider than the domain; nor, in a cell that deforms, than half of
/// it along x, together with how far images move meanwhile
template <Broadphase<2> B>
class Neighbourhood {
 public:
  /// @param margin how far a centre may go from that of its box, along each axis [m]
  Neighbourhood(const Domain& domain, double margin) : periodic_(domain), boxes_(margin, kBoxSlack * margin) {}

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

  /// In a cell that deforms: where images are from the next `assign` on, or of disks whose boxes are moved.
  void place_images(const ImagesForAWhile& images) { images_ = images; }
  /// Time until which images stay where they are, and boxes that have images that move; kNever if none moves [s].
  double images_until() const { return images_ ? images_->until : kNever; }
  /// Whether a box has images that move, or needs some.
  bool has_moving_images(Index i, double radius) const {
    const Aabb2 box = boxes_.box(boxes_.centre(i), radius);
    if (sticks_out(box, 1)) return true;
    return images_->slack_a.x() > 0.0 && (sticks_out(box, 0) || first_ghost_[i] != kNone);
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
  bool sticks_out(const Aabb2& box, int axis, int step) const;
  bool sticks_out(const Aabb2& box, int axis) const { return sticks_out(box, axis, 1) || sticks_out(box, axis, -1); }
  void renew_ghosts(Index i, const Aabb2& box);
  ProxyId add_ghost(Index i, NearImage image);
  void erase_ghost(std::uint32_t& link);
  void apply_changes(Index moved = kNone);
  template <class Do>
  void for_each_partner(const Pair& pair, Do act);
  Ghost owner(ProxyId proxy) const;

  Periodic periodic_;
  B broadphase_;  // proxies: the disks, then the ghosts
  PairChanges changes_;
  std::vector<Partner> newcomers_;  // of the disk whose box has moved
  DiskBoxes boxes_;
  std::vector<std::uint32_t> first_ghost_;  // by disk
  std::vector<Ghost> ghosts_;
  std::uint32_t free_ghost_ = kNone;
  std::optional<ImagesForAWhile> images_;  // of a cell that deforms
  double widest_ = 0.0;                    // how far any box reaches beyond its centre [m]
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
  if (!images_) return box.shifted(periodic_.shift({image.x(), image.y()}));
  const Vec2 slack = std::abs(image.x()) * images_->slack_a + std::abs(image.y()) * images_->slack_b;
  const Aabb2 ghost = box.shifted(image.x() * images_->a + image.y() * images_->b);
  return {ghost.lo - slack, ghost.hi + slack};
}

/// A box has an image where that overlaps the domain; in another row, where it meets any that belongs to the domain.
template <Broadphase<2> B>
bool Neighbourhood<B>::is_needed(NearImage image, const Aabb2& box) const {
  if (images_ && image.y() != 0) {
    if (!sticks_out(box, 1, image.y())) return false;
    const Aabb2 ghost = ghost_box(image, box);
    return ghost.hi.x() >= images_->least_x - widest_ && ghost.lo.x() <= images_->greatest_x + widest_;
  }
  return sticks_out(box, 0, image.x()) && sticks_out(box, 1, image.y());
}

/// Whether a box has an image so many periods away along an axis. In a cell it has if it will stick out of the domain,
/// or does not any more: of two boxes that meet across a side meanwhile at least one has.
template <Broadphase<2> B>
bool Neighbourhood<B>::sticks_out(const Aabb2& box, int axis, int step) const {
  if (!images_ || step == 0) return periodic_.needs_image(box, axis, step);
  const double slack = axis == 0 ? images_->slack_a.x() : images_->slack_b.y();
  return step > 0 ? box.lo[axis] <= images_->domain.lo[axis] + slack : box.hi[axis] >= images_->domain.hi[axis] - slack;
}

template <Broadphase<2> B>
void Neighbourhood<B>::renew_ghosts(Index i, const Aabb2& box) {
  if (!sticks_out(box, 0) && !sticks_out(box, 1) && first_ghost_[i] == kNone) return;
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
/// every pair of disks has such boxes, since the centres are inside the domain. In a cell that deforms, one of the two
/// is no ghost.
template <Broadphase<2> B>
template <class Do>
void Neighbourhood<B>::for_each_partner(const Pair& pair, Do act) {
  const Ghost a = owner(pair.a);
  const Ghost b = owner(pair.b);
  if (a.disk == b.disk || (a.image.x() != 0 && b.image.x() != 0) || (a.image.y() != 0 && b.image.y() != 0)) return;
  if (images_ && !a.image.is_none() && !b.image.is_none()) return;
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
