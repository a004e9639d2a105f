#include "dem/hard/events/wall_body.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dem/errors.hpp"
#include "geometry/polygon.hpp"

namespace scree::hard {

namespace {

/// Counter-clockwise; a segment as it is.
std::vector<Vec2> corners_of(const Wall& wall) {
  const auto refuse = [&](const std::string& why) { throw InvalidScene("walls." + wall.name + ".polygon", why); };
  if (!std::ranges::all_of(wall.polygon, [](const Vec2& p) { return p.allFinite(); })) refuse("must be finite");
  if (wall.polygon.size() == 2) {
    if (wall.polygon[0] == wall.polygon[1]) refuse("a segment must have a length");
    return wall.polygon;
  }
  try {
    const Polygon convex(wall.polygon);
  } catch (const GeometryError& error) {
    refuse(error.what());
  }
  std::vector<Vec2> corners = wall.polygon;
  double doubled_area = 0.0;
  for (std::size_t k = 2; k < corners.size(); ++k) {
    doubled_area += cross(corners[k - 1] - corners[0], corners[k] - corners[0]);
  }
  if (doubled_area < 0.0) std::ranges::reverse(corners);
  return corners;
}

Vec2 centroid_of(const Wall& wall) {
  if (wall.polygon.size() == 2) return 0.5 * (wall.polygon[0] + wall.polygon[1]);
  return Polygon(wall.polygon).centroid();
}

/// Shape of a wall for contacts: of a polygon its vertices, none of them on a line with others.
ContactShape contact_shape_of(const Wall& wall, const WallMotion& motion) {
  corners_of(wall);  // it is refused before anything is calculated from it
  const Vec2 origin = motion.turns() ? motion.origin() : centroid_of(wall);
  if (wall.polygon.size() == 2) return ContactShape::segment(wall.polygon[0] - origin, wall.polygon[1] - origin);
  const Polygon polygon(wall.polygon);
  std::vector<Vec2> corners;
  for (const Vec2& vertex : polygon.vertices()) corners.push_back(vertex + (polygon.centroid() - origin));
  return ContactShape(Outline(corners));
}

bool spans(const std::vector<Vec2>& corners, const Domain& domain, int axis) {
  const auto along = [axis](const Vec2& p) { return p[axis]; };
  const auto [least, greatest] = std::ranges::minmax(corners, {}, along);
  return greatest[axis] - least[axis] >= domain.hi[axis] - domain.lo[axis];
}

/// The constant velocity along periodic axes, where only the wall's surface moves [m/s].
/// @throws InvalidScene for a wall that would move away along such an axis
Vec2 belt_of(const Wall& wall, const Domain& domain) {
  Vec2 belt = Vec2::Zero();
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain.periodic[static_cast<std::size_t>(axis)] || wall.velocity[axis] == 0.0) continue;
    if (wall.angular_velocity != 0.0 || !spans(corners_of(wall), domain, axis)) {
      throw InvalidScene("walls." + wall.name + ".velocity",
                         "along a periodic axis only a wall that spans it can move in hard mode");
    }
    belt[axis] = wall.velocity[axis];
  }
  return belt;
}

/// What is left of the motion. (Oscillations along the axis move the wall itself: it need not be straight.)
Wall without_belt(Wall wall, const Domain& domain) {
  const Vec2 belt = belt_of(wall, domain);
  for (int axis = 0; axis < 2; ++axis) {
    if (belt[axis] != 0.0) wall.velocity[axis] = 0.0;
  }
  return wall;
}

Vec2 outward(const Vec2& direction) {
  return {direction.y(), -direction.x()};
}

}  // namespace

WallBody::WallBody(const Wall& wall, const Domain& domain)
    : motion_(without_belt(wall, domain)),
      belt_(belt_of(wall, domain)),
      contact_shape_(contact_shape_of(wall, motion_)) {
  const std::vector<Vec2> corners = corners_of(wall);
  centroid_ = centroid_of(wall) - motion_.origin();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vec2 side = corners[(k + 1) % corners.size()] - corners[k];
    const Vec2 begin = corners[k] - motion_.origin();
    edges_.push_back({begin, side / side.norm(), side.norm()});
    extent_ = std::max(extent_, begin.norm());
  }
  if (!is_steady()) window_ = 0.125 / (std::abs(angular_velocity()) + motion_.angular_frequency());
}

