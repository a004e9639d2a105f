#include "geometry/first_contact.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "geometry/pose.hpp"
#include "geometry/tolerances.hpp"
#include "geometry/wide.hpp"
#include "geometry/wide_math.hpp"

namespace scree {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Overlap, in units of the sizes, that rounding of positions and angles gives bodies that do not touch.
/// 1.4e-16 m for two grains of 1 cm.
constexpr double kOverlapRounding = 64.0 * kEpsilon;

/// Distance, in units of the sizes, below which bodies touch. 9e-18 m for two grains of 1 cm.
constexpr double kTouching = 4.0 * kEpsilon;

/// Speed of approach, in units of the sum of all speeds, below which bodies do not approach.
constexpr double kRateRounding = 8.0 * kEpsilon;

/// In a step through an oscillation the phase changes by this much at most [rad].
constexpr double kPhaseStep = 0.125;

/// In a step bodies that grow do so by this part of their size at most.
constexpr double kGrowthStep = 0.125;

/// A body is seen as much larger than another one if it is this many times as large: its corners' accelerations are
/// then bounded by where they are, not by how far they may be.
constexpr double kMuchLarger = 4.0;

std::array<Rotation, 2> rotations_by(double a, double b) {
#ifdef __SSE2__
  wide::Number<2> sine;
  wide::Number<2> cosine;
  wide::sincos(wide::Number<2>(a, b), sine, cosine);
  return {{{cosine[0], sine[0]}, {cosine[1], sine[1]}}};
#else
  return {Rotation::by(a), Rotation::by(b)};
#endif
}

double square(double x) {
  return x * x;
}

/// How long f + rate t - bound t^2 / 2 stays positive. @param f >= 0
double time_to_zero(double f, double rate, double bound) {
  const double discriminant = rate * rate + 2.0 * bound * f;
  if (rate < 0.0) return discriminant >= 0.0 ? 2.0 * f / (std::sqrt(discriminant) - rate) : kNever;
  return bound > 0.0 ? (std::sqrt(discriminant) + rate) / bound : kNever;
}

/// f + rate t - bound t^2 / 2.
struct Parabola {
  double f;
  double rate;
  double bound;

  double at(double t) const { return f + t * (rate - (0.5 * t) * bound); }
  /// Of a value at that time, or of that time where the parabola is 0, if it is not larger than these in magnitude.
  double rounding_at(double t) const {
    return kDozensOfRoundings * (std::abs(f) + t * (std::abs(rate) + (0.5 * t) * std::abs(bound)));
  }
};

/// How b moves relative to a from `begin` on, in the directions of the world.
struct RelativeFlight {
  double begin;   ///< [s]
  Vec2 distance;  ///< without oscillations, as the next two
  Vec2 velocity;
  Vec2 acceleration;
  RigidOscillation oscillation_a;  ///< from `begin` on
  RigidOscillation oscillation_b;
  double angle_a;
  double angle_b;
  double size_a;  ///< at `begin`
  double size_b;
  double growth_a;  ///< [1/s]
  double growth_b;
  double rounding;  ///< of positions, at `begin` [m]

  RelativeFlight(const RigidFlight& a, const RigidFlight& b, const Vec2& shift)
      : begin(std::max(a.time, b.time)),
        acceleration(b.acceleration - a.acceleration),
        oscillation_a(later(a.oscillation, begin - a.time)),
        oscillation_b(later(b.oscillation, begin - b.time)),
        angle_a(a.angle_at(begin)),
        angle_b(b.angle_at(begin)),
        size_a(a.size_at(begin)),
        size_b(b.size_at(begin)),
        growth_a(a.growth),
        growth_b(b.growth) {
    const Vec2 position_a = a.middle_at(begin);
    const Vec2 position_b = b.middle_at(begin);
    distance = (position_b - position_a) + shift;
    velocity = b.steady_velocity_at(begin) - a.steady_velocity_at(begin);
    const double largest = std::max({position_a.cwiseAbs().maxCoeff(), position_b.cwiseAbs().maxCoeff(),
                                     a.position.cwiseAbs().maxCoeff(), b.position.cwiseAbs().maxCoeff()});
    rounding = 4.0 * kEpsilon * std::max(largest, shift.cwiseAbs().maxCoeff());
  }
  Vec2 middle_distance_after(double wait) const { return distance + wait * (velocity + (0.5 * wait) * acceleration); }
  Vec2 steady_velocity_after(double wait) const { return velocity + wait * acceleration; }
  // With oscillations.
  Vec2 distance_after(double wait) const {
    return with_oscillations(middle_distance_after(wait), wait, &RigidOscillation::Moment::displacement);
  }
  Vec2 velocity_after(double wait) const {
    return with_oscillations(steady_velocity_after(wait), wait, &RigidOscillation::Moment::velocity);
  }
  Vec2 acceleration_after(double wait) const {
    return with_oscillations(acceleration, wait, &RigidOscillation::Moment::acceleration);
  }

