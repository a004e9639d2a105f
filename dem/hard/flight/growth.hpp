#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "dem/hard/flight/prediction.hpp"
#include "geometry/tolerances.hpp"

/// Grains that grow in proportion to their sizes while they fly: Lubachevsky 1991, section 9; B. D. Lubachevsky & F. H.
/// Stillinger, J. Stat. Phys. 60 (1990) 561.
namespace scree::hard {

/// All radii are those of the flights, and all outlines those of the forms, times this scale, which is linear in time;
/// but for grains of groups with a rate of their own (GrowthShare).
struct Growth : NoField {
  double scale;  ///< when the clock shows 0
  double rate;   ///< >= 0 [1/s]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.scale, self.rate);
  }

  template <class Number>
  Number scale_at(const Number& time) const {
    return scale + rate * time;
  }
};

/// How a grain grows with the scale: its lengths are those of its flight and form times `fixed + growing * scale`.
struct GrowthShare {
  double fixed = 0.0;
  double growing = 1.0;

  double at(double scale) const { return fixed + growing * scale; }
};

/// A disk that grows. The radius of its flight is the part of the radius that the scale multiplies; the rest is fixed.
template <class Number>
struct GrowingOf {
  FlightOf<Number> flight;
  Number fixed;  ///< [m]
};
using Growing = GrowingOf<double>;

inline Growing growing(const Flight& flight, const GrowthShare& share) {
  Growing disk{flight, flight.radius * share.fixed};
  disk.flight.radius *= share.growing;
  return disk;
}
inline GrowingOf<TwoNumbers> pack(const Growing& a, const Growing& b) {
  return {pack(a.flight, b.flight), {a.fixed, b.fixed}};
}
/// The disk as large as it is when its flight begins.
inline Flight grown(const Growing& disk, const Growth& growth) {
  Flight flight = disk.flight;
  flight.radius = flight.radius * growth.scale_at(flight.time) + disk.fixed;
  return flight;
}
/// How fast its radius grows [m/s].
inline double rim_speed(const Growing& disk, const Growth& growth) {
  return disk.flight.radius * growth.rate;
}

/// Two growing disks touch where a t^2 + 2 b t + c = 0, t from `begin` on. a < 0: the rims grow faster than the centres
/// can part.
template <class Number>
struct GrowingPairQuadraticOf {
  Number begin;  ///< [s]
  Number a;      ///< relative velocity squared, less that of the sum of the radii [m^2/s^2]
  Number b;      ///< < 0 if the rims approach [m^2/s]
  Number c;      ///< [m^2]

  /// False only if a bound rules out that they collide by then: beyond the root a t^2 + 2 b t + c is negative if a < 0;
  /// if not, 2 b t + c is.
  auto can_collide_before(double latest) const {
    const Number zero = 0.0;
    const Number wait = latest - begin;
    const Number rounding = kDozensOfRoundings * (2.0 * magnitude(b) + magnitude(a) * wait);
    const Number closing = (greater(-a, zero) * wait - 2.0 * b) + rounding;
    if constexpr (std::is_same_v<Number, double>) {
      return c <= closing * wait && (b < 0.0 || a < 0.0);
    } else {
      return at_most(c, closing * wait) & (less(b, zero) | less(a, zero));
    }
  }
  GrowingPairQuadraticOf<double> operator[](unsigned lane) const { return {begin[lane], a[lane], b[lane], c[lane]}; }

  /// kNever if they do not collide. @param close their close_discriminant()
  template <class Close>
  double time(const Close& close) const {
    if (c <= 0.0) return b < 0.0 ? begin : kNever;
    const double b_squared = b * b;
    double discriminant = b_squared - a * c;
    if (is_lost(discriminant, b_squared)) discriminant = close();
    if (!(discriminant >= 0.0)) return kNever;
    const double root = std::sqrt(discriminant);
    if (b < 0.0) return begin + c / (root - b);
    return a < 0.0 ? begin - (b + root) / a : kNever;
  }
};
using GrowingPairQuadratic = GrowingPairQuadraticOf<double>;

/// Half the rate at which the square of the distance at which two disks touch grows [m^2/s].
template <class Number>
Number contact_growth(const GrowingOf<Number>& a, const GrowingOf<Number>& b, const Number& time,
                      const Growth& growth) {
  const Number sum = a.flight.radius + b.flight.radius;
  return (sum * growth.scale_at(time) + (a.fixed + b.fixed)) * (sum * growth.rate);
}

template <class Number>
GrowingPairQuadraticOf<Number> growing_pair_quadratic(const GrowingOf<Number>& a, const GrowingOf<Number>& b,
                                                      const VecOf<Number>& shift, const Growth& growth) {
  const ApproachOf<Number> pair = approach(a.flight, b.flight, shift);
  const Number sum = a.flight.radius + b.flight.radius;
  const Number contact = sum * growth.scale_at(pair.begin) + (a.fixed + b.fixed);
  const Number rate = sum * growth.rate;
  return {pair.begin, dot(pair.velocity, pair.velocity) - rate * rate,
          dot(pair.distance, pair.velocity) - contact * rate, dot(pair.distance, pair.distance) - contact * contact};
}

inline double close_discriminant(const Growing& a, const Growing& b, const Vec2& shift, const Growth& growth) {
  const Approach pair = approach(a.flight, b.flight, shift);
  const double sum = a.flight.radius + b.flight.radius;
  return close_discriminant(pair, sum * growth.scale_at(pair.begin) + (a.fixed + b.fixed), sum * growth.rate);
}

/// When a growing disk touches the side at lo or at hi; the beginning of the flight if it is beyond and still grows or
/// moves outward.
inline AxisExit side_exit(const Growing& disk, int axis, double lo, double hi, const Growth& growth) {
  const Flight& flight = disk.flight;
  const double radius = grown(disk, growth).radius;
  const double rate = rim_speed(disk, growth);
  const auto wait = [](double gap, double closing) { return closing > 0.0 ? std::max(gap, 0.0) / closing : kNever; };
  const double below = wait(flight.position[axis] - lo - radius, rate - flight.velocity[axis]);
  const double above = wait(hi - flight.position[axis] - radius, rate + flight.velocity[axis]);
  return {flight.time + std::min(below, above), above < below};
}

}  // namespace scree::hard
