#pragma once

#include <vector>

#include "dem/clock.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/wall.hpp"
#include "dem/wall_motion.hpp"
#include "geometry/aabb.hpp"
#include "geometry/contact_shape.hpp"
#include "geometry/first_contact.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// A disk beside a wall.
struct WallGap {
  double gap;                   ///< between disk and wall; < 0 if they overlap [m]
  Vec2 normal;                  ///< unit, from the wall to the disk's centre
  Vec2 velocity;                ///< of the wall, if it reached as far as the disk's centre [m/s]
  double closing_speed;         ///< speed at which the gap shrinks [m/s]
  double closing_acceleration;  ///< of the closing speed, as long as the normal stays, or a little more [m/s^2]
};

/// A wall for disks: a convex polygon, or a segment (two corners), of infinite mass and with prescribed motion.
///
/// The first contact of a flight with it is found by going from one bound to the next. The distance from a convex set
/// is a convex function of the place. So, seen from the wall, a disk is at least as far from it as from the line
/// through the wall's nearest point across the normal there; and it cannot touch the wall before it touches that line.
/// Where the wall stands or moves at a constant velocity, that moment is the root of a quadratic; the next bound starts
/// from there. At an edge the first bound is the contact; at a corner they converge like Newton's method, from the near
/// side, for the quartic of a parabola as well. Where the wall turns or oscillates, the acceleration towards the line
/// is bounded by what it is now and the greatest that it can change within a window, an eighth of a radian of the
/// motion long. No contact is jumped over, however grazing, but by rounding.
///
/// Source: the idea is that of conservative advancement (B. Mirtich, PhD thesis, Berkeley 1996).
class WallBody {
 public:
  /// @throws InvalidScene if it is not convex, or moves away along a periodic axis that it does not span
  WallBody(const Wall& wall, const Domain& domain);

  /// From now on times are on this clock, until it is set back again.
  void set_clock(const Clock& clock) { motion_.set_clock(clock); }

  /// When a flight first touches it, at `latest` at the latest; kNever if it does not. The result does not depend on
  /// `latest`.
  /// @param shift of the image of the wall that is meant [m]
  /// @param growth of the disk's radius, whose flight has that of its beginning; only if the wall is steady [m/s]
  double collision_time(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest,
                        double growth = 0.0) const;
  WallGap gap_to(const Flight& flight, const Vec2& gravity, const Vec2& shift, double time) const;

  /// How far a grain is from it; < 0 if they overlap. Between polygons at least so far [m].
  double gap_to(const ContactShape& shape, const Pose& pose, const Vec2& shift, double time) const;

  /// As polygons meet it: about its centroid, or about the point round which it turns.
  const ContactShape& contact_shape() const { return contact_shape_; }
  /// Flight of that shape from `time` on, until a tap begins or ends. The surface of a belt counts as fixed.
  RigidFlight rigid_flight(double time) const;
  /// What the shape's origin is accelerated by at that time [m/s^2].
  Vec2 acceleration(double time) const { return motion_.at(time).acceleration; }

  /// What it stays inside from `time` on for so long [s].
  Aabb2 reach(double time, double duration) const;
  /// How long it takes at least to leave a box that is larger by a margin [m] on all sides than where it is [s].
  double time_to_leave(double margin) const;
  /// When the tap that there is at a time, or the rest between two, begins and ends [s].
  double begin_of_tap(double time) const { return motion_.has_taps() ? motion_.tap_at(time).begin : -kNever; }
  double end_of_tap(double time) const { return motion_.has_taps() ? motion_.tap_at(time).end : kNever; }
  std::vector<Vec2> outline(double time) const;
  Vec2 centroid(double time) const;
  /// Velocity of the centroid, with that of a belt's surface [m/s].
  Vec2 velocity(double time) const;
  double angular_velocity() const { return motion_.angular_velocity(); }
  /// Velocity of its surface beyond that of its motion: a wall that spans a periodic axis is where it was, however far
  /// it goes.
  const Vec2& belt() const { return belt_; }
  /// Whether it has no end along a periodic axis.
  bool spans(const Domain& domain, int axis) const;

 private:
  struct Edge {
    Vec2 begin;
    Vec2 direction;  // unit
    double length;
  };
  struct Nearest {
    double distance;  // from the outline; < 0 inside [m]
    Vec2 normal;
  };
  struct RelativeDisk {
    Vec2 arm;  // from the origin of the wall's motion to its centre
    Vec2 velocity;
    double radius;
  };

  bool is_steady() const { return !motion_.turns() && !motion_.oscillates(); }
  Nearest nearest(const Vec2& p) const;
  static RelativeDisk relative_to(const WallMotion::Kinematics& wall, const Flight& flight, const Vec2& gravity,
                                  const Vec2& shift, double time);
  WallGap gap_to(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity) const;
  double collision_with_steady(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest,
                               double growth) const;
  double collision_with_unsteady(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest) const;
  double closing_acceleration(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity,
                              const Vec2& normal) const;
  double speed_without_oscillation() const;
  double out_of_reach(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity,
                      const WallGap& gap) const;

  WallMotion motion_;
  Vec2 belt_;                // [m/s]
  std::vector<Edge> edges_;  // from the origin of the motion
  double extent_ = 0.0;      // greatest distance of a corner from there [m]
  Vec2 centroid_;            // from there
  double window_ = 0.0;      // [s]
  ContactShape contact_shape_;
};

}  // namespace scree::hard
