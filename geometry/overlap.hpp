#pragma once

#include <vector>

#include "geometry/closest_features.hpp"
#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree {

/// What two shapes share, in the frame of the first.
struct Overlap {
  double area = 0.0;                ///< of the common region; 0 where the shapes do not overlap [m^2]
  double depth = 0.0;               ///< extent of the common region along the normal [m]
  Vec2 centroid = Vec2::Zero();     ///< of the common region [m]
  Vec2 normal = Vec2::Zero();       ///< unit, from a to b, perpendicular to the chord
  Vec2 chord_begin = Vec2::Zero();  ///< where b's outline is crossed by a's coming in, a counter-clockwise [m]
  Vec2 chord_end = Vec2::Zero();    ///< ... and going out again [m]

  bool touching() const { return area > 0.0; }
  double chord() const { return (chord_end - chord_begin).norm(); }  ///< length [m]
};

/// Overlap of two convex polygons, from where their outlines are known to cross.
///
/// The outline of the common region consists of arcs of a inside b and arcs of b inside a, and is walked from one
/// crossing to the next until it closes. One arc each is the rule: a's runs from chord_begin to chord_end, and the
/// normal is the chord turned by -90 degrees. With more arcs (polygons crossed like swords) the chord is the sum of the
/// arcs' chord vectors, placed so that a force along the normal at its midpoint has the moment of the forces at the
/// midpoints of all arcs' chords; where the arcs nearly cancel, that is far away. If one polygon contains the other, or
/// the sum is below 1e-6 of the region's extent, the chord is degenerate: the normal then points from a's centroid to
/// b's ((1, 0) where these coincide) and chord_begin = chord_end = centroid of the common region. Where the outlines
/// coincide with the insides on one side, an infinitesimal shift of b decides whose the common part is (outlines.hpp).
/// There, and at the borders of containment, chord and normal jump while the area does not; everywhere else both are
/// continuous.
///
/// A region whose mean thickness is within a few roundings (8 epsilon times the largest coordinate that took part) is
/// noise and no contact, so polygons that touch in a point or along an edge do not overlap.
///
/// The features change what it costs and no bit of the result; a and b in their own frames (counter-clockwise, about
/// their centroids), of very different size best the smaller as a. Swapping a and b gives the same to rounding, not to
/// the last bit.
/// @param closest what closest_features found for these polygons and this pose; its crossing may be replaced by another
///                one of theirs, the better hint for the next time
/// Cost: O(vertices of the common region), that is of the contained polygon if there is one. No allocation while the
/// region has 64 corners or fewer; beyond that from storage the thread keeps. Accuracy: some roundings (epsilon times
/// the largest coordinate R) of the corners' places. Arcs of more than 8 vertices taken from running sums add epsilon
/// R^2 to the area and epsilon R^3 / area to the centroid. Source: A. Schinner, Granular Matter 2 (1999), section 4;
/// arcs and chords: Y. T. Feng & D. R. J. Owen, Eng. Comput. 21 (2004).
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, ClosestFeatures& closest);

/// Where a pair was found to touch or to be nearest the last time.
struct PairHint {
  FeaturePair features;
  FeaturePair leaving;  ///< of overlapping polygons: edges that cross where a goes out of b
};

/// Closest features and overlap in one: the quickest way to ask again about a pair that moved a little.
/// @param hint any; becomes that for the next time. Changes the cost and no bit of the result.
/// Cost: O(log) of the common region's vertices for outlines with running sums (Outline::sums) where both crossings are
/// near those of the hint; as above elsewhere.
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a, PairHint& hint);

/// The same without a hint. Cost: O(n_a + n_b)
Overlap overlap(const Outline& a, const Outline& b, const Pose& b_in_a);

/// An overlap found in the frame of the other body; `pose` is that frame's.
Overlap seen_from_other(const Overlap& overlap, const Pose& pose);

/// The common region itself, counter-clockwise, in a's frame; empty where the polygons do not overlap.
std::vector<Vec2> overlap_polygon(const Outline& a, const Outline& b, const Pose& b_in_a, FeaturePair hint = {});

}  // namespace scree