  bool grows() const { return growth_a > 0.0 || growth_b > 0.0; }
  bool has_sizes() const { return grows() || size_a != 1.0 || size_b != 1.0; }
  bool oscillates() const { return oscillation_a.exists() || oscillation_b.exists(); }
  /// Greatest length of the n-th derivative of what oscillations add to the distance [m/s^n].
  double greatest_derivative(int n) const {
    double sum = 0.0;
    for (const RigidOscillation* oscillation : {&oscillation_a, &oscillation_b}) {
      double greatest = oscillation->amplitude.norm();
      for (int k = 0; k < n; ++k) greatest *= oscillation->angular_frequency;
      if (oscillation->exists()) sum += greatest;
    }
    return sum;
  }

 private:
  Vec2 with_oscillations(Vec2 sum, double wait, Vec2 RigidOscillation::Moment::*what) const {
    if (oscillation_a.exists()) sum -= oscillation_a.after(wait).*what;
    if (oscillation_b.exists()) sum += oscillation_b.after(wait).*what;
    return sum;
  }
  static RigidOscillation later(RigidOscillation oscillation, double by) {
    oscillation.phase += oscillation.angular_frequency * by;
    return oscillation;
  }
};

/// Bounds on how an acceleration known at one time changes for some time after.
struct Change {
  double greatest;       ///< magnitude of the acceleration at any time [m/s^2]
  double jerk = 0.0;     ///< by which it changes at most [m/s^3]
  double span = kNever;  ///< for which it is known by that [s]
};

Change change_of(const RelativeFlight& pair) {
  const double steady = pair.acceleration.norm();
  if (!pair.oscillates()) return {.greatest = steady};
  return {.greatest = steady + pair.greatest_derivative(2),
          .jerk = pair.greatest_derivative(3),
          .span = kPhaseStep / (pair.oscillation_a.angular_frequency + pair.oscillation_b.angular_frequency)};
}

/// The size of a body that does not grow.
struct FixedSize {
  static constexpr double now = 1.0;
  static constexpr double growth = 0.0;

  static FixedSize at(double, double) { return {}; }
  static constexpr bool grows() { return false; }
  static constexpr double greatest() { return 1.0; }
  static constexpr double longest_step() { return kNever; }
};

/// The size of a body at one time, and its growth.
struct GrowingSize {
  double now;
  double growth;  ///< [1/s]

  static GrowingSize at(double now, double growth) { return {now, growth}; }

  bool grows() const { return growth > 0.0; }
  double greatest() const { return grows() ? (1.0 + kGrowthStep) * now : now; }          ///< in the course of a step
  double longest_step() const { return grows() ? kGrowthStep * now / growth : kNever; }  ///< [s]
};

/// A line that separates the bodies: an edge of one of them, or the tangent at one of its corners that faces a disk.
struct Axis {
  double step = -1.0;   ///< how long it separates them for sure; negative: it does not [s]
  double value = 0.0;   ///< distance from the line of the corner that may reach it first [m]
  double rate = 0.0;    ///< of the value [m/s]
  bool is_near = true;  ///< false: no corner is known, since the bounding circle is beyond the line
  TouchingFeatures features;
};

/// What counts as rounding at one time.
struct Rounding {
  double overlap;   ///< [m]
  double touching;  ///< [m]
  double rate;      ///< [m/s]
  double patience;  ///< by how much longer than the shortest time bodies that touch may stay as they are

