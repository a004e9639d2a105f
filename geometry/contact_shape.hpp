#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// A convex shape as first_contact() reads it, in its own frame: a polygon, a segment or a disk.
class ContactShape {
 public:
  /// A corner and the edge from it to the next corner, counter-clockwise.
  struct Side {
    Vec2 corner;                 ///< [m]
    Vec2 normal = Vec2::Zero();  ///< of the edge, outward, of length 1
    double distance;             ///< of the corner from the origin [m]
    double offset = 0.0;         ///< of the edge along its normal: no corner is further out [m]
  };

  /// @param outline strictly convex, counter-clockwise; about the body's centre of mass, or about the point round which
  ///   a wall turns
  explicit ContactShape(const Outline& outline);
  /// A segment has no thickness. @pre begin != end
  static ContactShape segment(const Vec2& begin, const Vec2& end);
  /// About its centre. @pre radius > 0
  static ContactShape disk(double radius);
  /// All of its lengths multiplied. @pre size > 0
  ContactShape scaled(double size) const;

  std::span<const Side> sides() const { return sides_; }
  /// The edges are those of the first sides(): none of a disk, two of a segment.
  std::size_t edges() const { return sides_.size() > 1 ? sides_.size() : 0; }
  double rounding_radius() const { return rounding_radius_; }  ///< of a disk; 0 for the others [m]
  double bounding_radius() const { return bounding_radius_; }  ///< of the circle about the origin [m]
  /// Every line that has all corners on one side is at least this far from the origin, on the other side of it if this
  /// is negative [m].
  double inscribed_radius() const { return inscribed_radius_; }

 private:
  ContactShape() = default;

  std::vector<Side> sides_;
  double rounding_radius_ = 0.0;
  double bounding_radius_ = 0.0;
  double inscribed_radius_ = 0.0;
};

/// The greatest distance by which a line separates two shapes: along an edge of one of them, or across the way between
/// a disk and the nearest corner, or centre. Positive: they are disjoint; with a disk it is how far apart they are.
/// Negative: how deep they overlap [m]. Cost: O(edges * corners)
double separation(const ContactShape& a, const Pose& at_a, const ContactShape& b, const Pose& at_b);

/// At how many points two shapes are no further apart than the gap [m]: 0, 1, or the 2 ends of the stretch that two
/// edges have in common.
int near_points(const ContactShape& a, const Pose& at_a, const ContactShape& b, const Pose& at_b, double gap);

}  // namespace scree
