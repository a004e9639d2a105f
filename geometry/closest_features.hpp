#pragma once

#include <cstdint>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// A feature of an outline of n vertices, by its index in the cycle of 2n features: 2 i is vertex i, 2 i + 1 the edge
/// from vertex i to vertex i + 1. Neighbours in the cycle share a boundary of their Voronoi regions.
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
  FeaturePair features;  ///< the closest ones, or edges that cross; the hint for the next query
  FeaturePair leaving;   ///< only for overlap(): edges that cross where a leaves b, or did so in an earlier query
  Vec2 point_a = Vec2::Zero();  ///< closest point of a, in a's frame [m]
  Vec2 point_b = Vec2::Zero();  ///< closest point of b, in a's frame [m]
  double distance = 0.0;        ///< 0 if they touch or overlap; the points are then undefined [m]
  int steps = 0;                ///< of the walk; 0: the hint was right
  bool fell_back = false;       ///< the walk did not converge, and another method gave the result
};

/// Closest features of two convex polygons by Lin and Canny's walk. Starting from the hint, it steps across the
/// violated boundary of a Voronoi region until each closest point lies in the region of the other feature, or until it
/// finds edges that cross.
///
/// Every decision is an exact sign for the vertices of b as rounded in a's frame, and ties are broken by an
/// infinitesimal shift of b (outlines.hpp). So relation and distance do not depend on the hint, to the last bit. If the
/// distance is not 0, features and points do not depend on it either. Only the choice among several crossings does. The
/// closest features are two vertices, or an edge and a vertex, never two edges: of parallel edges, the result is the
/// point where their common part begins, along the edge of a.
///
/// @param a, b outlines in their own frames; if one is much smaller, it should be a, since the vertices of b are
///   rounded at the size of a
/// @param b_in_a  pose of b in the frame of a
/// @param hint    any pair of features, stale or out of range: changes the cost, not the result
/// Cost: O(1) for a hint near the result, O(n_a + n_b) for a bad hint or if one polygon is inside the other. No
/// allocation.
/// Source: M. C. Lin, PhD thesis (Berkeley 1993); A. Schinner, Granular Matter 2 (1999), section 4.
ClosestFeatures closest_features(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair hint);

}  // namespace scree
