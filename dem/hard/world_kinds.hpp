#pragma once

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"

/// The worlds that there are, for each file that defines functions over them: DO(broadphase, queue, kind of grains),
/// within scree::hard.
#define SCREE_FOR_HARD_WORLDS(DO)                  \
  DO(DiskCells, BucketQueue, OfDisks)              \
  DO(DiskCells, ImplicitHeap, OfDisks)             \
  DO(LinkedCells<2>, ImplicitHeap, OfDisks)        \
  DO(HierarchicalGrid<2>, BucketQueue, OfDisks)    \
  DO(SortedStrips<2>, BucketQueue, OfDisks)        \
  DO(SortAndUpdate<2>, BucketQueue, OfDisks)       \
  DO(DistanceSort<2>, BucketQueue, OfDisks)        \
  DO(AllPairs<2>, ImplicitHeap, OfDisks)           \
  DO(DiskCells, BucketQueue, OfPolygons)           \
  DO(HierarchicalGrid<2>, BucketQueue, OfPolygons) \
  DO(SortedStrips<2>, BucketQueue, OfPolygons)     \
  DO(SortAndUpdate<2>, BucketQueue, OfPolygons)    \
  DO(DistanceSort<2>, BucketQueue, OfPolygons)     \
  DO(AllPairs<2>, ImplicitHeap, OfPolygons)