/// Nearest point of the outline to p, which is relative to the origin of the motion before the wall turned. Where its
/// foot is on an edge, that is the nearest point of a convex outline.
auto WallBody::nearest(const Vec2& p) const -> Nearest {
  Nearest inside{-kNever, Vec2::Zero()};
  double least = kNever;
  Vec2 from_corner = Vec2::Zero();
  for (const Edge& edge : edges_) {
    const Vec2 from_begin = p - edge.begin;
    const Vec2 normal = outward(edge.direction);
    const double height = normal.dot(from_begin);
    const double along = edge.direction.dot(from_begin);
    if (height >= 0.0 && along >= 0.0 && along <= edge.length) return {height, normal};
    if (height > inside.distance) inside = {height, normal};
    const double square = from_begin.squaredNorm();
    if (square < least) {
      least = square;
      from_corner = from_begin;
    }
  }
  if (inside.distance < 0.0) return inside;
  const double distance = std::sqrt(least);
  return {distance, from_corner / distance};
}

double WallBody::collision_time(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest,
                                double growth) const {
  return is_steady() ? collision_with_steady(flight, gravity, shift, latest, growth)
                     : collision_with_unsteady(flight, gravity, shift, latest);
}

bool WallBody::spans(const Domain& domain, int axis) const {
  std::vector<Vec2> corners;
  for (const Edge& edge : edges_) corners.push_back(edge.begin);
  return hard::spans(corners, domain, axis);
}

double WallBody::collision_with_steady(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest,
                                       double growth) const {
  const Vec2 start = flight.position - (motion_.at(flight.time).position + shift);
  const Vec2 velocity = flight.velocity - motion_.travel();
  Vec2 place = start;
  for (double wait = 0.0;;) {
    const Nearest wall = nearest(place);
    wait += closing_time(wall.distance - (flight.radius + growth * wait),
                         growth - wall.normal.dot(velocity + wait * gravity), -wall.normal.dot(gravity));
    if (wait == kNever || !(flight.time + wait <= latest)) return kNever;  // no number, if velocities are none
    const Vec2 next = start + wait * (velocity + 0.5 * wait * gravity);
    if (next == place) return flight.time + wait;
    place = next;
  }
}

double WallBody::collision_with_unsteady(const Flight& flight, const Vec2& gravity, const Vec2& shift,
                                         double latest) const {
  const double rounding =
      std::numeric_limits<double>::epsilon() * (flight.position.cwiseAbs().maxCoeff() + shift.cwiseAbs().maxCoeff());
  for (double time = flight.time; time <= latest;) {
    const WallMotion::Kinematics wall = motion_.at(time);
    const RelativeDisk disk = relative_to(wall, flight, gravity, shift, time);
    const WallGap now = gap_to(wall, disk, gravity);
    if (now.gap <= rounding && now.closing_speed > 0.0) return time;
    if (std::isnan(now.closing_speed)) return kNever;
    const double by_bound = std::min(closing_time(now.gap, now.closing_speed, now.closing_acceleration), window_);
    // The bound holds until a tap begins or ends.
    const double held = std::min(time + by_bound, std::max(end_of_tap(time), std::nextafter(time, kNever)));
    const double next = std::max(held, time + out_of_reach(wall, disk, gravity, now));
    if (!(next > time)) return time;
    time = next;
  }
  return kNever;
}

auto WallBody::relative_to(const WallMotion::Kinematics& wall, const Flight& flight, const Vec2& gravity,
                           const Vec2& shift, double time) -> RelativeDisk {
  const Gravity field{gravity};
  return {flight.position_at(time, field) - (wall.position + shift), flight.velocity_at(time, field), flight.radius};
}

WallGap WallBody::gap_to(const Flight& flight, const Vec2& gravity, const Vec2& shift, double time) const {
  const WallMotion::Kinematics wall = motion_.at(time);
  return gap_to(wall, relative_to(wall, flight, gravity, shift, time), gravity);
}

WallGap WallBody::gap_to(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity) const {
  const Nearest side = nearest(wall.rotation.inverse() * disk.arm);
  const Vec2 normal = wall.rotation * side.normal;
  const Vec2 velocity = wall.velocity + angular_velocity() * perp(disk.arm);
  return {side.distance - disk.radius, normal, velocity, -normal.dot(disk.velocity - velocity),
          closing_acceleration(wall, disk, gravity, normal)};
}

