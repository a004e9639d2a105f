#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "geometry/contact_shape.hpp"
#include "geometry/deterministic_math.hpp"
#include "geometry/vec.hpp"

/// When two convex bodies in free flight touch for the first time, and where.
namespace scree {

/// To and fro along a line: by amplitude sin(phase + angular_frequency wait).
struct RigidOscillation {
  Vec2 amplitude = Vec2::Zero();   ///< [m]
  double angular_frequency = 0.0;  ///< >= 0; 0: none [rad/s]
  double phase = 0.0;              ///< when the flight begins [rad]

  bool exists() const { return angular_frequency > 0.0; }
  /// After a wait [s]: where it is [m], how fast [m/s], and by what it is accelerated [m/s^2].
  struct Moment {
    Vec2 displacement;
    Vec2 velocity;
    Vec2 acceleration;
  };
  Moment after(double wait) const {
    const auto [sin, cos] = deterministic::sincos(phase + angular_frequency * wait);
    const Vec2 displacement = sin * amplitude;
    return {displacement, (angular_frequency * cos) * amplitude,
            (-angular_frequency * angular_frequency) * displacement};
  }
};

/// A body since its motion last changed: its origin moves with a constant acceleration, its frame turns at a constant
/// rate. It is rigid, or all of its lengths grow at a constant rate. A wall may oscillate, too.
struct RigidFlight {
  Vec2 position = Vec2::Zero();       ///< of the origin, at `time` [m]
  Vec2 velocity = Vec2::Zero();       ///< of the origin, at `time` [m/s]
  Vec2 acceleration = Vec2::Zero();   ///< gravity; what two bodies have in common changes nothing but roundings [m/s^2]
  double angle = 0.0;                 ///< at `time`, counter-clockwise [rad]
  double angular_velocity = 0.0;      ///< [rad/s]
  double time = 0.0;                  ///< [s]
  double size = 1.0;                  ///< what all lengths of the shape are multiplied by, at `time`
  double growth = 0.0;                ///< of the size, >= 0 [1/s]
  RigidOscillation oscillation = {};  ///< about `position`, and beside `velocity` and `acceleration`

  Vec2 position_at(double t) const {
    const Vec2 middle = middle_at(t);
    return oscillation.exists() ? Vec2(middle + oscillation.after(t - time).displacement) : middle;
  }
  Vec2 velocity_at(double t) const {
    const Vec2 steady = steady_velocity_at(t);
    return oscillation.exists() ? Vec2(steady + oscillation.after(t - time).velocity) : steady;
  }
  /// Without the oscillation.
  Vec2 middle_at(double t) const {
    const double wait = t - time;
    return position + wait * (velocity + (0.5 * wait) * acceleration);
  }
  Vec2 steady_velocity_at(double t) const { return velocity + (t - time) * acceleration; }
  double angle_at(double t) const { return angle + (t - time) * angular_velocity; }
  double size_at(double t) const { return size + (t - time) * growth; }
};

/// What touches: an edge of one body and a corner of the other; of a disk at a corner, that corner and the centre.
struct TouchingFeatures {
  static constexpr std::uint32_t kNone = 0xffffffff;

  bool edge_is_of_a = true;
  std::uint32_t edge = kNone;            ///< kNone if a disk touches a corner
  std::uint32_t corner = kNone;          ///< of the other body
  std::uint32_t nearest_corner = kNone;  ///< of the edge's owner, if a disk touches a corner

