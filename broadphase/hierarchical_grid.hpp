#pragma once

#include "broadphase/cell_grid.hpp"

namespace scree {

/// A hierarchy of grids, each for boxes four times as large as those of the level below. It is for many small boxes
/// among large ones: with a single grid, whose cells must be large enough for the large boxes, all small boxes in a
/// cell would be compared with each other. CellGrid documents function, cost and preconditions.
///
/// Source: D. Krijgsman, V. Ogarko & S. Luding, Optimal parameters for a hierarchical grid data structure for contact
/// detection in arbitrarily polydisperse particle systems, Comput. Part. Mech. 1 (2014)
template <int Dim>
class HierarchicalGrid : public CellGrid<Dim> {
 public:
  HierarchicalGrid() : CellGrid<Dim>({.growth = 4, .largest_cell = 4}) {}
};

static_assert(Broadphase<HierarchicalGrid<2>, 2> && Broadphase<HierarchicalGrid<3>, 3>);

}  // namespace scree
