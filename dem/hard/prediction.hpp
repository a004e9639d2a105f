#pragma once

#include <algorithm>
#include <cmath>

#include "dem/hard/event.hpp"
#include "geometry/vec.hpp"

/// When disks in free flight meet each other and walls: interaction_time of Lubachevsky 1991, section 2.
///
/// Every time is a function of the flights alone, to the last bit, whoever asks and whenever: a meeting that is
/// predicted again, because a plan was given up, is predicted for the same time. No time lies before the flights
/// involved begin: disks that overlap by rounding and approach meet at once (Bannerman, Strobl, Formella & Poeschel,
/// arXiv 1211.6718). Times are on the simulation's clock [s]; kNever if there is no meeting.
namespace scree::hard {

/// A disk since its velocity last changed: the old event of Lubachevsky 1991, Eq. (11).
struct Flight {
  Vec2 position;  ///< of the centre, at `time` [m]
  Vec2 velocity;  ///< [m/s]
  double time;    ///< [s]
  double radius;  ///< [m]

  Vec2 position_at(double t) const { return position + velocity * (t - time); }
};

/// Two disks' relative motion from the moment when both flights have begun. Exchanging the disks changes signs only.
struct Approach {
  double begin;   ///< [s]
  Vec2 distance;  ///< from a's centre to b's at `begin` [m]
  Vec2 velocity;  ///< of b relative to a [m/s]
};

/// @param shift of the image of b that is meant [m]
inline Approach approach(const Flight& a, const Flight& b, const Vec2& shift) {
  const double begin = std::max(a.time, b.time);
  return {begin, (b.position_at(begin) - a.position_at(begin)) + shift, b.velocity - a.velocity};
}

/// Two disks' distance equals the sum of their radii where a t^2 + 2 b t + c = 0, t from `begin` on.
struct Meeting {
  double begin;  ///< [s]
  double a;      ///< relative velocity squared [m^2/s^2]
  double b;      ///< < 0 if they approach [m^2/s]
  double c;      ///< [m^2]

  /// Whether they approach, and a bound does not rule out that they meet by then: as the root is at most -b / a,
  /// t >= c / (-2 b). Without a branch, since most pairs are dismissed here, unforeseeably which.
  bool may_come_by(double latest) const {
    constexpr double kRounding = 1.0 + 1e-14;
    return static_cast<int>(b < 0.0) & static_cast<int>(c <= (-2.0 * kRounding) * b * (latest - begin));
  }

  /// kNever if they do not meet. @pre they approach
  /// Source: t = c / (-b + sqrt(b^2 - a c)) instead of (-b - sqrt(b^2 - a c)) / a of Lubachevsky's Eq. (2): no
  /// cancellation, never negative.
  double time() const {
    if (c <= 0.0) return begin;
    const double discriminant = b * b - a * c;
    if (!(discriminant >= 0.0)) return kNever;
    return begin + c / (std::sqrt(discriminant) - b);
  }
};

/// @param shift of the image of b that is meant [m]
inline Meeting meeting(const Flight& a, const Flight& b, const Vec2& shift) {
  const Approach pair = approach(a, b, shift);
  const double contact = a.radius + b.radius;
  return {pair.begin, pair.velocity.squaredNorm(), pair.distance.dot(pair.velocity),
          pair.distance.squaredNorm() - contact * contact};
}

/// When two disks touch.
inline double collision_time(const Flight& a, const Flight& b, const Vec2& shift) {
  const Meeting disks = meeting(a, b, shift);
  return disks.may_come_by(kNever) ? disks.time() : kNever;
}

/// When a coordinate of the flight reaches `lo` or `hi`; the flight's beginning if it is beyond and moves on outward.
/// Which one is a matter of the sign of the velocity.
inline double exit_time(const Flight& flight, int axis, double lo, double hi) {
  const double v = flight.velocity[axis];
  const double x = flight.position[axis];
  if (v > 0.0) return flight.time + std::max(hi - x, 0.0) / v;
  if (v < 0.0) return flight.time + std::min(lo - x, 0.0) / v;
  return kNever;
}

}  // namespace scree::hard
