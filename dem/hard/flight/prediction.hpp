#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/tolerances.hpp"
#include "geometry/tolerances.hpp"
#include "geometry/vec.hpp"
#include "geometry/wide.hpp"

/// When disks in free flight collide with each other and with walls: interaction_time of Lubachevsky 1991, section 2.
///
/// Every time is a function of the flights alone, to the last bit: a collision that is predicted again, after an event
/// was invalidated, is predicted for the same time. No time lies before the flights involved begin: disks that overlap
/// by rounding and approach collide at once (Bannerman, Strobl, Formella & Poeschel, arXiv 1211.6718). Times are on the
/// simulation's clock [s]; kNever if there is no collision.
namespace scree::hard {

/// The field that bends all flights alike: none, or a uniform acceleration. These are types, so that straight flights
/// cost nothing more.
struct NoField {};
struct Gravity {
  Vec2 acceleration;  ///< [m/s^2]
};

using TwoNumbers = wide::Number<2>;  ///< of two disks
using wide::greater;
using wide::magnitude;

/// A vector whose components are Numbers.
template <class Number>
using VecOf = std::conditional_t<std::is_same_v<Number, double>, Vec2, wide::Vector<2>>;

/// A disk since its velocity last changed: the old event of Lubachevsky 1991, Eq. (11). Or two of them in TwoNumbers.
template <class Number>
struct FlightOf {
  VecOf<Number> position;  ///< of the centre, at `time` [m]
  VecOf<Number> velocity;  ///< at `time` [m/s]
  Number time;             ///< [s]
  Number radius;           ///< [m]

  /// From its beginning [m].
  VecOf<Number> displacement_until(Number t, NoField = {}) const { return (t - time) * velocity; }
  VecOf<Number> displacement_until(Number t, const Gravity& gravity) const {
    const Number wait = t - time;
    return wait * (velocity + (0.5 * wait) * gravity.acceleration);
  }
  template <class Field = NoField>
  VecOf<Number> position_at(Number t, const Field& field = {}) const {
    return position + displacement_until(t, field);
  }
  VecOf<Number> velocity_at(Number, NoField = {}) const { return velocity; }
  VecOf<Number> velocity_at(Number t, const Gravity& gravity) const {
    return velocity + (t - time) * gravity.acceleration;
  }
};
using Flight = FlightOf<double>;

inline VecOf<TwoNumbers> pack(const Vec2& a, const Vec2& b) {
  return {{a.x(), b.x()}, {a.y(), b.y()}};
}
inline FlightOf<TwoNumbers> pack(const Flight& a, const Flight& b) {
  return {pack(a.position, b.position), pack(a.velocity, b.velocity), {a.time, b.time}, {a.radius, b.radius}};
}

template <class Number>
VecOf<Number> relative_velocity(const FlightOf<Number>& a, const FlightOf<Number>& b, NoField) {
  return b.velocity - a.velocity;
}
/// Constant, since both fall alike.
template <class Number>
VecOf<Number> relative_velocity(const FlightOf<Number>& a, const FlightOf<Number>& b, const Gravity& gravity) {
  return (b.velocity - a.velocity) + (a.time - b.time) * gravity.acceleration;
}

/// Two disks' relative motion, which is straight, from the moment when both flights have begun. Exchanging the disks
/// changes signs only.
template <class Number>
struct ApproachOf {
  Number begin;            ///< [s]
  VecOf<Number> distance;  ///< from a's centre to b's at `begin` [m]
  VecOf<Number> velocity;  ///< of b relative to a [m/s]
};
using Approach = ApproachOf<double>;

/// @param shift of the image of b that is meant [m]
template <class Number, class Field = NoField>
[[gnu::always_inline]] inline ApproachOf<Number> approach(const FlightOf<Number>& a, const FlightOf<Number>& b,
                                                          const VecOf<Number>& shift, const Field& field = {}) {
  const Number begin = greater(b.time, a.time);
  return {begin, (b.position_at(begin, field) - a.position_at(begin, field)) + shift, relative_velocity(a, b, field)};
}

/// The discriminant b^2 - a c of a pair's quadratic equation where its digits are lost: from how close they pass by
/// each other, instead of a difference of numbers that are larger by the distance over the contact distance, squared.
/// @param contact distance between their centres where they touch, at the beginning [m]  @param rate of its growth
/// [m/s] Error: some roundings of (contact velocity)^2. Source of the cross product: Kahan, see C.-P. Jeannerod, N.
/// Louvet & J.-M. Muller, Math. Comp. 82 (2013) 2245.
inline double close_discriminant(const Approach& pair, double contact, double rate = 0.0) {
  const Vec2& d = pair.distance;
  const Vec2& v = pair.velocity;
  const double product = d.y() * v.x();
  const double missed = std::abs(std::fma(d.x(), v.y(), -product) + std::fma(-d.y(), v.x(), product));
  const double reached = (contact * v - rate * d).norm();
  return (reached - missed) * (reached + missed);
}

/// Whether too many digits of b^2 - a c are lost. True if the disks miss each other.
inline bool is_lost(double discriminant, double b_squared) {
  return discriminant < kLeastDiscriminant * b_squared;
}

/// Two disks' distance equals the sum of their radii where a t^2 + 2 b t + c = 0, t from `begin` on.
struct PairQuadratic {
  double begin;  ///< [s]
  double a;      ///< relative velocity squared [m^2/s^2]
  double b;      ///< < 0 if they approach [m^2/s]
  double c;      ///< [m^2]

