#pragma once

#include "geometry/overlap.hpp"

namespace scree {

/// Overlap of two disks, in the frame of a (whose centre is the origin). The area is that of the lens, the chord joins
/// the points where the circles cross, and the centroid is the middle of the lens on the line of centres. If the
/// centres coincide, the normal is (1, 0). If one disk contains the other, the area is that of the smaller disk, and
/// the chord has length 0.
/// @param radius_a, radius_b [m]
/// @param b_in_a centre of b [m]
Overlap overlap_disks(double radius_a, double radius_b, const Vec2& b_in_a);

/// Overlap of a polygon (a) and a disk (b), in the frame of the polygon. The normal points from the nearest point of
/// the outline to the disk's centre (or outward across the nearest edge, if the centre is inside, or outside by less
/// than 1e-9 of the radius). The depth is the radius minus the distance of the centre from the outline (plus it, if the
/// centre is inside), at most the diameter. A disk completely inside has a chord of length 0 at its centre. Otherwise
/// area and chord are those of the segment of the disk that the line through the nearest point perpendicular to the
/// normal cuts off: exact on an edge, an upper bound near a vertex. The centroid is the middle of the overlap along the
/// normal.
/// @param centre of the disk in the frame of the polygon [m]
/// @param hint any feature; set to the one nearest to the centre, the hint for the next query. It changes the cost and
///   no bit of the result
/// Cost: O(1) for a good hint, O(vertices) for a bad one or if the centre is inside.
Overlap overlap_polygon_disk(const Outline& a, const Vec2& centre, double radius, Feature& hint);

}  // namespace scree
