#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/polygon.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A convex part of a shape: a polygon, or a disk where it has no corners.
struct ConvexPart {
  std::vector<Vec2> polygon = {};  ///< in either sense; empty: a disk [m]
  Vec2 centre = Vec2::Zero();      ///< of the disk [m]
  double radius = 0.0;             ///< of the disk [m]

  bool is_disk() const { return polygon.empty(); }
  bool operator==(const ConvexPart&) const = default;
};

/// What several parts make together, each point counted once.
struct Union {
  double area = 0.0;             ///< [m^2]
  Vec2 centroid = Vec2::Zero();  ///< in the frame of the parts [m]
  double second_moment = 0.0;    ///< polar, about the centroid [m^4]
  double bounding_radius = 0.0;  ///< of the circle about the centroid [m]
  double shared_area = 0.0;      ///< sum of the areas of the parts less that of the union [m^2]
  /// The boundary, counter-clockwise about the centroid, arcs as chords of at most 5 degrees. A hole is joined to it by
  /// a slit, 2e-4 of the extent wide, so that it is simple [m].
  std::vector<Vec2> outline = {};

  /// The same, `factor` times as large.
  Union scaled(double factor) const;
};

/// The exact union of parts. Points nearer than 1e-9 of the extent are the same, so that parts with a common edge have
/// no gap.
///
/// Method: of the boundary of each part the pieces that lie in no other part are those of the union; area and moments
/// follow from them by Green's theorem, for edges and arcs alike.
/// @throws GeometryError if a part is no convex polygon or disk, or if the parts do not hang together, along more than
/// a point Cost: O(n^2) for n corners and disks
Union unite(std::span<const ConvexPart> parts);

/// Splits the inside of a polygon that is not convex into convex polygons, counter-clockwise, that share edges and do
/// not overlap; no corners are added. A convex polygon is its only part.
/// The parts do not depend on the corner with which the list begins, nor on its sense.
/// Method: ears are cut off, the thickest first; then diagonals are taken away as long as what they part is convex
/// together: at most four times as many parts as needed.
/// Source: S. Hertel & K. Mehlhorn, Fast triangulation of simple polygons, Proc. 4th FCT (1983) 207.
/// @param points in order along the outline, in either sense
/// @throws GeometryError if a point is not finite, the area vanishes, or the outline meets itself
/// Cost: O(n^3) for n corners at worst
std::vector<std::vector<Vec2>> split_into_convex(std::span<const Vec2> points);

}  // namespace scree