  /// How long f + approach t - bound t^2 / 2 stays positive; of bodies that touch, how long they get no deeper than
  /// they are but by less than rounding.
  ///
  /// Bodies that move apart go up and come back to 0, or, if they began too deep for that, up to their highest point:
  /// so they get no deeper by touching again and again. Bodies that touch and stay as they are, to rounding, must get
  /// on, too: until the rate may be more than rounding, which takes `rate / bound`, and, if it is not, for longer and
  /// longer.
  double safe_step(double f, double approach, double bound) const {
    if (f > touching || approach < -rate) return time_to_zero(std::max(f, 0.0), approach, bound);
    if (approach > rate) {
      if (bound <= 0.0) return kNever;
      return (approach + std::sqrt(std::max(approach * approach + 2.0 * bound * f, 0.0))) / bound;
    }
    const double within_rounding = time_to_zero(std::max(f, 0.0) + 0.5 * overlap, approach, bound);
    return bound > 0.0 ? std::min(patience * (rate / bound), within_rounding) : within_rounding;
  }
  bool stay_as_they_are(double f, double approach) const { return f <= touching && std::abs(approach) <= rate; }
};

/// The other body's motion in the frame of the one that owns the edges, at one time.
template <class Size>
struct View {
  const ContactShape& own;
  const ContactShape& other;
  Size own_size;
  Size other_size;
  bool own_is_a;
  Vec2 distance;      ///< of the other's origin from the owner's [m]
  Vec2 velocity;      ///< of the other's origin; the turning of the frame is not in it [m/s]
  Vec2 acceleration;  ///< the same [m/s^2]
  Change change;      ///< of the acceleration
  Rotation other_in_own;
  double spin;        ///< of the owner [rad/s]
  double other_spin;  ///< [rad/s]
};

/// @param distance, velocity, acceleration of the other body relative to the owner, in the directions of the world
template <class Size>
View<Size> view_of(const ContactShape& own, const ContactShape& other, const Size& own_size, const Size& other_size,
                   bool own_is_a, const Vec2& distance, const Vec2& velocity, const Vec2& acceleration,
                   const Change& change, const Rotation& rotation, const Rotation& other_rotation, double spin,
                   double other_spin) {
  const Rotation back = rotation.inverse();
  return {own,
          other,
          own_size,
          other_size,
          own_is_a,
          back * distance,
          back * velocity,
          back * acceleration,
          change,
          back * other_rotation,
          spin,
          other_spin};
}

/// |f''| <= base + per_radius |b| + per_distance |p| during a step up to `horizon`, for a corner b of the other body
/// that is now at p.
struct Bound {
  double base;          ///< [m/s^2]; without what -n . acceleration adds if the owner does not turn
  double per_radius;    ///< [1/s^2]
  double per_distance;  ///< [1/s^2]
  double horizon;       ///< [s]
};

/// The second derivative of p is a - 2 w x v - w^2 r - W^2 (p - r), with the owner's spin w and the relative spin W;
/// or, with w^2 p in it, a - 2 w x v - w^2 p - (W^2 - w^2)(p - r). Where the other body grows, p - r = s R b turns and
/// gets longer: 2 s' W x R b comes on top.
/// @param reach no contact is possible at a greater distance of the origins [m]
template <class Size>
Bound bound_of(const View<Size>& view, double reach) {
  const double spin = std::abs(view.spin);
  const double relative_spin = view.other_spin - view.spin;
  const double size = view.other_size.greatest();
  const double growing = 2.0 * view.other_size.growth * std::abs(relative_spin);
  const double longest_step = std::min(view.own_size.longest_step(), view.other_size.longest_step());
  if (spin == 0.0) {
    const double changes = view.change.jerk > 0.0 ? view.change.jerk * view.change.span : 0.0;
    return {changes, size * square(view.other_spin) + growing, 0.0, std::min(view.change.span, longest_step)};
  }
  const double speed = view.velocity.norm();
  const double acceleration = view.change.greatest;
  const double own = view.own_size.now * view.own.bounding_radius();
  const double other_radius = view.other.bounding_radius() - view.other.rounding_radius();
  const double other = size * other_radius;
  if (other > kMuchLarger * own) {  // until the horizon corners move by at most the owner's radius
    const double gain = std::sqrt(acceleration * own);
    const double fastest = speed + std::abs(view.other_spin) * other + gain + view.other_size.growth * other_radius;
    return {acceleration + 2.0 * spin * (speed + gain) + square(spin) * own,
            size * std::abs(view.other_spin * (view.other_spin - 2.0 * view.spin)) + growing, square(spin),
            std::min(own / fastest, longest_step)};
  }
  const double per_radius = size * square(relative_spin) + growing;
  if (acceleration == 0.0) {  // they go through the reach once
    return {2.0 * spin * speed + square(spin) * reach, per_radius, 0.0, longest_step};
  }
  const double gain = std::sqrt(acceleration * reach);  // until the horizon the origins move by at most the reach
  return {acceleration + 2.0 * spin * (speed + gain) + square(spin) * (view.distance.norm() + reach), per_radius, 0.0,
          std::min(reach / (speed + gain), longest_step)};
}

/// A line of the owner's frame: all of the owner, at size 1, lies at n . x <= offset.
struct Line {
  Vec2 normal;
  double offset;
};

/// How long a line separates the bodies, if that is longer than `longest`; otherwise the step may be less than it is.
/// @param or_as_long  as long counts, too
template <class Size>
Axis separation(const View<Size>& view, const Line& line, const Bound& bound, const Rounding& rounding, double factor,
                double longest, bool or_as_long) {
  const Vec2& n = line.normal;
  const double along = n.dot(view.distance);
  const double own_extent = line.offset + view.own.rounding_radius();
  const double value = along - view.own_size.now * own_extent - view.other_size.now * view.other.rounding_radius();
  const std::span<const ContactShape::Side> sides = view.other.sides();
  const Vec2 m = view.other_in_own.inverse() * n;
  std::size_t deepest = 0;
  double least = m.dot(sides[0].corner);
  for (std::size_t j = 1; j < sides.size(); ++j) {
    const double reaches = m.dot(sides[j].corner);
    if (!(reaches < least)) continue;
    least = reaches;
    deepest = j;
  }
  if (value + view.other_size.now * least < -rounding.overlap) return {};
  const double across = cross(n, view.distance);
  const double rate = n.dot(view.velocity) + view.spin * across -
                      (view.own_size.growth * own_extent + view.other_size.growth * view.other.rounding_radius());
  const double relative_spin = view.other_spin - view.spin;
  const double base = view.spin == 0.0 ? bound.base - n.dot(view.acceleration) : bound.base;
  Axis axis;
  double disk_step = -1.0;  // of the circle around the other body, which cannot turn towards the line
  const double circle_radius = view.other.bounding_radius() - view.other.rounding_radius();
  const double from_circle = value - view.other_size.now * circle_radius;
  const double circle_rate = rate - view.other_size.growth * circle_radius;
  // Parabolas begin above 0 and are concave, or rise: one that is below 0 at a time has its zero before, one that is
  // above 0 after it. So most lines and corners are dismissed without a root, and where rounding might decide, none is.
  const double of_centre =
      bound.per_distance > 0.0 ? bound.per_distance * std::sqrt(square(along) + square(across)) : 0.0;
  const double other_extent = view.other_size.now * circle_radius;
  const Parabola greatest{
      std::abs(value) + other_extent,
      std::abs(rate) + std::abs(relative_spin) * other_extent + view.other_size.growth * circle_radius,
      factor *
          (std::abs(base) + of_centre + bound.per_radius * circle_radius + 2.0 * bound.per_distance * other_extent)};
  const bool has_rival = longest > 0.0 && longest < kNever;
  const double below = has_rival ? -greatest.rounding_at(longest) : -kNever;
  if (from_circle > rounding.touching) {
    const Parabola circle{from_circle, circle_rate, factor * (base + of_centre)};
    if (!(has_rival && circle.at(longest) < below)) {
      disk_step = std::min(time_to_zero(circle.f, circle.rate, circle.bound), bound.horizon);
    }
  }
  const auto parabola_of = [&](std::size_t j) -> Parabola {
    const Vec2& b = sides[j].corner;
    const double turned = view.other_size.now * m.dot(perp(b));
    const double reaches = m.dot(b);
    const double advanced = view.other_size.now * reaches;
    double most = base + bound.per_radius * sides[j].distance;
    if (bound.per_distance > 0.0) {
      most += bound.per_distance * std::sqrt(square(along + advanced) + square(across - turned));
    }
    return {value + advanced, rate + relative_spin * turned + view.other_size.growth * reaches, factor * most};
  };
  const auto step_of = [&](const Parabola& of_corner) {
    return std::min(rounding.safe_step(of_corner.f, of_corner.rate, of_corner.bound), bound.horizon);
  };
  const Parabola first = parabola_of(deepest);
  if (has_rival && disk_step < longest && first.f > rounding.touching && first.at(longest) < below) return {};
  double corner_step = step_of(first);
  std::size_t corner = deepest;
  axis.value = first.f;
  axis.rate = first.rate;
  const auto may_be_best = [&] {
    return corner_step > disk_step && (or_as_long ? corner_step >= longest : corner_step > longest);
  };
  double above = corner_step < kNever ? greatest.rounding_at(corner_step) : kNever;
  for (std::size_t j = 0; j < sides.size() && may_be_best(); ++j) {
    if (j == deepest) continue;
    const Parabola next = parabola_of(j);
    if (next.f > rounding.touching && corner_step < kNever && next.at(corner_step) > above) continue;
    const double step = step_of(next);
    if (step > corner_step || (step == corner_step && corner < j)) continue;
    corner_step = step;
    corner = j;
    axis.value = next.f;
    axis.rate = next.rate;
    above = corner_step < kNever ? greatest.rounding_at(corner_step) : kNever;
  }
  axis.is_near = corner_step > disk_step;
  axis.step = std::max(corner_step, disk_step);
  axis.features.edge_is_of_a = view.own_is_a;
  axis.features.corner = static_cast<std::uint32_t>(corner);
  if (!axis.is_near) {
    axis.value = from_circle;
    axis.rate = circle_rate;
  }
  return axis;
}

/// The tangent at the corner that is nearest to a disk's centre, if the centre is in the corner's cone.
template <class Size>
std::optional<std::uint32_t> facing_corner(const View<Size>& view) {
  const std::span<const ContactShape::Side> sides = view.own.sides();
  const auto away_from = [&](std::size_t corner) -> Vec2 {
    return view.distance - view.own_size.now * sides[corner].corner;
  };
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < sides.size(); ++i) {
    if (away_from(i).squaredNorm() < away_from(nearest).squaredNorm()) nearest = i;
  }
  const Vec2 away = away_from(nearest);
  if (sides.size() > 1) {
    const Vec2& next = sides[nearest + 1 < sides.size() ? nearest + 1 : 0].corner;
    const Vec2& previous = sides[nearest > 0 ? nearest - 1 : sides.size() - 1].corner;
    if (away.dot(next - sides[nearest].corner) > 0.0 || away.dot(previous - sides[nearest].corner) > 0.0) return {};
  }
  if (away == Vec2::Zero()) return {};
  return static_cast<std::uint32_t>(nearest);
}

