#pragma once

#include "broadphase/cell_grid.hpp"

namespace scree {

/// Grids one above the other, each for boxes four times as large as the one below: for many small boxes among large
/// ones, which with one grid would meet in every cell large enough for the latter. What it does, costs and demands is
/// told at CellGrid.
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
