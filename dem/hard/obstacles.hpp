#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "broadphase/hierarchical_grid.hpp"
#include "dem/hard/clock.hpp"
#include "dem/hard/obstacle.hpp"
#include "dem/hard/partner_lists.hpp"
#include "dem/scene.hpp"
#include "geometry/aabb.hpp"

namespace scree::hard {

/// The walls, and which of them each disk may touch: those whose boxes overlap its own. A wall that moves has a box
/// that it stays inside for some time; then it gets another one, and disks that this overlaps must look for their new
/// events again. Boxes change the cost, never what happens. Cost: O(1) to find the walls of a disk.
class Obstacles {
 public:
  /// @throws InvalidScene as Obstacle
  Obstacles(std::span<const Wall> walls, const Domain& domain);

  bool empty() const { return walls_.empty(); }
  std::size_t size() const { return walls_.size(); }
  const Obstacle& operator[](Index k) const { return walls_[k].shape; }
  bool stands(Index k) const { return !walls_[k].gone; }

  /// Boxes for all that stand; no disk has found any yet.
  /// @param margin of boxes of walls that move [m]
  void start(const Clock& clock, double now, double margin, std::size_t disks);
  /// The clock was set back by so much [s].
  void set_back(const Clock& clock, double by);

  /// When the next wall leaves its box or is removed; kNever if none will.
  double next_change() const { return next_change_; }
  /// What happens then. @return the wall; it stands no more if it was removed, else it has another box
  Index change();

  void find(Index disk, const Aabb2& box);
  /// Their images, too. None that has gone.
  std::span<const Partner> of(Index disk) const { return empty() ? std::span<const Partner>() : found_.of(disk); }
  bool reaches(Index k, const Aabb2& box) const;
  /// Until when a wall stays inside its box, on the clock [s].
  double stays_until(Index k) const { return walls_[k].leaves; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    for (auto& wall : self.walls_) archive(wall.gone);
  }

 private:
  struct Entry {
    Obstacle shape;
    std::optional<double> until;  // [s]
    Aabb2 box = {};
    double leaves = kNever;   // its box, on the clock [s]
    double removal = kNever;  // on the clock [s]
    bool gone = false;
  };

  void set_box(Entry& wall, double now);
  void find_next_change();
  template <class Do>
  void for_each_image(Do act) const;

  std::vector<Entry> walls_;
  Domain domain_;
  double margin_ = 0.0;
  double next_change_ = kNever;
  HierarchicalGrid<2> index_;
  PairChanges ignored_;
  PartnerLists found_;
  std::vector<ProxyId> hits_;
};

}  // namespace scree::hard