template <class Size>
Line tangent_at(const View<Size>& view, std::uint32_t corner) {
  const Vec2& at = view.own.sides()[corner].corner;
  const Vec2 normal = (view.distance - view.own_size.now * at).normalized();
  return {normal, normal.dot(at)};
}

/// Whether an edge comes before the one of an axis: those of a come first.
bool is_earlier(bool edge_is_of_a, std::uint32_t edge, const TouchingFeatures& other) {
  return edge_is_of_a == other.edge_is_of_a ? edge < other.edge : edge_is_of_a;
}

/// Improves `best` by an edge of the view's owner. Of edges that separate equally long the first one is the best.
/// @param is_before  the edge comes before that of `best`
template <class Size>
void look_along_edge(const View<Size>& view, std::uint32_t edge, const Bound& bound, const Rounding& rounding,
                     double factor, bool is_before, Axis& best) {
  const ContactShape::Side& side = view.own.sides()[edge];
  Axis axis = separation(view, {side.normal, side.offset}, bound, rounding, factor, best.step, is_before);
  if (!(is_before ? axis.step >= best.step : axis.step > best.step)) return;
  axis.features.edge = edge;
  best = axis;
}

/// Improves `best` by the edges of the view's owner.
/// @param first an edge whose axis `best` is already, if there is one
template <class Size>
void look_along(const View<Size>& view, const Bound& bound, const Rounding& rounding, double factor,
                const TouchingFeatures& first, Axis& best) {
  // An edge separates the other body only if it separates the circle inscribed in it.
  const double least = view.own_size.now * view.own.rounding_radius() - 2.0 * rounding.overlap +
                       view.other_size.now * (view.other.rounding_radius() + view.other.inscribed_radius());
  const auto edges = static_cast<std::uint32_t>(view.own.edges());
  for (std::uint32_t i = 0; i < edges; ++i) {
    const ContactShape::Side& side = view.own.sides()[i];
    if (side.normal.dot(view.distance) - view.own_size.now * side.offset < least) continue;
    if (first.edge_is_of_a == view.own_is_a && first.edge == i) continue;
    const bool is_before = best.step >= 0.0 && is_earlier(view.own_is_a, i, best.features);
    look_along_edge(view, i, bound, rounding, factor, is_before, best);
  }
  if (view.other.sides().size() > 1) return;
  const auto corner = facing_corner(view);
  if (!corner) return;
  Axis axis = separation(view, tangent_at(view, *corner), bound, rounding, factor, best.step, false);
  if (!(axis.step > best.step)) return;
  axis.features.nearest_corner = *corner;
  best = axis;
}