  bool operator==(const TouchingFeatures&) const = default;
};

struct FirstContact {
  enum class Kind : std::uint8_t {
    kNone,       ///< no contact until `latest`
    kContact,    ///< at `time`, and they approach
    kPaused,     ///< free until `time`, beyond which the search was not to go yet
    kUndecided,  ///< free until `time`, where the search gave up: a body turns too often
  };
  Kind kind = Kind::kNone;
  double time = std::numeric_limits<double>::infinity();  ///< not before both flights begin [s]
  TouchingFeatures features;                              ///< of a contact
  bool overlaps = false;  ///< deeper than rounding when both flights have begun: they touch at once, if they approach
  int looks = 0;          ///< at how many times the distances were calculated
};

/// How far the search for a first contact has come. Paused and gone on with, it finds the same.
struct FirstContactSearch {
  double wait = -1.0;     ///< for which the bodies are free, from when both flights have begun [s]; < 0: not begun
  double patience = 0.0;  ///< factor on the next step of bodies that touch and stay as they are
  int looks = 0;          ///< at how many times the distances were calculated
  TouchingFeatures likely = {};  ///< of the axis that separated the bodies longest at the last of these
};

/// More than bodies need that turn a thousand times while they pass each other.
inline constexpr int kMostLooks = 1000000;

/// The first contact of two convex bodies, from the moment when both flights have begun until `latest`.
///
/// Two convex polygons are disjoint if and only if an edge of one separates them: all corners of the other lie beyond
/// its line. A corner's distance from an edge's line, seen by the edge's owner, is a function of time whose second
/// derivative is bounded. So it stays positive at least as long as a parabola. The search goes on by the longest such
/// time that an edge guarantees for all corners. Each step is proven free up to rounding, so the first contact cannot
/// be missed, and the steps converge quadratically. Proof: docs/theory.md.
///
/// A pair that has just collided touches and moves apart: its parabola begins with 0 and rises, so the pair needs no
/// memory and no tolerance. Corner on corner and parallel edges are no special cases. Approaching more slowly than
/// rounding (8 epsilon of the speeds of all points) does not count. Bodies that overlap and approach touch at once
/// (Bannerman, Strobl, Formella & Poeschel, arXiv 1211.6718).
///
/// The time is a function of shapes and flights alone, to the last bit; `latest` only ends the search. Exchanging the
/// bodies changes no bit of it.
/// @param shift of the image of b that is meant [m]
/// Error: the bodies overlap at most by a few dozen roundings of their radii, of their coordinates, and of the ways
/// that their points have gone on the clock. Cost: about 9 evaluations of the distance for bodies that turn once while
/// they pass each other, 2 if they do not turn; one takes O(edges * corners). No allocation.
FirstContact first_contact(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                           const RigidFlight& flight_b, const Vec2& shift, double latest, int most_looks = kMostLooks);

/// The same, a part of it: the search goes on by a look, and by more until the bodies are free beyond `pause`. For the
/// earliest contact of several pairs: that whose bodies are free for the shortest time goes on.
FirstContact go_on(FirstContactSearch& search, const ContactShape& a, const RigidFlight& flight_a,
                   const ContactShape& b, const RigidFlight& flight_b, const Vec2& shift, double latest, double pause,
                   int most_looks = kMostLooks);

/// The contact at the time that first_contact() found for the same flights, by one look instead of all: its features.
FirstContact contact_at(double time, const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                        const RigidFlight& flight_b, const Vec2& shift);

/// A point at which two bodies touch, from the origins of both [m].
struct ContactPoint {
  Vec2 from_a;
  Vec2 from_b;
};

/// Where two bodies touch: a point, or the ends of the stretch that two edges have in common.
struct ContactPoints {
  Vec2 normal = Vec2::Zero();  ///< from a to b, of length 1 to rounding; zero if nothing touches
  int count = 0;               ///< of points
  std::array<ContactPoint, 2> points;
};

/// Where two bodies touch at the contact that first_contact() found for the same flights; no points if it found none.
/// Edges that are parallel to rounding touch along a stretch.
ContactPoints contact_points(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                             const RigidFlight& flight_b, const Vec2& shift, const FirstContact& contact);

namespace detail {
/// first_contact() with all bounds of second derivatives times a factor: with less than 1 contacts are missed.
FirstContact first_contact(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                           const RigidFlight& flight_b, const Vec2& shift, double latest, int most_looks,
                           double bound_factor);
}  // namespace detail

}  // namespace scree