  /// False only if they do not approach, pass by each other, or a bound rules out that they collide by then: as the
  /// root is at most -b / a, t >= c / (-2 b).
  bool can_collide_before(double latest) const {
    const double rounded_up = (1.0 + kDozensOfRoundings) * b;
    const double wait = begin - latest;
    return b < 0.0 && a * c <= rounded_up * rounded_up && c <= rounded_up * (wait + wait);
  }

  /// kNever if they do not collide. @pre they approach
  /// @param close their close_discriminant()
  /// Source: t = c / (-b + sqrt(b^2 - a c)) instead of (-b - sqrt(b^2 - a c)) / a of Lubachevsky's Eq. (2): no
  /// cancellation, never negative.
  template <class Close>
  double time(const Close& close) const {
    if (c <= 0.0) return begin;
    const double b_squared = b * b;
    double discriminant = b_squared - a * c;
    if (is_lost(discriminant, b_squared)) [[unlikely]]
      discriminant = close();
    if (!(discriminant >= 0.0)) return kNever;
    return begin + c / (std::sqrt(discriminant) - b);
  }
};

/// When two disks touch. @param contact distance of their centres then [m]
inline double collision_time(const Approach& pair, double contact) {
  const PairQuadratic disks{pair.begin, pair.velocity.squaredNorm(), pair.distance.dot(pair.velocity),
                            pair.distance.squaredNorm() - contact * contact};
  if (!disks.can_collide_before(kNever)) return kNever;
  return disks.time([&] { return close_discriminant(pair, contact); });
}

/// @param shift of the image of b that is meant [m]
template <class Field = NoField>
PairQuadratic pair_quadratic(const Flight& a, const Flight& b, const Vec2& shift, const Field& field = {}) {
  const Approach pair = approach(a, b, shift, field);
  const double contact = a.radius + b.radius;
  return {pair.begin, pair.velocity.squaredNorm(), pair.distance.dot(pair.velocity),
          pair.distance.squaredNorm() - contact * contact};
}

/// Discriminant of two disks' flights when they are close.
template <class Field = NoField>
double close_discriminant(const Flight& a, const Flight& b, const Vec2& shift, const Field& field = {}) {
  return close_discriminant(approach(a, b, shift, field), a.radius + b.radius);
}

/// When two disks touch.
template <class Field = NoField>
double collision_time(const Flight& a, const Flight& b, const Vec2& shift, const Field& field = {}) {
  const PairQuadratic disks = pair_quadratic(a, b, shift, field);
  if (!disks.can_collide_before(kNever)) return kNever;
  return disks.time([&] { return close_discriminant(a, b, shift, field); });
}

/// How long it takes until a gap is closed: the first t >= 0 with gap - closing t - acceleration t^2 / 2 <= 0 and
/// falling. kNever if there is none.
///
/// A gap that is closed already (by rounding) and closes further is hit at once. One that opens first and then closes
/// is hit when it is back at 0, or back at where it began if it never opens that far. Stable for any signs: no root is
/// a difference.
inline double closing_time(double gap, double closing, double acceleration) {
  const double discriminant = closing * closing + 2.0 * acceleration * gap;
  if (closing > 0.0) {
    if (gap <= 0.0) return 0.0;
    return discriminant >= 0.0 ? 2.0 * gap / (closing + std::sqrt(discriminant)) : kNever;
  }
  if (!(acceleration > 0.0)) return kNever;
  return discriminant > 0.0 ? (std::sqrt(discriminant) - closing) / acceleration : -2.0 * closing / acceleration;
}

/// When a coordinate of a flight leaves [lo, hi]; the flight's beginning if it is beyond and moves on outward.
struct AxisExit {
  double time;  ///< [s]
  bool above;   ///< at hi
};

/// A straight flight reaches the end to which it moves.
inline AxisExit axis_exit(const Flight& flight, int axis, double lo, double hi, NoField = {}) {
  const double v = flight.velocity[axis];
  const double x = flight.position[axis];
  if (v > 0.0) return {flight.time + std::max(hi - x, 0.0) / v, true};
  if (v < 0.0) return {flight.time + std::min(lo - x, 0.0) / v, false};
  return {kNever, false};
}

inline AxisExit axis_exit(const Flight& flight, int axis, double lo, double hi, const Gravity& gravity) {
  const double v = flight.velocity[axis];
  const double x = flight.position[axis];
  const double g = gravity.acceleration[axis];
  const double below = closing_time(x - lo, -v, -g);
  const double above = closing_time(hi - x, v, g);
  return {flight.time + std::min(below, above), above < below};
}

/// How long a point goes straight on until it leaves a circle [s]; 0 if it is beyond and moves on outward. Slower than
/// its clock resolves, it takes that long at least.
/// @param from_centre where it is [m]
inline double circle_exit(const Vec2& from_centre, const Vec2& velocity, double radius) {
  constexpr double kLeastSquare = 1e-290;  // of a speed: digits are lost below
  const double a = velocity.squaredNorm();
  if (a < kLeastSquare)
    return std::max(radius - from_centre.norm(), std::numeric_limits<double>::min()) / velocity.cwiseAbs().sum();
  const double b = from_centre.dot(velocity);
  const double c = from_centre.squaredNorm() - radius * radius;
  return std::max(std::sqrt(std::max(b * b - a * c, 0.0)) - b, 0.0) / a;
}

/// A bound: so long at least a falling point stays in the circle. It leaves half of the way to the circle to the fall.
/// @param acceleration its magnitude [m/s^2]
inline double circle_exit(const Vec2& from_centre, const Vec2& velocity, double radius, double acceleration) {
  const double fall = 0.5 * std::max(radius - from_centre.norm(), 0.0);
  return std::min(circle_exit(from_centre, velocity, radius - fall), std::sqrt(2.0 * fall / acceleration));
}

}  // namespace scree::hard
