#pragma once

#include <cstdint>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// A feature of an outline of n vertices, by its place in the ring of 2n features: 2 i is vertex i, 2 i + 1 the edge
/// from vertex i to vertex i + 1. Neighbours in the ring share a boundary of their Voronoi regions.
using Feature = std::uint32_t;

struct FeaturePair {
  Feature a = 0;
  Feature b = 0;
  bool operator==(const FeaturePair&) const = default;
};

struct ClosestFeatures {
  FeaturePair features;         ///< where the walk ended: the hint for the next time
  Vec2 point_a = Vec2::Zero();  ///< closest point of a, in a's frame [m]
  Vec2 point_b = Vec2::Zero();  ///< closest point of b, in a's frame [m]
  double distance = 0.0;        ///< 0 where the polygons touch or overlap; the points then mean nothing [m]
  int steps = 0;                ///< features visited, >= 1
};

/// Closest features of two convex polygons by Lin and Canny's walk: from the hinted pair, step across the violated
/// boundary of a Voronoi region until each closest point lies in the region of the other feature.
///
/// Two vertices or an edge and a vertex, never two edges: of parallel edges, an end of one that lies opposite the other
/// (which one depends on the hint). Polygons whose distance exceeds 1e-13 of their size have an overlap() of area 0.
///
/// @param a, b    outlines in their own frames
/// @param b_in_a  pose of b in the frame of a
/// @param hint    any pair of features, stale or out of range: changes the cost, and the distance by its rounding only
/// Cost: O(1) for a hint near the answer, O(n_a + n_b) for a bad one or where the polygons overlap; O(n_a n_b) where
/// the walk does not settle in one round, which was seen for overlapping polygons only. No allocation.
/// Source: M. C. Lin, PhD thesis (Berkeley 1993); A. Schinner, Granular Matter 2 (1999), section 4.
ClosestFeatures closest_features(Outline a, Outline b, const Pose& b_in_a, FeaturePair hint);

}  // namespace scree
