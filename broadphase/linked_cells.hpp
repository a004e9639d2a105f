#pragma once

#include "broadphase/cell_grid.hpp"

namespace scree {

/// The linked cell method: one grid, for boxes of similar sizes; each of the few much larger boxes is compared with all
/// others. CellGrid documents function, cost and preconditions.
///
/// The cell is chosen such that a box shares it with two others, but no larger than the largest box that is in cells
/// and no smaller than an eighth of it.
template <int Dim>
class LinkedCells : public CellGrid<Dim> {
 public:
  LinkedCells() : CellGrid<Dim>(CellRule{}) {}

  /// With cells of a given size instead, between 1/64 and 64 times that of the largest box.
  /// @param boxes_per_cell mean number of other boxes in the cell of a box; if boxes are distributed uniformly at
  ///                        random, this is the mean number of boxes per cell
  explicit LinkedCells(double boxes_per_cell)
      : CellGrid<Dim>({.company = boxes_per_cell, .smallest_cell = 1.0 / 64, .largest_cell = 64}) {}
};

static_assert(Broadphase<LinkedCells<2>, 2> && Broadphase<LinkedCells<3>, 3>);

}  // namespace scree
