#include "dem/hard/obstacles.hpp"

#include <algorithm>

namespace scree::hard {

Obstacles::Obstacles(std::span<const Wall> walls, const Domain& domain) : domain_(domain) {
  for (const Wall& wall : walls) walls_.push_back({.shape = Obstacle(wall, domain), .until = wall.until});
}

void Obstacles::start(const Clock& clock, double now, double margin, std::size_t disks) {
  if (empty()) return;
  margin_ = margin;
  index_ = HierarchicalGrid<2>();
  found_.assign(disks);
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (Index k = 0; k < walls_.size(); ++k) {
    Entry& wall = walls_[k];
    if (wall.gone) continue;
    wall.shape.set_clock(clock);
    wall.removal = wall.until ? clock.at(*wall.until) : kNever;
    set_box(wall, now);
    ids.push_back(k);
    boxes.push_back(wall.box);
  }
  index_.insert(ids, boxes, ignored_);
  find_next_change();
}

void Obstacles::set_back(const Clock& clock, double by) {
  for (Entry& wall : walls_) {
    wall.shape.set_clock(clock);
    wall.leaves -= by;
    wall.removal = wall.until ? clock.at(*wall.until) : kNever;
  }
  find_next_change();
}

Index Obstacles::change() {
  const double now = next_change_;
  const auto due = std::ranges::find_if(
      walls_, [&](const Entry& wall) { return !wall.gone && std::min(wall.removal, wall.leaves) <= now; });
  const auto k = static_cast<Index>(due - walls_.begin());
  if (due->removal <= now) {
    due->gone = true;
    index_.erase(k, ignored_);
  } else {
    set_box(*due, now);
    index_.move(k, due->box, ignored_);
  }
  find_next_change();
  return k;
}

void Obstacles::find(Index disk, const Aabb2& box) {
  if (empty()) return;
  found_.clear(disk);
  for_each_image([&](Image image, const Vec2& shift) {
    index_.query(box.shifted(-shift), hits_);
    for (const ProxyId k : hits_) found_.add(disk, Partner(k, image));
  });
}

bool Obstacles::reaches(Index k, const Aabb2& box) const {
  bool does = false;
  for_each_image([&](Image, const Vec2& shift) { does = does || walls_[k].box.shifted(shift).overlaps(box); });
  return does;
}

/// A little larger than what the wall does until it leaves, so that rounding does not matter.
void Obstacles::set_box(Entry& wall, double now) {
  const double stay = wall.shape.time_to_leave(margin_);
  wall.leaves = now + stay;
  wall.box = wall.shape.reach(now, stay).expanded(0.01 * margin_);
}

void Obstacles::find_next_change() {
  next_change_ = kNever;
  for (const Entry& wall : walls_) {
    if (!wall.gone) next_change_ = std::min({next_change_, wall.removal, wall.leaves});
  }
}

template <class Do>
void Obstacles::for_each_image(Do act) const {
  const Vec2 period = domain_.hi - domain_.lo;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      if ((x != 0 && !domain_.periodic[0]) || (y != 0 && !domain_.periodic[1])) continue;
      act(Image::of(x, y), Vec2(x * period.x(), y * period.y()));
    }
  }
}

}  // namespace scree::hard
