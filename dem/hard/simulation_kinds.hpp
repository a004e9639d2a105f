#pragma once

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"

/// The simulations that there are: for each file that defines functions of BasicSimulation, within scree::hard.
#define SCREE_INSTANTIATE_HARD_SIMULATIONS                                      \
  template class BasicSimulation<DiskCells, BucketQueue>;                       \
  template class BasicSimulation<DiskCells, ImplicitHeap>;                      \
  template class BasicSimulation<LinkedCells<2>, ImplicitHeap>;                 \
  template class BasicSimulation<HierarchicalGrid<2>, BucketQueue>;             \
  template class BasicSimulation<SortedStrips<2>, BucketQueue>;                 \
  template class BasicSimulation<SortAndUpdate<2>, BucketQueue>;                \
  template class BasicSimulation<DistanceSort<2>, BucketQueue>;                 \
  template class BasicSimulation<AllPairs<2>, ImplicitHeap>;                    \
  template class BasicSimulation<DiskCells, BucketQueue, OfPolygons>;           \
  template class BasicSimulation<HierarchicalGrid<2>, BucketQueue, OfPolygons>; \
  template class BasicSimulation<SortedStrips<2>, BucketQueue, OfPolygons>;     \
  template class BasicSimulation<SortAndUpdate<2>, BucketQueue, OfPolygons>;    \
  template class BasicSimulation<DistanceSort<2>, BucketQueue, OfPolygons>;     \
  template class BasicSimulation<AllPairs<2>, ImplicitHeap, OfPolygons>;
