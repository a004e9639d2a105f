#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"

namespace scree {

/// How a CellGrid chooses its levels and cells.
struct CellRule {
  double growth = std::numeric_limits<double>::infinity();  ///< of boxes from level to level; infinite: one level
  double company = 2;                                       ///< mean number of other boxes in the cell of a box
  double smallest_cell = 0.125;                             ///< allowed, in units of the level's largest box
  double largest_cell = 1;                                  ///< likewise
};

/// Boxes in lists by the cells of one or several grids: the common part of LinkedCells and HierarchicalGrid.
///
/// A box is on the lowest level for whose cells it is not too large, in the cell of its lower corner; its partners are
/// in the surrounding cells, on every level. Cells are hashed, so the plane is unbounded; boxes of different cells may
/// share a list, which costs only needless comparisons. Boxes that are too large for every level (walls, infinite
/// boxes) are in one list that is always searched: they are few, since otherwise the cells would be larger (see below).
///
/// A box is tested only when necessary. Each box has a slack: the distance that its sides may still move without a
/// test. The sum of the slacks of two boxes is less than the motion of their sides that would begin or end their
/// overlap, so a pair can change only when one of its boxes has used up its slack. This box is then compared with those
/// around it and shares with each of them the free distance between the two. (Single moves do not use slacks; the first
/// update after them tests all boxes.) A step processes one box after the other, as if each moved alone; overlaps that
/// begin and end within the step cancel.
///
/// The cells are chosen from the boxes: when there are twice as many boxes as at the last choice, and after 2000
/// comparisons per box, since boxes may have grown, shrunk or gathered. The boxes that are too large for cells are
/// those that minimize the number of boxes and cells to be compared with one box. The size of the cells is such that a
/// box shares its cell with rule.company others on average.
///
/// @pre Boxes have lo <= hi on every axis; infinite boxes are allowed. Not-a-number neither crashes nor hangs, but the
///       pairs reported from then on are undefined.
///
/// Cost, m = largest id in use + 1, k = boxes and cells around a box, those too large for cells included:
///   update             O(m) to compare with the last boxes, and O(k) for each box that has used up its slack
///   move, erase        O(k)
///   query              O(k) for a window no larger than a box; O(m) at most
///   insert             O(k) for each box, and O(m log m) whenever cells are chosen
/// No allocation in a steady state. One thread. Memory, 2-D (3-D): 48 (64) bytes per id, 16 to 24 per box.
///
/// Sources: R. W. Hockney & J. W. Eastwood, Computer Simulation Using Particles (1981), section 8.4 (linked cells); D.
/// Krijgsman, V. Ogarko & S. Luding, Comput. Part. Mech. 1 (2014) (levels); L. Verlet, Phys. Rev. 159 (1967) (slack:
/// his skin, individual for each box).
template <int Dim>
class CellGrid {
 public:
  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const { return nodes_[id].box; }
  std::size_t size() const { return size_; }

  struct Level {
    double largest;     ///< extent of a box [m]
    double widest;      ///< largest extent of the boxes on this level since the cells were chosen [m]
    double cell;        ///< side of a cell [m]
    std::size_t boxes;  ///< number when the cells were chosen
  };
  /// From the smallest boxes to the largest.
  const std::vector<Level>& levels() const { return levels_; }
  /// Number of boxes and cells compared so far by all calls except query: the cost of the motion.
  std::uint64_t looks() const { return looks_; }

 protected:
  explicit CellGrid(const CellRule& rule);

 private:
  using Cell = std::array<std::int64_t, Dim>;
  struct Node {
    Aabb<Dim> box;
    double slack;        // distance that its sides may still move before it must be tested [m]
    std::uint32_t next;  // in its list
    std::uint32_t list;
  };
  struct alignas(64) Block {  // of neighbouring cells, in one line of the cache
    static constexpr std::size_t kLists = 16;
    std::array<std::uint32_t, kLists> heads;
  };

  bool holds(ProxyId id) const;
  std::uint32_t& head(std::uint32_t list) { return blocks_[list / Block::kLists].heads[list % Block::kLists]; }
  std::uint32_t head(std::uint32_t list) const { return blocks_[list / Block::kLists].heads[list % Block::kLists]; }
  std::uint32_t list_of_block(std::size_t level, const Cell& block) const;
  std::uint32_t list_of(std::size_t level, const Aabb<Dim>& box) const;
  std::uint32_t list_of_large() const { return static_cast<std::uint32_t>((blocks_.size() - 1) * Block::kLists); }
  std::size_t level_of(const Aabb<Dim>& box) const;
  std::size_t enter_level(const Aabb<Dim>& box);
  double most_slack(std::size_t level) const;
  void link(ProxyId id, std::uint32_t list);
  void unlink(ProxyId id);

  template <class Visit>
  std::uint64_t meet(const Aabb<Dim>& region, double slack, bool slacks, const Visit& visit) const;
  template <class Before>
  void look(ProxyId id, const Aabb<Dim>& region, double way, const Before& before, PairChanges& changes);
  template <class Look>
  void go(ProxyId id, const Aabb<Dim>& box, const Look& look);

  void choose_cells_if_due();
  void choose_cells();
  void choose_levels();
  void choose_cell_sizes();
  double spacing() const;

  CellRule rule_;
  std::vector<Level> levels_;
  std::vector<Node> nodes_;      // by id
  std::vector<Block> blocks_;    // heads of the lists of the cells and, in the last block, of the list of large boxes
  std::vector<double> extents_;  // only while levels are chosen
  std::vector<double> company_;  // only while cells are chosen
  int hash_shift_ = 0;
  bool slacks_hold_ = true;  // false after single moves, which do not update slacks
  bool in_place_ = true;     // every box is in the list of its cell; false if a box has moved within its slack
  std::size_t size_ = 0;
  std::size_t size_at_choice_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t looks_at_choice_ = 0;
};

extern template class CellGrid<2>;
extern template class CellGrid<3>;

}  // namespace scree
