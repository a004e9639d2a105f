#pragma once

#include "broadphase/cell_grid.hpp"

namespace scree {

/// The linked cell method: one grid. For boxes of similar sizes; the few that are much larger cost a look each. What it
/// does, costs and demands is told at CellGrid.
///
/// The cell is chosen such that a box shares it with two others, but no larger than the largest box that is in cells
/// and no smaller than an eighth of it.
template <int Dim>
class LinkedCells : public CellGrid<Dim> {
 public:
  LinkedCells() : CellGrid<Dim>(CellRule{}) {}

  /// With cells of a given size instead, between 1/64 and 64 times that of the largest box.
  /// @param boxes_per_cell  how many others share a box's cell on average; where boxes are strewn evenly at random,
  ///                        that is how many boxes are in a cell
  explicit LinkedCells(double boxes_per_cell)
      : CellGrid<Dim>({.company = boxes_per_cell, .smallest_cell = 1.0 / 64, .largest_cell = 64}) {}
};

static_assert(Broadphase<LinkedCells<2>, 2> && Broadphase<LinkedCells<3>, 3>);

}  // namespace scree
