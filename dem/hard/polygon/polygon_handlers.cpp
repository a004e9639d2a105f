#include "dem/hard/polygon/polygon_handlers.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "dem/random.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard {

namespace {

/// Where two bodies touch.
struct Touch {
  ContactPoints points;
  TouchingFeatures features;
  double radius_a;  ///< of a disk; else 0 [m]
  double radius_b;
};

/// At the time of an event, from the flights that it was predicted from.
Touch touch_at(const Meeting& meeting, double time) {
  const FirstContact contact = meeting.contact_at(time);
  assert(contact.kind == FirstContact::Kind::kContact);
  return {meeting.points(contact), contact.features, meeting.shape_a.rounding_radius(),
          meeting.shape_b.rounding_radius()};
}

/// Second derivative of the gap at a point.
struct GapAcceleration {
  double value;    ///< [m/s^2]
  double turning;  ///< what of it is due to turning, as the bodies touch now [m/s^2]
  double rate;     ///< at which directions turn [rad/s]
};

/// Of a disk the centre counts, wherever its rim touches: beside an edge as a corner would, seen by the owner of the
/// edge, and at a corner by its distance.
/// @param acceleration of the origin of b less that of a
GapAcceleration gap_acceleration(const RigidImpactBody& a, const RigidImpactBody& b, const Touch& touch,
                                 const ContactPoint& point, const Vec2& acceleration) {
  const Vec2& normal = touch.points.normal;
  const bool at_corner = touch.features.edge == TouchingFeatures::kNone;
  const Vec2 to_centre = at_corner ? Vec2(Vec2::Zero()) : Vec2((touch.radius_b - touch.radius_a) * normal);
  const auto arm = [&](const Vec2& from, double radius) {
    return radius > 0.0 ? Vec2(Vec2::Zero()) : Vec2(from + to_centre);
  };
  const ContactPoint beside{arm(point.from_a, touch.radius_a), arm(point.from_b, touch.radius_b)};
  const double spin_a = a.angular_velocity;
  const double spin_b = b.angular_velocity;
  const Vec2 towards_centres = spin_a * spin_a * beside.from_a - spin_b * spin_b * beside.from_b;
  const double sliding = contact_velocity(a, b, normal, beside).tangential;
  const double radii = touch.radius_a + touch.radius_b;
  const double by_sliding =
      at_corner ? sliding * sliding / radii : 2.0 * (touch.features.edge_is_of_a ? spin_a : spin_b) * sliding;
  const double rate = std::max(std::abs(spin_a), std::abs(spin_b));
  return {normal.dot(acceleration + towards_centres) + by_sliding, normal.dot(towards_centres) + by_sliding,
          at_corner ? std::max(rate, std::abs(sliding) / radii) : rate};
}

/// Corners that would come back within the contact duration get the speed with which they come back after it. What
/// turns so fast that directions change in that time has no such return: its share is that of a time in which they do
/// not, so that no turning gives itself more and more energy.
/// @return the energy that it takes [J]
double lift(RigidImpactBody& a, RigidImpactBody& b, const Touch& touch, const Vec2& acceleration,
            double contact_duration, Vec2& impulse) {
  constexpr int kMostPushes = 16;  // a push at one of two corners slows the other one
  constexpr double kEnough = 1.0 - 1e-3;
  constexpr double kMostTurned = 0.1;  // [rad]
  if (contact_duration == 0.0) return 0.0;
  const auto points = static_cast<std::size_t>(touch.points.count);
  std::array<double, 2> least{};
  for (std::size_t k = 0; k < points; ++k) {
    const GapAcceleration gap = gap_acceleration(a, b, touch, touch.points.points[k], acceleration);
    const double turned = contact_duration * gap.rate;
    const double share = turned > kMostTurned ? kMostTurned / turned : 1.0;
    least[k] = -0.5 * contact_duration * (gap.value - (1.0 - share) * gap.turning);
  }
  double energy = 0.0;
  for (int push = 0; push < kMostPushes; ++push) {
    bool is_lifted = true;
    for (std::size_t k = 0; k < points; ++k) {
      const ContactPoint& point = touch.points.points[k];
      const Vec2& normal = touch.points.normal;
      const double speed = contact_velocity(a, b, normal, point).normal;
      if (!(speed < kEnough * least[k])) continue;
      is_lifted = false;
      const double an = cross(point.from_a, normal);
      const double bn = cross(point.from_b, normal);
      const double mobility = normal.squaredNorm() * (a.inverse_mass + b.inverse_mass) +
                              (a.inverse_inertia * (an * an) + b.inverse_inertia * (bn * bn));
      const double size = (least[k] - speed) / mobility;
      a.velocity -= (a.inverse_mass * size) * normal;
      b.velocity += (b.inverse_mass * size) * normal;
      a.angular_velocity -= a.inverse_inertia * size * an;
      b.angular_velocity += b.inverse_inertia * size * bn;
      impulse += size * normal;
      const double growing = normal.dot(velocity_by_growth(a, b, point));
      energy += size * (0.5 * (least[k] + speed) - growing);
    }
    if (is_lifted) break;
  }
  return energy;
}

/// The point of the stretch on which bodies touch at which an impulse turns b by this much.
Vec2 centre_of_push(const ContactPoints& points, const Vec2& impulse, double angular_impulse) {
  const Vec2& first = points.points[0].from_b;
  if (points.count < 2) return first;
  const Vec2 stretch = points.points[1].from_b - first;
  const double turning = cross(stretch, impulse);
  if (turning == 0.0) return first + 0.5 * stretch;
  return first + std::clamp((angular_impulse - cross(first, impulse)) / turning, 0.0, 1.0) * stretch;
}

}  // namespace