/// Towards the wall, as seen in its turning frame, where the second derivative of a position is
/// d'' - 2 w x d' - w^2 d, with d the arm; and what this may become within the window, by a bound of the third one.
double WallBody::closing_acceleration(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity,
                                      const Vec2& normal) const {
  const Vec2 falling = gravity - wall.acceleration;
  if (is_steady()) return -normal.dot(falling);
  const Vec2& amplitude = motion_.amplitude();
  const double omega = motion_.angular_frequency();
  const double cube = omega * omega * omega;
  const double turning = angular_velocity();
  if (turning == 0.0) return -normal.dot(falling) + std::abs(normal.dot(amplitude)) * cube * window_;
  const Vec2 gliding = disk.velocity - wall.velocity;
  const double max_acceleration = gravity.norm() + amplitude.norm() * omega * omega;
  const double max_speed = gliding.norm() + max_acceleration * window_;
  const double max_distance = disk.arm.norm() + max_speed * window_;
  const double rate = std::abs(turning);
  const double max_jerk =
      amplitude.norm() * cube + rate * (3.0 * max_acceleration + rate * (3.0 * max_speed + rate * max_distance));
  return -normal.dot(falling - 2.0 * turning * perp(gliding) - turning * turning * disk.arm) + max_jerk * window_;
}

/// How long a disk cannot touch the wall wherever that oscillates to and however it is turned.
double WallBody::out_of_reach(const WallMotion::Kinematics& wall, const RelativeDisk& disk, const Vec2& gravity,
                              const WallGap& gap) const {
  Vec2 normal = gap.normal;
  double room = gap.gap - (std::abs(normal.dot(motion_.amplitude())) - normal.dot(wall.displacement));
  if (angular_velocity() != 0.0) {
    const Vec2 from_middle = disk.arm + wall.displacement;
    const double distance = from_middle.norm();
    normal = from_middle / distance;
    room = distance - disk.radius - extent_ - motion_.amplitude().norm();
  }
  if (!(room > 0.0)) return 0.0;
  return closing_time(room, -normal.dot(disk.velocity - motion_.travel()), -normal.dot(gravity));
}

double WallBody::gap_to(const ContactShape& shape, const Pose& pose, const Vec2& shift, double time) const {
  const RigidFlight wall = rigid_flight(time);
  return separation(contact_shape_, {wall.position_at(time) + shift, Rotation::by(wall.angle)}, shape, pose);
}

RigidFlight WallBody::rigid_flight(double time) const {
  const WallMotion::Kinematics now = motion_.at(time);
  RigidFlight flight{.position = now.position - now.displacement,
                     .velocity = motion_.travel(),
                     .angle = now.angle,
                     .angular_velocity = angular_velocity(),
                     .time = time};
  if (motion_.oscillates()) {
    const WallMotion::Now now_by = motion_.oscillation_at(time);
    if (now_by.angular_frequency > 0.0) flight.oscillation = {now_by.amplitude, now_by.angular_frequency, now_by.phase};
  }
  if (!motion_.turns()) flight.position += centroid_;
  return flight;
}

Aabb2 WallBody::reach(double time, double duration) const {
  const std::vector<Vec2> corners = outline(time);
  Aabb2 box{corners[0], corners[0]};
  for (const Vec2& corner : corners) box.extend(corner);
  const Vec2 oscillation = 2.0 * motion_.amplitude().cwiseAbs();
  box.lo -= oscillation;
  box.hi += oscillation;
  const double speed = speed_without_oscillation();
  return box.expanded(speed == 0.0 ? 0.0 : duration * speed);
}

double WallBody::time_to_leave(double margin) const {
  constexpr double kPeriods = 16.0;
  const double speed = speed_without_oscillation();
  const double leaving = speed > 0.0 ? margin / speed : kNever;
  return motion_.oscillates() ? std::min(leaving, kPeriods / motion_.frequency()) : leaving;
}

/// A bound for all points of the wall [m/s].
double WallBody::speed_without_oscillation() const {
  return motion_.travel().norm() + std::abs(angular_velocity()) * extent_;
}

std::vector<Vec2> WallBody::outline(double time) const {
  const WallMotion::Kinematics now = motion_.at(time);
  std::vector<Vec2> corners;
  for (const Edge& edge : edges_) corners.push_back(now.position + now.rotation * edge.begin);
  return corners;
}

Vec2 WallBody::centroid(double time) const {
  const WallMotion::Kinematics now = motion_.at(time);
  return now.position + now.rotation * centroid_;
}

Vec2 WallBody::velocity(double time) const {
  const WallMotion::Kinematics now = motion_.at(time);
  return now.velocity + belt_ + angular_velocity() * perp(now.rotation * centroid_);
}

}  // namespace scree::hard
