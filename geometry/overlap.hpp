#pragma once

#include <vector>

#include "geometry/closest_features.hpp"
#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// The overlap of two shapes, in the frame of the first.
struct Overlap {
  double area = 0.0;                ///< of the common region; 0 if the shapes do not overlap [m^2]
  double depth = 0.0;               ///< extent of the common region along the normal [m]
  Vec2 centroid = Vec2::Zero();     ///< of the common region [m]
  Vec2 normal = Vec2::Zero();       ///< unit, from a to b, perpendicular to the chord
  Vec2 chord_begin = Vec2::Zero();  ///< where the outline of a, counter-clockwise, enters b [m]
  Vec2 chord_end = Vec2::Zero();    ///< ... and where it leaves b [m]

  bool touching() const { return area > 0.0; }
  double chord() const { return (chord_end - chord_begin).norm(); }  ///< length [m]
};

/// Overlap of two convex polygons, starting from a known crossing of their outlines.
///
/// The outline of the common region consists of arcs of a inside b and arcs of b inside a. It is followed from one
/// crossing to the next until it closes. Usually there is one arc of each: that of a runs from chord_begin to
/// chord_end, and the normal is the chord turned by -90 degrees. With more arcs (polygons that cross like swords) the
/// chord is the sum of the chord vectors of the arcs of a. Its position is such that a force along the normal at its
/// midpoint has the same moment as the forces at the midpoints of the chords of all arcs; if the arcs nearly cancel,
/// this position is far away. If one polygon contains the other, or the sum is below 1e-6 of the region's extent, the
/// chord is degenerate: the normal then points from a's centroid to b's ((1, 0) where these coincide) and chord_begin =
/// chord_end = centroid of the common region. If the outlines coincide with both interiors on the same side, an
/// infinitesimal shift of b decides to which outline the common part belongs (outlines.hpp). There, and at the limits
/// of containment, chord and normal jump while the area does not; everywhere else they are continuous.
///
/// A region whose mean thickness is within a few roundings (8 epsilon times the largest coordinate involved) is noise
/// and not an overlap, so polygons that touch in a point or along an edge do not overlap.
///
/// The features change the cost and no bit of the result. a and b are in their own frames (counter-clockwise, about
/// their centroids); if their sizes differ much, a should be the smaller one. If a and b are swapped, the results agree
/// to rounding, not to the last bit.
/// @param closest result of closest_features for these polygons and this pose; its crossing may be replaced by another
///                crossing that is a better hint for the next query
/// Cost: O(vertices of the common region), that is of the contained polygon if there is one. No allocation if the
/// region has 64 corners or fewer; for more, memory that each thread reuses. Accuracy: a few roundings (epsilon times
/// the largest coordinate R) in the positions of the corners. Arcs of more than 8 vertices use running sums, which add
/// errors of epsilon R^2 to the area and epsilon R^3 / area to the centroid. Source: A. Schinner, Granular Matter 2
/// (1999), section 4; arcs and chords: Y. T. Feng & D. R. J. Owen, Eng. Comput. 21 (2004).
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, ClosestFeatures& closest);

/// The features at which a pair touched or was nearest in the last query.
struct PairHint {
  FeaturePair features;
  FeaturePair leaving;  ///< of overlapping polygons: edges that cross where a leaves b
};

/// Closest features and overlap in one call: the fastest query for a pair that has moved a little since the last one.
/// @param hint any; set to the hint for the next query. It changes the cost and no bit of the result.
/// Cost: O(log) of the common region's vertices for outlines with running sums (Outline::sums) if both crossings are
/// near those of the hint; otherwise as above.
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, PairHint& hint);

/// The overlap without a hint. Cost: O(n_a + n_b)
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a);

/// Transforms an overlap that was found in the frame of the other body; `pose` is the pose of that frame.
Overlap seen_from_other(const Overlap& overlap, const Pose& pose);

/// The common region itself, counter-clockwise, in a's frame; empty where the polygons do not overlap.
std::vector<Vec2> overlap_polygon(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair hint = {});

}  // namespace scree