/// At a greater distance of their origins bodies do not touch in the course of a step [m].
template <class Size>
double reach_of(const ContactShape& a, const Size& size_a, const ContactShape& b, const Size& size_b,
                const RelativeFlight& pair) {
  return (1.0 + kDozensOfRoundings) *
             (size_a.greatest() * a.bounding_radius() + size_b.greatest() * b.bounding_radius()) +
         pair.rounding;
}

bool are_disks(const ContactShape& a, const ContactShape& b) {
  return a.edges() == 0 && b.edges() == 0;
}

/// Two bodies at one time of their flights.
template <class Size>
struct Look {
  Vec2 distance;  ///< in the directions of the world [m]
  Vec2 velocity;  ///< [m/s]
  Vec2 acceleration;
  Change change;
  std::array<Rotation, 2> rotations;  ///< of a and b
  double spin_a;                      ///< of two disks 0: that they turn matters nothing [rad/s]
  double spin_b;
  Size size_a;
  Size size_b;
  View<Size> by_a;
  View<Size> by_b;
  Rounding rounding;
  double reach;       ///< [m]
  double fastest;     ///< no point of one moves faster relative to one of the other, within reach [m/s]
  double least_step;  ///< in which nothing moves by more than rounding [s]
  double factor;

  Look(const ContactShape& shape_a, const RigidFlight& flight_a, const ContactShape& shape_b,
       const RigidFlight& flight_b, const RelativeFlight& pair, double wait, double bound_factor, double patience)
      : distance(pair.distance_after(wait)),
        velocity(pair.velocity_after(wait)),
        acceleration(pair.acceleration_after(wait)),
        change(change_of(pair)),
        rotations(rotations_by(pair.angle_a + flight_a.angular_velocity * wait,
                               pair.angle_b + flight_b.angular_velocity * wait)),
        spin_a(are_disks(shape_a, shape_b) ? 0.0 : flight_a.angular_velocity),
        spin_b(are_disks(shape_a, shape_b) ? 0.0 : flight_b.angular_velocity),
        size_a(Size::at(pair.size_a + pair.growth_a * wait, pair.growth_a)),
        size_b(Size::at(pair.size_b + pair.growth_b * wait, pair.growth_b)),
        by_a(view_of(shape_a, shape_b, size_a, size_b, true, distance, velocity, acceleration, change, rotations[0],
                     rotations[1], spin_a, spin_b)),
        by_b(view_of(shape_b, shape_a, size_b, size_a, false, -distance, -velocity, -acceleration, change, rotations[1],
                     rotations[0], spin_b, spin_a)),
        factor(bound_factor) {
    const double size = size_a.now * shape_a.bounding_radius() + size_b.now * shape_b.bounding_radius();
    const double growing = size_a.growth * shape_a.bounding_radius() + size_b.growth * shape_b.bounding_radius();
    reach = reach_of(shape_a, size_a, shape_b, size_b, pair);
    fastest = velocity.norm() + size * (std::abs(spin_a) + std::abs(spin_b)) + growing;
    const double clock = std::abs(pair.begin) + wait;
    rounding = {kOverlapRounding * size + 16.0 * kEpsilon * (fastest * clock) + pair.rounding, kTouching * size,
                kRateRounding * fastest, patience};
    const double least = kEpsilon * size;
    least_step = std::max(least / (fastest + std::sqrt(change.greatest * least)), kEpsilon * clock);
  }