RigidImpactBody PolygonHandlers::body(Index i, double now) const {
  const GrowthShare share = compression_.share(disks_, i);
  const Growth& growth = compression_.growth();
  return {disks_.flight(i).velocity, disks_.spin(i).angular_velocity, 1.0 / disks_.mass(i),
          1.0 / disks_.forms()[i].inertia, share.growing * growth.rate / share.at(growth.scale_at(now))};
}

void PolygonHandlers::take(Index i, const RigidImpactBody& body) const {
  disks_.set_velocities(i, {body.velocity, body.angular_velocity, 0.0, 0.0});
}

Outcome PolygonHandlers::collide_grains(const Event& event, double now) const {
  const Index a = event.lower();
  const Index b = event.higher();
  const Touch touch = touch_at(meeting_of_grains(disks_, a, b, event.image(a), space_, compression_), now);
  disks_.synchronize_form(a, now, space_);
  disks_.synchronize_form(b, now, space_);
  const Vec2 distance = disks_.approach(a, b, event.image(a), space_).distance;
  const CollisionRule& given = rules_.of_disks(disks_, a, b);
  const CollisionRule rule = rules_.at(now, given, disks_, {a, b});
  RigidImpactBody body_a = body(a, now);
  RigidImpactBody body_b = body(b, now);
  Impact impact = collide_polygons(rule, body_a, body_b, touch.points);
  const double lifted = lift(body_a, body_b, touch, Vec2::Zero(), rules_.contact_duration(), impact.impulse);
  take(a, body_a);
  take(b, body_b);
  return {.kind = Outcome::Kind::collision,
          .branch = distance,
          .impulse = impact.impulse,
          .lost_normal = impact.lost_normal,
          .lost_tangential = impact.lost_tangential,
          .given_by_growth = impact.given_by_growth,
          .given_by_lift = lifted,
          .made_elastic = rule.restitution != given.restitution};
}

Outcome PolygonHandlers::hit_side(Index i, unsigned side, double now) const {
  if (space_.domain.side_temperature[side] > 0.0) return leave_thermal_side(i, side, now);
  const RigidImpactBody at_rest{Vec2::Zero(), 0.0, 0.0, 0.0};
  const Meeting meeting = meeting_with_side(disks_, i, side, space_, compression_);
  return bounce(i, rules_.of_sides(), meeting, at_rest, Vec2::Zero(), now);
}

