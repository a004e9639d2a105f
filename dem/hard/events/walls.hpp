#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broadphase/hierarchical_grid.hpp"
#include "dem/clock.hpp"
#include "dem/hard/boxes/partner_lists.hpp"
#include "dem/hard/events/wall_body.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/wall.hpp"
#include "dem/shapes.hpp"
#include "geometry/aabb.hpp"
#include "geometry/contact_shape.hpp"
#include "geometry/pose.hpp"

namespace scree::hard {

/// From where the image of a wall that is meant lies when no flight is wrapped to where it lies, given how a disk is
/// [m].
inline Vec2 wall_shift(const FlyingDisk& disk, NearImage image, const Space& space) {
  return space.periodic.shift({image.x() - disk.box_image_offset[0], image.y() - disk.box_image_offset[1]});
}

/// The walls, and which of them each disk may touch: those whose boxes overlap its own. A wall that moves has a box
/// that it stays inside for some time; then it gets another one, and the next events of disks that this overlaps must
/// be predicted again. Boxes change the cost, never what happens. Cost: O(1) to find the walls of a disk.
class Walls {
 public:
  /// @throws InvalidScene as WallBody
  Walls(std::span<const Wall> walls, const Domain& domain);

  bool empty() const { return walls_.empty(); }
  std::size_t size() const { return walls_.size(); }
  const WallBody& operator[](Index k) const { return walls_[k].shape; }
  bool stands(Index k) const { return !walls_[k].removed; }
  const std::string& name(Index k) const { return walls_[k].name; }
  std::int32_t material(Index k) const { return walls_[k].material; }
  /// Whether a wall has been removed by then. @param time [s]
  bool is_over(Index k, double time) const { return walls_[k].until && time >= *walls_[k].until; }

  /// Boxes for all walls that stand. No disk has walls yet: `find` comes next.
  /// @param margin of boxes of walls that move [m]
  void start(const Clock& clock, double now, double margin, std::size_t disks);
  /// The clock was rebased: set back by so much [s].
  void rebase(const Clock& clock, double by);

  /// When the next wall leaves its box or is removed; kNever if none will.
  double next_change() const { return next_change_; }
  /// Carries it out. @return the wall; it stands no more if it was removed, else it has another box
  Index change();

  /// The disk's box is this one now.
  void find(Index disk, const Aabb2& box);
  /// Walls whose boxes overlap that of the disk, or did when it was found, with their images.
  std::span<const Partner> of(Index disk) const { return empty() ? std::span<const Partner>() : found_.of(disk); }
  bool reaches(Index k, const Aabb2& box) const;
  struct Nearest {
    Index wall;
    double gap;  ///< [m]
  };
  /// The wall nearest to a disk; infinitely far if there is none. O(walls)
  Nearest nearest(const FlyingDisk& disk, const Space& space, double now) const;
  /// nearest for a grain that has a form. @param pose inside the domain, as `disk.box_image_offset` has it
  Nearest nearest(const ContactShape& shape, const Pose& pose, const FlyingDisk& disk, const Space& space,
                  double now) const;
  /// Whether a shape overlaps a wall. @param pose inside the domain
  bool overlap(const ShapeView& shape, const Pose& pose, double now) const;
  /// Along which all grains together can go on without end: periodic ones that each wall spans.
  std::array<bool, 2> free_axes(const Domain& domain) const;
  /// Until when a wall stays inside its box, and no tap of it begins or ends, on the clock [s].
  double stays_until(Index k) const { return walls_[k].leaves; }
  /// When the tap began that there is now, or the rest after one, on the clock [s].
  double tap_since(Index k) const { return walls_[k].tap_since; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    for (auto& wall : self.walls_) archive(wall.removed);
  }

 private:
  struct Entry {
    WallBody shape;
    std::string name;
    std::int32_t material;
    std::optional<double> until;  // [s]
    Aabb2 box = {};
    double leaves = kNever;  // its box, on the clock [s]
    double tap_since = -kNever;
    double removal = kNever;  // on the clock [s]
    bool removed = false;
  };

  void set_box(Entry& wall, double now);
  void find_next_change();
  template <class Do>
  void for_each_image(Do act) const;

  std::vector<Entry> walls_;
  Periodic periodic_;
  double margin_ = 0.0;
  double next_change_ = kNever;
  HierarchicalGrid<2> index_;
  PairChanges ignored_;
  PartnerLists found_;
  std::vector<ProxyId> hits_;
};

}  // namespace scree::hard