  /// The axis that separates the bodies longest.
  /// @param likely the axis that does so, probably: others are then dismissed sooner
  Axis longest(const TouchingFeatures& likely) const {
    Axis best;
    const Bound bound_a = bound_of(by_a, reach);
    const Bound bound_b = bound_of(by_b, reach);
    if (likely.edge != TouchingFeatures::kNone) {
      look_along_edge(likely.edge_is_of_a ? by_a : by_b, likely.edge, likely.edge_is_of_a ? bound_a : bound_b, rounding,
                      factor, false, best);
    }
    look_along(by_a, bound_a, rounding, factor, likely, best);
    look_along(by_b, bound_b, rounding, factor, likely, best);
    return best;
  }

  /// The axis along which bodies that overlap do so least.
  Axis least_deep() const {
    Axis best;
    best.value = -kNever;
    deepen(by_a, best);
    deepen(by_b, best);
    return best;
  }

 private:
  void deepen(const View<Size>& view, Axis& best) const {
    const Bound bound = bound_of(view, reach);
    const auto improve = [&](const Line& line, std::uint32_t edge, std::uint32_t nearest_corner) {
      const Vec2 m = view.other_in_own.inverse() * line.normal;
      const std::span<const ContactShape::Side> sides = view.other.sides();
      std::size_t deepest = 0;
      for (std::size_t j = 1; j < sides.size(); ++j) {
        if (m.dot(sides[j].corner) < m.dot(sides[deepest].corner)) deepest = j;
      }
      const Vec2& corner = sides[deepest].corner;
      const double own_extent = line.offset + view.own.rounding_radius();
      const double value = line.normal.dot(view.distance) + view.other_size.now * m.dot(corner) -
                           view.own_size.now * own_extent - view.other_size.now * view.other.rounding_radius();
      if (!(value > best.value)) return;
      best.value = value;
      best.rate = line.normal.dot(view.velocity) + view.spin * cross(line.normal, view.distance) +
                  (view.other_spin - view.spin) * (view.other_size.now * m.dot(perp(corner))) +
                  view.other_size.growth * (m.dot(corner) - view.other.rounding_radius()) -
                  view.own_size.growth * own_extent;
      best.features = {.edge_is_of_a = view.own_is_a,
                       .edge = edge,
                       .corner = static_cast<std::uint32_t>(deepest),
                       .nearest_corner = nearest_corner};
      const double most =
          bound.base + view.change.greatest + bound.per_radius * sides[deepest].distance +
          bound.per_distance * (view.distance + view.other_size.now * (view.other_in_own * corner)).norm();
      best.step = std::min(rounding.safe_step(value, best.rate, factor * most), bound.horizon);
    };
    for (std::size_t i = 0; i < view.own.edges(); ++i) {
      const ContactShape::Side& side = view.own.sides()[i];
      improve({side.normal, side.offset}, static_cast<std::uint32_t>(i), TouchingFeatures::kNone);
    }
    if (view.other.sides().size() > 1) return;
    if (const auto corner = facing_corner(view)) improve(tangent_at(view, *corner), TouchingFeatures::kNone, *corner);
  }
};

/// When the origins are within reach, of bodies that move straight.
struct Passage {
  double in;
  double out;
};

/// The window of the bounding circles; none if they miss each other. How close they pass is a cross product: a
/// difference of squares would lose it far away.
std::optional<Passage> passage(const RelativeFlight& pair, double reach) {
  const double speed = pair.velocity.norm();
  const double distance = pair.distance.norm();
  const double towards = -pair.distance.dot(pair.velocity);
  const double outside = (distance - reach) * (distance + reach);
  if (speed == 0.0) return outside <= 0.0 ? std::optional<Passage>({0.0, kNever}) : std::nullopt;
  const double missed = std::abs(cross(pair.distance, pair.velocity));
  const double discriminant = (reach * speed - missed) * (reach * speed + missed);
  if (outside > 0.0) {
    if (!(towards > 0.0) || discriminant < 0.0) return std::nullopt;
    const double root = std::sqrt(discriminant);
    return Passage{outside / (towards + root), (towards + root) / square(speed)};
  }
  const double root = std::sqrt(std::max(discriminant, 0.0));
  return Passage{0.0, towards > 0.0 ? (towards + root) / square(speed) : -outside / (root - towards)};
}

