#pragma once

#include "geometry/overlap.hpp"

namespace scree {

/// Overlap of two disks, in the frame of a (whose centre is the origin). The area is the lens's, the chord joins the
/// points where the circles cross, the centroid is the point on the line of centres midway in the lens. Where the
/// centres coincide the normal is (1, 0). Containment: the area of the smaller disk, and a chord of length 0.
/// @param radius_a, radius_b [m]
/// @param b_in_a centre of b [m]
Overlap overlap_disks(double radius_a, double radius_b, const Vec2& b_in_a);

/// Overlap of a polygon (a) and a disk (b), in the frame of the polygon. The normal points from the point of the
/// outline that is nearest to the disk's centre to that centre (or outward across the nearest edge, if the centre is
/// inside, or outside by less than 1e-9 of the radius); depth = radius -+ the distance, the diameter at most. A disk
/// that lies all inside has a chord of length 0 at its centre. Otherwise area and chord are those of the disk's segment
/// beyond the line through the nearest point perpendicular to the normal: exact on an edge, an upper bound near a
/// vertex. The centroid is the point midway in the overlap along the normal.
/// @param centre of the disk in the frame of the polygon [m]
/// @param hint   any feature; becomes the one that is nearest to the centre, the hint for the next time: changes the
/// cost
///               and no bit of the result
/// Cost: O(1) for a good hint, O(vertices) for a bad one or where the centre is inside.
Overlap overlap_polygon_disk(const Outline& a, const Vec2& centre, double radius, Feature& hint);

}  // namespace scree