/// The coordinates are velocities times roots of mass and moment of inertia. In a gas that has the side's temperature
/// all directions of these are alike, and what touches the side does so in proportion to how fast the point of contact
/// approaches. So that part of the motion has Rayleigh's distribution, and what is across it is normal.
Outcome PolygonHandlers::leave_thermal_side(Index i, unsigned side, double now) const {
  const Touch touch = touch_at(meeting_with_side(disks_, i, side, space_, compression_), now);
  disks_.synchronize_form(i, now, space_);
  const RigidImpactBody before = body(i, now);
  const GrainForm& form = disks_.forms()[i];
  const double temperature = space_.domain.side_temperature[side];
  const ContactPoint& point = touch.points.points[0];
  const Eigen::Array3d root(std::sqrt(disks_.mass(i)), std::sqrt(disks_.mass(i)), std::sqrt(form.inertia));
  const Vec2& normal = touch.points.normal;
  const double turning = form.is_disk() ? 0.0 : cross(point.from_b, normal);
  const Eigen::Vector3d leaving = (Eigen::Array3d(normal.x(), normal.y(), turning) / root).matrix().normalized();
  Random random = thermal_side_random(space_.seed, disks_.label(i).id, now, before.velocity);
  const double speed = std::sqrt(-2.0 * temperature * deterministic::log(1.0 - random.uniform()));
  const std::array<double, 2> first = random.normals();
  const std::array<double, 2> second = random.normals();
  Eigen::Vector3d drawn = std::sqrt(temperature) * Eigen::Vector3d(first[0], first[1], second[0]);
  drawn += (speed - drawn.dot(leaving)) * leaving;
  RigidImpactBody grain = before;
  grain.velocity = {drawn[0] / root[0], drawn[1] / root[1]};
  if (!form.is_disk()) grain.angular_velocity = drawn[2] / root[2];  // a disk is smooth
  take(i, grain);
  const auto energy = [&](const RigidImpactBody& of) {
    return 0.5 *
           (disks_.mass(i) * of.velocity.squaredNorm() + form.inertia * of.angular_velocity * of.angular_velocity);
  };
  return {.kind = Outcome::Kind::wall_hit,
          .branch = point.from_b,
          .impulse = disks_.mass(i) * (before.velocity - grain.velocity),
          .wall_work = energy(grain) - energy(before)};
}

Outcome PolygonHandlers::hit_wall(Index i, const Event& event, double now) const {
  const Index k = event.side() - kSides;
  const WallBody& wall = walls_[k];
  const Meeting meeting = meeting_with_wall(disks_, i, walls_, k, event.image(i), space_, compression_);
  const RigidImpactBody body{meeting.a.velocity_at(now) + wall.belt(), wall.angular_velocity(), 0.0, 0.0};
  const CollisionRule& rule = rules_.of_wall(disks_.label(i).material, walls_.material(k));
  return bounce(i, rule, meeting, body, wall.acceleration(now), now);
}

Outcome PolygonHandlers::bounce(Index i, const CollisionRule& rule, const Meeting& meeting, RigidImpactBody wall,
                                const Vec2& wall_acceleration, double now) const {
  const Touch touch = touch_at(meeting, now);
  disks_.synchronize_form(i, now, space_);
  const Vec2 before = disks_.flight(i).velocity;
  const double spin_before = disks_.spin(i).angular_velocity;
  const CollisionRule then = rules_.at(now, rule, disks_, {i});
  RigidImpactBody grain = body(i, now);
  Impact impact = collide_polygons(then, wall, grain, touch.points);
  const double lifted = lift(wall, grain, touch, space_.gravity.acceleration - wall_acceleration,
                             rules_.contact_duration(), impact.impulse);
  take(i, grain);
  const Vec2 impulse = disks_.mass(i) * (grain.velocity - before);
  const double angular_impulse = disks_.forms()[i].inertia * (grain.angular_velocity - spin_before);
  const ContactPoint& point = touch.points.points[0];
  const Vec2 from_wall = point.from_a - point.from_b;  // from the wall's origin to the grain's centre
  return {
      .kind = Outcome::Kind::wall_hit,
      .branch = centre_of_push(touch.points, impulse, angular_impulse),
      .impulse = -impulse,
      .lost_normal = impact.lost_normal,
      .lost_tangential = impact.lost_tangential,
      .given_by_growth = impact.given_by_growth,
      .given_by_lift = lifted,
      .wall_work = wall.velocity.dot(impulse) + wall.angular_velocity * (angular_impulse + cross(from_wall, impulse)),
      .made_elastic = then.restitution != rule.restitution};
}

}  // namespace scree::hard