/// How long the bounding circles of bodies in a field, or that grow, stay apart: along the line of their centres now.
/// @param growing of the sum of their radii [m/s]
double circles_apart(const RelativeFlight& pair, double wait, double reach, double growing) {
  const Vec2 middle = pair.middle_distance_after(wait);
  const double distance = middle.norm();
  const double gap = distance - reach - pair.greatest_derivative(0);
  if (!(gap > 0.0)) return 0.0;
  const Vec2 n = middle / distance;
  return time_to_zero(gap, n.dot(pair.steady_velocity_after(wait)) - growing, -n.dot(pair.acceleration));
}

/// From the view of the axis's owner.
template <class Size>
Line line_of(const View<Size>& view, const TouchingFeatures& features) {
  if (features.edge == TouchingFeatures::kNone) return tangent_at(view, features.nearest_corner);
  const ContactShape::Side& side = view.own.sides()[features.edge];
  return {side.normal, side.offset};
}

/// The stretch that an edge and one of the other body's, parallel to it, have in common.
/// @param f, s two corners of the other body, in the owner's frame
std::optional<std::array<Vec2, 2>> common_stretch(const Vec2& begin, const Vec2& end, const Vec2& f, const Vec2& s,
                                                  double least) {
  const double length = (end - begin).norm();
  const Vec2 t = (end - begin) / length;
  const double at_f = t.dot(f - begin);
  const double at_s = t.dot(s - begin);
  const double from = std::max(std::min(at_f, at_s), 0.0);
  const double to = std::min(std::max(at_f, at_s), length);
  if (!(to - from > least)) return std::nullopt;
  const auto point = [&](double at) -> Vec2 { return at == at_f ? f : at == at_s ? s : begin + at * t; };
  return std::array<Vec2, 2>{point(from), point(to)};
}

template <class Size>
FirstContact look_on(FirstContactSearch& search, const ContactShape& a, const RigidFlight& flight_a,
                     const ContactShape& b, const RigidFlight& flight_b, const RelativeFlight& pair, double latest,
                     double pause, int most_looks, double bound_factor) {
  FirstContact result;
  const bool is_straight = pair.acceleration == Vec2::Zero() && !pair.oscillates() && !pair.grows();
  const double growing = pair.growth_a * a.bounding_radius() + pair.growth_b * b.bounding_radius();
  Passage within{0.0, kNever};
  if (is_straight) {
    const std::optional<Passage> window =
        passage(pair, reach_of(a, Size::at(pair.size_a, 0.0), b, Size::at(pair.size_b, 0.0), pair));
    if (!window) return result;
    within = *window;
  }
  constexpr double kFirstPatience = 4.0;
  if (search.wait < 0.0) search = {.wait = within.in, .patience = kFirstPatience};
  double& wait = search.wait;
  const int looks_before = search.looks;
  while (wait < kNever && wait <= within.out && pair.begin + wait <= latest) {
    const bool is_too_long = search.looks == most_looks;
    if (is_too_long || (search.looks > looks_before && pair.begin + wait > pause)) {
      result.kind = is_too_long ? FirstContact::Kind::kUndecided : FirstContact::Kind::kPaused;
      result.time = pair.begin + wait;
      return result;
    }
    result.looks = ++search.looks;
    const Look<Size> look(a, flight_a, b, flight_b, pair, wait, bound_factor, search.patience);
    Axis axis = look.longest(search.likely);
    const bool overlaps = axis.step < 0.0;
    if (overlaps) axis = look.least_deep();
    const bool is_small = axis.value <= look.rounding.touching || axis.step * look.fastest <= kEpsilon * look.reach ||
                          axis.step <= look.least_step;
    if (axis.is_near && axis.rate < -look.rounding.rate && is_small) {
      result.kind = FirstContact::Kind::kContact;
      result.time = pair.begin + wait;
      result.features = axis.features;
      result.overlaps = overlaps;
      return result;
    }
    search.likely = axis.features;
    search.patience = look.rounding.stay_as_they_are(axis.value, axis.rate) ? 2.0 * search.patience : kFirstPatience;
    double step = std::max(axis.step, look.least_step);
    if (!is_straight) step = std::max(step, circles_apart(pair, wait, look.reach, growing));
    wait += step;
  }
  return result;
}

FirstContact go_on(FirstContactSearch& search, const ContactShape& a, const RigidFlight& flight_a,
                   const ContactShape& b, const RigidFlight& flight_b, const Vec2& shift, double latest, double pause,
                   int most_looks, double bound_factor) {
  const RelativeFlight pair(flight_a, flight_b, shift);
  return pair.has_sizes()
             ? look_on<GrowingSize>(search, a, flight_a, b, flight_b, pair, latest, pause, most_looks, bound_factor)
             : look_on<FixedSize>(search, a, flight_a, b, flight_b, pair, latest, pause, most_looks, bound_factor);
}

