#include "dem/hard/events/walls.hpp"

#include <algorithm>

namespace scree::hard {

Walls::Walls(std::span<const Wall> walls, const Domain& domain) : periodic_(domain) {
  for (const Wall& wall : walls) {
    walls_.push_back(
        {.shape = WallBody(wall, domain), .name = wall.name, .material = wall.material, .until = wall.until});
  }
}

void Walls::start(const Clock& clock, double now, double margin, std::size_t disks) {
  if (empty()) return;
  margin_ = margin;
  index_ = HierarchicalGrid<2>();
  found_.assign(disks);
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (Index k = 0; k < walls_.size(); ++k) {
    Entry& wall = walls_[k];
    if (wall.removed) continue;
    wall.shape.set_clock(clock);
    wall.removal = wall.until ? clock.at(*wall.until) : kNever;
    set_box(wall, now);
    ids.push_back(k);
    boxes.push_back(wall.box);
  }
  index_.insert(ids, boxes, ignored_);
  find_next_change();
}

void Walls::rebase(const Clock& clock, double by) {
  for (Entry& wall : walls_) {
    wall.shape.set_clock(clock);
    wall.leaves -= by;
    wall.tap_since -= by;
    wall.removal = wall.until ? clock.at(*wall.until) : kNever;
  }
  find_next_change();
}

Index Walls::change() {
  const double now = next_change_;
  const auto due = std::ranges::find_if(
      walls_, [&](const Entry& wall) { return !wall.removed && std::min(wall.removal, wall.leaves) <= now; });
  const auto k = static_cast<Index>(due - walls_.begin());
  if (due->removal <= now) {
    due->removed = true;
    index_.erase(k, ignored_);
  } else {
    set_box(*due, now);
    index_.move(k, due->box, ignored_);
  }
  find_next_change();
  return k;
}

void Walls::find(Index disk, const Aabb2& box) {
  if (empty()) return;
  found_.clear(disk);
  for_each_image([&](NearImage image, const Vec2& shift) {
    index_.query(box.shifted(-shift), hits_);
    for (const ProxyId k : hits_) found_.add(disk, Partner(k, image));
  });
}

bool Walls::reaches(Index k, const Aabb2& box) const {
  bool does = false;
  for_each_image([&](NearImage, const Vec2& shift) { does = does || walls_[k].box.shifted(shift).overlaps(box); });
  return does;
}

auto Walls::nearest(const FlyingDisk& disk, const Space& space, double now) const -> Nearest {
  Nearest least{0, kNever};
  for (Index k = 0; k < size(); ++k) {
    if (!stands(k)) continue;
    for_each_image([&](NearImage image, const Vec2&) {
      const Vec2 shift = wall_shift(disk, image, space);
      const double gap = walls_[k].shape.gap_to(disk.flight, space.gravity.acceleration, shift, now).gap;
      if (gap < least.gap) least = {k, gap};
    });
  }
  return least;
}

auto Walls::nearest(const ContactShape& shape, const Pose& pose, const FlyingDisk& disk, const Space& space,
                    double now) const -> Nearest {
  Nearest least{0, kNever};
  for (Index k = 0; k < size(); ++k) {
    if (!stands(k)) continue;
    for_each_image([&](NearImage image, const Vec2&) {
      const double gap = walls_[k].shape.gap_to(shape, pose, wall_shift(disk, image, space), now);
      if (gap < least.gap) least = {k, gap};
    });
  }
  return least;
}

bool Walls::overlap(const ShapeView& shape, const Pose& pose, double now) const {
  const ContactShape form = shape.is_disk() ? ContactShape::disk(shape.radius) : ContactShape(shape.outline);
  bool does = false;
  for (const Entry& wall : walls_) {
    if (wall.removed) continue;
    for_each_image(
        [&](NearImage, const Vec2& shift) { does = does || wall.shape.gap_to(form, pose, shift, now) < 0.0; });
  }
  return does;
}

std::array<bool, 2> Walls::free_axes(const Domain& domain) const {
  std::array<bool, 2> free = domain.periodic;
  for (const Entry& wall : walls_) {
    for (int axis = 0; axis < 2; ++axis) {
      bool& is_free = free[static_cast<std::size_t>(axis)];
      is_free = is_free && (wall.removed || wall.shape.spans(domain, axis));
    }
  }
  return free;
}

/// A little larger than what the wall does until it leaves, so that rounding does not matter.
void Walls::set_box(Entry& wall, double now) {
  const double stay = wall.shape.time_to_leave(margin_);
  wall.leaves = std::min(now + stay, wall.shape.end_of_tap(now));
  wall.tap_since = wall.shape.begin_of_tap(now);
  wall.box = wall.shape.reach(now, stay).expanded(0.01 * margin_);
}

void Walls::find_next_change() {
  next_change_ = kNever;
  for (const Entry& wall : walls_) {
    if (!wall.removed) next_change_ = std::min({next_change_, wall.removal, wall.leaves});
  }
}

template <class Do>
void Walls::for_each_image(Do act) const {
  periodic_.for_each_near_image(
      [&](const Image& image) { act(NearImage::of(image[0], image[1]), periodic_.shift(image)); });
}

}  // namespace scree::hard
