#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "geometry/aabb.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A shape that cannot be: says what is wrong and where (vertex number, value).
struct GeometryError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Vertices of a strictly convex polygon, counter-clockwise, in the frame of its body [m].
using Outline = std::span<const Vec2>;

/// A strictly convex polygon in its own frame, whose origin is the centroid.
class Polygon {
 public:
  /// @param points  at least 3, in order along the outline, either sense [m]. Duplicate and collinear points are
  ///                merged: two points nearer than 1e-9 of the extent are one, and so is a corner that stands out less
  ///                than 1e-9 of the extent from the line through its neighbours (far from the origin: less than
  ///                the rounding of the coordinates, 4 units in the last place of the largest).
  /// The first point that stays becomes vertex 0.
  /// @throws GeometryError if a point is not finite, fewer than 3 remain, the area vanishes, the outline is not convex
  ///         or winds more than once.
  explicit Polygon(std::span<const Vec2> points);

  Outline vertices() const { return vertices_; }               ///< about the centroid, counter-clockwise [m]
  const Vec2& centroid() const { return centroid_; }           ///< in the frame of the points it was made from [m]
  double area() const { return area_; }                        ///< [m^2]
  double second_moment() const { return second_moment_; }      ///< polar, about the centroid: integral of r^2 dA [m^4]
  double bounding_radius() const { return bounding_radius_; }  ///< of the circle about the centroid [m]
  double inner_radius() const { return inner_radius_; }        ///< distance of the nearest edge from the centroid [m]
  double longest_side() const { return longest_side_; }        ///< [m]

  /// The same shape, `factor` times as large, as if made from points `factor` times as far from their origin.
  /// @pre factor > 0
  Polygon scaled(double factor) const;

 private:
  std::vector<Vec2> vertices_;
  Vec2 centroid_ = Vec2::Zero();
  double area_ = 0.0;
  double second_moment_ = 0.0;
  double bounding_radius_ = 0.0;
  double inner_radius_ = 0.0;
  double longest_side_ = 0.0;
};

/// Diameter of the disk of equal area, the "size" of a grain [m].
double equivalent_diameter(double area);

/// The smallest box around an outline at a pose. Cost: O(vertices).
Aabb2 bounds(Outline outline, const Pose& pose);

}  // namespace scree
