#pragma once

#include <cstdint>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// A feature of an outline of n vertices, by its place in the ring of 2n features: 2 i is vertex i, 2 i + 1 the edge
/// from vertex i to vertex i + 1. Neighbours in the ring share a boundary of their Voronoi regions.
using Feature = std::uint32_t;

inline bool is_edge(Feature feature, const Outline& outline) {
  return feature % 2 == 1 && feature < 2 * outline.size();
}

struct FeaturePair {
  Feature a = 0;
  Feature b = 0;
  bool operator==(const FeaturePair&) const = default;
};

enum class Relation : std::uint8_t {
  kApart,     ///< no point in common, or (at distance 0) points of the outlines only
  kCrossing,  ///< the outlines cross
  kAInsideB,
  kBInsideA,
};

struct ClosestFeatures {
  Relation relation = Relation::kApart;
  FeaturePair features;         ///< the closest ones; edges that cross, if outlines do: the hint for the next time
  FeaturePair leaving;          ///< overlap() alone uses it: edges that cross where a goes out of b, or once did
  Vec2 point_a = Vec2::Zero();  ///< closest point of a, in a's frame [m]
  Vec2 point_b = Vec2::Zero();  ///< closest point of b, in a's frame [m]
  double distance = 0.0;        ///< 0 where they touch or overlap; the points then mean nothing [m]
  int steps = 0;                ///< of the walk; 0: the hint was right
  bool fell_back = false;       ///< the walk did not settle, and another method gave the answer
};

/// Closest features of two convex polygons by Lin and Canny's walk: from the hinted pair, step across the violated
/// boundary of a Voronoi region until each closest point lies in the region of the other feature, or edges are found
/// that cross.
///
/// Every decision is an exact sign for the vertices of b as rounded in a's frame, and ties are broken by an
/// infinitesimal shift of b (outlines.hpp). So relation and distance do not depend on the hint, nor do features and
/// points where the distance is not 0, to the last bit; only which of several crossings is found does. Two vertices or
/// an edge and a vertex are closest, never two edges: of parallel edges, the begin of what they have in common, along
/// the one of a.
///
/// @param a, b    outlines in their own frames; if one is thousands of times as large, best b: its vertices are rounded
/// @param b_in_a  pose of b in the frame of a
/// @param hint    any pair of features, stale or out of range: changes the cost, not the result
/// Cost: O(1) for a hint near the answer, O(n_a + n_b) for a bad one or where one polygon is inside the other. No
/// allocation.
/// Source: M. C. Lin, PhD thesis (Berkeley 1993); A. Schinner, Granular Matter 2 (1999), section 4.
ClosestFeatures closest_features(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair hint);

}  // namespace scree
