#pragma once

#include <array>
#include <vector>

#include "dem/hard/clock.hpp"
#include "dem/hard/prediction.hpp"
#include "dem/scene.hpp"
#include "geometry/aabb.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// A disk beside a wall.
struct WallTouch {
  double gap;       ///< between disk and wall; < 0 if they overlap [m]
  Vec2 normal;      ///< unit, from the wall to the disk's centre
  Vec2 velocity;    ///< of the wall, if it reached as far as the disk's centre [m/s]
  double closing;   ///< speed at which the gap shrinks [m/s]
  double pressing;  ///< acceleration of `closing` as long as the normal stays, or a little more [m/s^2]
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
class Obstacle {
 public:
  /// @throws InvalidScene if it is not convex, or moves away along a periodic axis that it does not span
  Obstacle(const Wall& wall, const Domain& domain);

  /// Times are on this clock from now on, until it is set back again.
  void set_clock(const Clock& clock);

  /// When a flight first touches it, at `latest` at the latest; kNever if it does not. The answer does not depend on
  /// `latest`, nor on when it is asked.
  /// @param shift of the image of the wall that is meant [m]
  double contact_time(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest) const;
  WallTouch touch(const Flight& flight, const Vec2& gravity, const Vec2& shift, double time) const;

  /// What it stays inside from `time` on for so long [s].
  Aabb2 reach(double time, double duration) const;
  /// How long it takes at least to leave a box that is larger by a margin [m] on all sides than where it is [s].
  double time_to_leave(double margin) const;
  std::vector<Vec2> outline(double time) const;
  Vec2 centroid(double time) const;
  /// Velocity of the centroid, with that of a belt's surface [m/s].
  Vec2 velocity(double time) const;
  double angular_velocity() const { return spin_; }
  /// Of its surface, beyond that of its motion: a wall that spans a periodic axis is where it was, however far it goes.
  const Vec2& belt() const { return belt_; }

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
  struct Motion {
    Vec2 swing;     // of the oscillation
    Vec2 position;  // of the body's origin, with the swing
    Vec2 velocity;
    Vec2 acceleration;
    Rotation rotation;
  };
  struct Disk {
    Vec2 arm;  // from the body's origin to its centre
    Vec2 velocity;
    double radius;
  };

  bool is_steady() const { return spin_ == 0.0 && pulsation_ == 0.0; }
  Nearest nearest(const Vec2& p) const;
  Motion motion(double time) const;
  static Disk beside(const Motion& wall, const Flight& flight, const Vec2& gravity, const Vec2& shift, double time);
  WallTouch touch(const Motion& wall, const Disk& disk, const Vec2& gravity) const;
  double contact_with_steady(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest) const;
  double contact_with_unsteady(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest) const;
  double pressing(const Motion& wall, const Disk& disk, const Vec2& gravity, const Vec2& normal) const;
  double out_of_reach(const Motion& wall, const Disk& disk, const Vec2& gravity, const WallTouch& touch) const;

  std::vector<Edge> edges_;  // in the body's frame
  double extent_ = 0.0;      // greatest distance of a corner from the body's origin [m]
  Vec2 centroid_;            // in the body's frame
  Vec2 origin_;              // at time 0
  Vec2 travel_;              // constant part of the velocity [m/s]
  Vec2 belt_;
  Vec2 amplitude_;
  double frequency_;      // [1/s]
  double phase_;          // at time 0, in turns
  double pulsation_;      // 2 pi times the frequency; 0 if nothing oscillates [rad/s]
  double spin_;           // [rad/s]
  double window_ = 0.0;   // [s]
  Vec2 origin_on_clock_;  // when the clock shows 0
  double phase_on_clock_ = 0.0;
  double angle_on_clock_ = 0.0;
};

}  // namespace scree::hard
