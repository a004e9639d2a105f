#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "geometry/aabb.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// An invalid shape: the message has what is wrong and where (vertex number, value).
struct GeometryError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Running sums along an outline, so that the area and the moment of a long arc are the difference of two: over the
/// edges (p, q) from vertex 0 to this one, about the frame's origin.
struct ArcSum {
  double doubled_area = 0.0;   ///< of p x q [m^2]
  Vec2 moment = Vec2::Zero();  ///< of (p x q)(p + q): six times the first moment of area [m^3]
};

/// Outlines with no more vertices than this have no running sums: their arcs are summed vertex by vertex.
inline constexpr std::size_t kMostUnsummed = 16;

/// Vertices of a strictly convex polygon, counter-clockwise, in the frame of its body [m]: a view.
class Outline {
 public:
  Outline() = default;
  /// @param sums one for each vertex and one more, for the return to vertex 0 (append_arc_sums); nullptr: arcs of any
  /// length are summed vertex by vertex. Not read if there are kMostUnsummed vertices or fewer
  Outline(std::span<const Vec2> vertices, const ArcSum* sums = nullptr) : vertices_(vertices), sums_(sums) {}
  Outline(const std::vector<Vec2>& vertices) : vertices_(vertices) {}
  template <std::size_t N>
  Outline(const std::array<Vec2, N>& vertices) : vertices_(vertices) {}

  std::size_t size() const { return vertices_.size(); }
  bool empty() const { return vertices_.empty(); }
  const Vec2& operator[](std::size_t i) const { return vertices_[i]; }
  const Vec2& front() const { return vertices_.front(); }
  const Vec2& back() const { return vertices_.back(); }
  auto begin() const { return vertices_.begin(); }
  auto end() const { return vertices_.end(); }
  const ArcSum* sums() const { return sums_; }

 private:
  std::span<const Vec2> vertices_;
  const ArcSum* sums_ = nullptr;
};

/// Appends the running sums of an outline to `sums`: vertices + 1 of them, none for kMostUnsummed vertices or fewer.
void append_arc_sums(const Outline& outline, std::vector<ArcSum>& sums);

/// A strictly convex polygon in its own frame, whose origin is the centroid.
class Polygon {
 public:
  /// @param points at least 3, in order along the outline, in either sense [m]. Duplicate and collinear points are
  ///                merged: of two points nearer than 1e-9 of the extent one is removed, and so is a corner that is
  ///                nearer than 1e-9 of the extent to the line through its neighbours (far from the origin: nearer than
  ///                the rounding of the coordinates, 4 units in the last place of the largest). The first point that
  ///                remains becomes vertex 0.
  /// @throws GeometryError if a point is not finite, fewer than 3 remain, the area vanishes, the outline is not convex
  ///         or winds more than once.
  explicit Polygon(std::span<const Vec2> points);

  Outline vertices() const { return {vertices_, sums_.data()}; }  ///< about the centroid, counter-clockwise [m]
  const Vec2& centroid() const { return centroid_; }              ///< in the frame of the points it was made from [m]
  double area() const { return area_; }                           ///< [m^2]
  double second_moment() const { return second_moment_; }      ///< polar, about the centroid: integral of r^2 dA [m^4]
  double bounding_radius() const { return bounding_radius_; }  ///< of the circle about the centroid [m]
  double inner_radius() const { return inner_radius_; }        ///< distance of the nearest edge from the centroid [m]
  double longest_side() const { return longest_side_; }        ///< [m]

  /// This shape, `factor` times as large, as if made from points `factor` times as far from their origin.
  /// @pre factor > 0
  Polygon scaled(double factor) const;

 private:
  std::vector<Vec2> vertices_;
  std::vector<ArcSum> sums_;
  Vec2 centroid_ = Vec2::Zero();
  double area_ = 0.0;
  double second_moment_ = 0.0;
  double bounding_radius_ = 0.0;
  double inner_radius_ = 0.0;
  double longest_side_ = 0.0;
};

/// Distance from the origin, the centroid of the outline, to the nearest edge; infinite without vertices [m].
double inner_radius(const Outline& outline);

/// Diameter of the disk of equal area, the "size" of a grain [m].
double equivalent_diameter(double area);

/// The vertices of an outline that are farthest right, up, left and down.
using Extremes = std::array<std::uint32_t, 4>;

/// The smallest box around an outline at a pose.
/// @param extremes any vertices; set to those of this pose, the hint for the next call. The box does not depend on them
/// Cost: O(1) for a pose near that of the hint, otherwise O(vertices)
Aabb2 bounds(const Outline& outline, const Pose& pose, Extremes& extremes);
Aabb2 bounds(const Outline& outline, const Pose& pose);

}  // namespace scree