/// The contact at a time at which there is one; none where rounding of the time hides it.
template <class Size>
FirstContact look_at(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                     const RigidFlight& flight_b, const RelativeFlight& pair, double time) {
  const Look<Size> look(a, flight_a, b, flight_b, pair, time - pair.begin, 1.0, 1.0);
  Axis axis = look.longest({});
  const bool overlaps = axis.step < 0.0;
  if (overlaps) axis = look.least_deep();
  if (!(axis.is_near && axis.rate < -look.rounding.rate)) return {};
  return {FirstContact::Kind::kContact, time, axis.features, overlaps, 1};
}

template <class Size>
ContactPoints points_of(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                        const RigidFlight& flight_b, const RelativeFlight& pair, const FirstContact& contact) {
  ContactPoints result;
  const TouchingFeatures& features = contact.features;
  const Look<Size> look(a, flight_a, b, flight_b, pair, contact.time - pair.begin, 1.0, 1.0);
  const View<Size>& view = features.edge_is_of_a ? look.by_a : look.by_b;
  const Rotation& own = look.rotations[features.edge_is_of_a ? 0 : 1];
  const Line line = line_of(view, features);
  const auto in_own = [&](std::size_t corner) -> Vec2 {
    return view.distance + view.other_size.now * (view.other_in_own * view.other.sides()[corner].corner);
  };
  std::array<Vec2, 2> points;  // in the owner's frame, from its origin
  points[0] = in_own(features.corner) - (view.other_size.now * view.other.rounding_radius()) * line.normal;
  result.count = 1;
  const std::size_t corners = view.other.sides().size();
  if (features.edge != TouchingFeatures::kNone && corners > 1) {
    const auto corner = static_cast<std::size_t>(features.corner);
    const std::size_t next = corner + 1 < corners ? corner + 1 : 0;
    const std::size_t previous = corner > 0 ? corner - 1 : corners - 1;
    const auto depth = [&](std::size_t j) { return line.normal.dot(in_own(j)) - view.own_size.now * line.offset; };
    const std::size_t second = depth(next) < depth(previous) ? next : previous;
    if (std::abs(depth(second)) <= look.rounding.overlap) {
      const std::span<const ContactShape::Side> sides = view.own.sides();
      const std::size_t edge = features.edge;
      const std::size_t after = edge + 1 < sides.size() ? edge + 1 : 0;
      const auto stretch =
          common_stretch(view.own_size.now * sides[edge].corner, view.own_size.now * sides[after].corner, points[0],
                         in_own(second), look.rounding.overlap);
      if (stretch) {
        points = *stretch;
        result.count = 2;
      }
    }
  }
  const double sign = features.edge_is_of_a ? 1.0 : -1.0;
  result.normal = sign * (own * line.normal);
  for (std::size_t k = 0; k < static_cast<std::size_t>(result.count); ++k) {
    const Vec2 from_own = own * points[k];
    const Vec2 from_other = from_own - sign * look.distance;
    result.points[k] = features.edge_is_of_a ? ContactPoint{from_own, from_other} : ContactPoint{from_other, from_own};
  }
  return result;
}

}  // namespace

FirstContact detail::first_contact(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                                   const RigidFlight& flight_b, const Vec2& shift, double latest, int most_looks,
                                   double bound_factor) {
  FirstContactSearch search;
  return go_on(search, a, flight_a, b, flight_b, shift, latest, kNever, most_looks, bound_factor);
}

FirstContact go_on(FirstContactSearch& search, const ContactShape& a, const RigidFlight& flight_a,
                   const ContactShape& b, const RigidFlight& flight_b, const Vec2& shift, double latest, double pause,
                   int most_looks) {
  return go_on(search, a, flight_a, b, flight_b, shift, latest, pause, most_looks, 1.0);
}

FirstContact first_contact(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                           const RigidFlight& flight_b, const Vec2& shift, double latest, int most_looks) {
  return detail::first_contact(a, flight_a, b, flight_b, shift, latest, most_looks, 1.0);
}

FirstContact contact_at(double time, const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                        const RigidFlight& flight_b, const Vec2& shift) {
  const RelativeFlight pair(flight_a, flight_b, shift);
  const FirstContact seen = pair.has_sizes() ? look_at<GrowingSize>(a, flight_a, b, flight_b, pair, time)
                                             : look_at<FixedSize>(a, flight_a, b, flight_b, pair, time);
  if (seen.kind == FirstContact::Kind::kContact) return seen;
  return first_contact(a, flight_a, b, flight_b, shift, time);
}

ContactPoints contact_points(const ContactShape& a, const RigidFlight& flight_a, const ContactShape& b,
                             const RigidFlight& flight_b, const Vec2& shift, const FirstContact& contact) {
  if (contact.kind != FirstContact::Kind::kContact) return {};
  const RelativeFlight pair(flight_a, flight_b, shift);
  return pair.has_sizes() ? points_of<GrowingSize>(a, flight_a, b, flight_b, pair, contact)
                          : points_of<FixedSize>(a, flight_a, b, flight_b, pair, contact);
}

}  // namespace scree
