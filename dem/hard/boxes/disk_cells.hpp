#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/lanes/kernels.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"
#include "geometry/aabb.hpp"

namespace scree::hard {

/// Which disks may collide, by cells: Neighbourhood's fast relative for disks of similar sizes. Boxes are circles, and
/// partners are those whose circles overlap. The domain is divided into cells at least as wide as two of the largest
/// circles together; the disks in a cell are in one block of memory, a line of the cache, with places in whole units
/// from the cell's corner, and are compared several at once, one a lane. Beyond a periodic side the cells of the other
/// side follow, so there are no ghosts, and the same partner may be there with several images. Circles are larger than
/// that by more than rounding to units can do.
///
/// @pre along periodic axes no two boxes are together wider than the domain
///
/// Cost: O(1) a move, for disks of similar sizes. A block is 64 bytes for up to eight disks, of which there are two or
/// so.
class DiskCells {
 public:
  /// @param margin how far a centre may go from that of its box [m]
  DiskCells(const Domain& domain, double margin);

  /// Boxes for all disks, anew, and room for others up to `capacity` in all.
  void assign(std::span<const Vec2> centres, std::span<const double> radii, std::size_t capacity = 0);
  /// A box for disk `i`, which has none. @pre i < capacity
  void insert(Index i, const Vec2& centre, double radius);
  /// Takes a disk's box away.
  void erase(Index i);
  /// Gives a disk a new box. @return its new partners, until the next call
  std::span<const Partner> move(Index i, const Vec2& centre, double radius);
  /// Begins to load what a move of disk i needs, but for its own line, which is at hand.
  void prefetch_move(Index i) const;

  const DiskBoxes& boxes() const { return boxes_; }
  /// Disks whose own boxes, not those across periodic sides, overlap a box, and perhaps others.
  void query(const Aabb2& box, std::vector<Index>& found) const;

 private:
  using Block = lanes::CellBlock;
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// Numbers of a cell along x and y, or of one cell relative to another.
  using Cell = std::array<std::int32_t, 2>;
  struct Place {
    Cell cell;
    std::array<std::int32_t, 2> in_cell;  // [units]
  };

  void choose_cells(double widest, std::size_t capacity);
  /// How many cells are below, with a fraction.
  double cells_below(int axis, double x) const { return (x - domain_.lo[axis]) * per_side_[axis]; }
  /// Beyond sides that are not periodic the outermost cells go on.
  std::int32_t cell_along(int axis, double cells_below) const {
    return static_cast<std::int32_t>(std::min(std::max(cells_below, 0.0), last_[axis]));
  }
  std::uint32_t block_of(const Cell& cell) const { return static_cast<std::uint32_t>(cell[1] * count_[0] + cell[0]); }
  std::size_t cells() const { return static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]); }
  Place place_of(const Vec2& centre) const;
  void put(Index i, const Place& place, const Vec2& centre, std::uint32_t size);
  /// @return the size of its circle
  std::uint32_t take_out(Index i) {
    const std::uint32_t place = boxes_.place(i);
    Block& block = blocks_[place / lanes::kInBlock];
    block.centre[place % lanes::kInBlock] = lanes::kNowhere;
    return std::exchange(block.disk[place % lanes::kInBlock], lanes::kNobody) / lanes::kSizePlace;
  }
  void leave(Index i, Partner partner) {
    boxes_.remove_partner(partner.disk(), Partner(i, partner.image().opposite()));
  }
  double reach(double radius) const { return radius + boxes_.margin() + boxes_.slack(); }
  /// Of the circle of a disk that reaches as far.
  std::uint32_t size_of(double reach) const {
    return std::min(static_cast<std::uint32_t>(lanes::kSizes * reach / widest_) + 1, lanes::kSizes);
  }
  void widen(double reach);
  lanes::Around around(const Place& place, double reach) const;
  std::span<const Partner> find_around(const lanes::Around& around);
  bool have_one_block() const { return blocks_.size() == cells(); }
  std::span<const Partner> change_partners(Index i, const lanes::Around& around);

  Domain domain_;
  Periodic periodic_;
  DiskBoxes boxes_;
  double widest_ = 0.0;       // reach of a disk [m]
  Cell count_ = {1, 1};       // of cells
  Vec2 side_ = Vec2::Ones();  // of a cell [m]
  Vec2 per_side_ = Vec2::Ones();
  Vec2 last_ = Vec2::Zero();         // cell
  double per_unit_ = 1.0;            // of places in cells [1/m]
  std::int32_t reach_of_size_ = 0;   // see lanes::Reach
  Vec2 units_ = Vec2::Zero();        // of a cell's sides, whole numbers
  std::vector<Block> blocks_;        // the first of each cell, then others of those that have more disks
  std::vector<std::uint32_t> next_;  // by block: the next one of this cell
  std::vector<lanes::CellView> views_;
  std::vector<Partner> found_;
  std::vector<Partner> newcomers_;  // of the disk whose box has moved
};

}  // namespace scree::hard
