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

/// When two disks touch.
///
/// @param latest what is later than this is of no interest and may be answered by kNever: most pairs are then dismissed
///        before any square root. Does not change the times that are answered.
/// Source: t = c / (-b + sqrt(b^2 - a c)) instead of (-b - sqrt(b^2 - a c)) / a of Lubachevsky's Eq. (2): no
/// cancellation, never negative. As the root is at most -b, t >= c / (-2 b).
inline double collision_time(const Flight& a, const Flight& b, const Vec2& shift, double latest) {
  const Approach pair = approach(a, b, shift);
  const double bb = pair.distance.dot(pair.velocity);
  if (!(bb < 0.0)) return kNever;
  const double contact = a.radius + b.radius;
  const double c = pair.distance.squaredNorm() - contact * contact;
  if (c <= 0.0) return pair.begin;
  constexpr double kRounding = 1.0 + 1e-14;
  if (c > (-2.0 * kRounding) * bb * (latest - pair.begin)) return kNever;
  const double discriminant = bb * bb - pair.velocity.squaredNorm() * c;
  if (!(discriminant >= 0.0)) return kNever;
  return pair.begin + c / (std::sqrt(discriminant) - bb);
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
