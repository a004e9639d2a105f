#include "dem/hard/obstacle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "dem/errors.hpp"
#include "geometry/polygon.hpp"

namespace scree::hard {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

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

bool spans(const std::vector<Vec2>& corners, const Domain& domain, int axis) {
  const auto along = [axis](const Vec2& p) { return p[axis]; };
  const auto [least, greatest] = std::ranges::minmax(corners, {}, along);
  return greatest[axis] - least[axis] >= domain.hi[axis] - domain.lo[axis];
}

Vec2 outward(const Vec2& direction) {
  return {direction.y(), -direction.x()};
}

}  // namespace

Obstacle::Obstacle(const Wall& wall, const Domain& domain)
    : origin_(wall.angular_velocity == 0.0 ? Vec2(Vec2::Zero()) : wall.pivot),
      travel_(wall.velocity),
      belt_(Vec2::Zero()),
      amplitude_(wall.oscillation.amplitude),
      frequency_(wall.oscillation.frequency),
      phase_(wall.oscillation.phase / kTurn),
      pulsation_(amplitude_.isZero() ? 0.0 : kTurn * frequency_),
      spin_(wall.angular_velocity) {
  const std::vector<Vec2> corners = corners_of(wall);
  centroid_ = centroid_of(wall) - origin_;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vec2 side = corners[(k + 1) % corners.size()] - corners[k];
    const Vec2 begin = corners[k] - origin_;
    edges_.push_back({begin, side / side.norm(), side.norm()});
    extent_ = std::max(extent_, begin.norm());
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain.periodic[static_cast<std::size_t>(axis)] || travel_[axis] == 0.0) continue;
    if (spin_ != 0.0 || !spans(corners, domain, axis)) {
      throw InvalidScene("walls." + wall.name + ".velocity",
                         "along a periodic axis only a wall that spans it can move in hard mode");
    }
    belt_[axis] = travel_[axis];
    travel_[axis] = 0.0;
  }
  if (!is_steady()) window_ = 0.125 / (std::abs(spin_) + pulsation_);
  set_clock(Clock());
}

void Obstacle::set_clock(const Clock& clock) {
  origin_on_clock_ = origin_ + Vec2(clock.way(travel_.x()), clock.way(travel_.y()));
  phase_on_clock_ = phase_ + clock.fraction_of_turns(frequency_);
  angle_on_clock_ = kTurn * clock.fraction_of_turns(spin_ / kTurn);
}

auto Obstacle::motion(double time) const -> Motion {
  Motion motion{Vec2::Zero(), origin_on_clock_ + time * travel_, travel_, Vec2::Zero(), {}};
  if (!amplitude_.isZero()) {
    const auto [sin, cos] = deterministic::sincos(kTurn * (phase_on_clock_ + frequency_ * time));
    motion.swing = sin * amplitude_;
    motion.position += motion.swing;
    motion.velocity += (pulsation_ * cos) * amplitude_;
    motion.acceleration = (-pulsation_ * pulsation_) * motion.swing;
  }
  if (spin_ != 0.0) motion.rotation = Rotation::by(angle_on_clock_ + spin_ * time);
  return motion;
}

/// Of a point in the body's frame. Where it has its foot on an edge, that is the nearest place of a convex outline.
auto Obstacle::nearest(const Vec2& p) const -> Nearest {
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

double Obstacle::contact_time(const Flight& flight, const Vec2& gravity, const Vec2& shift, double latest) const {
  return is_steady() ? contact_with_steady(flight, gravity, shift, latest)
                     : contact_with_unsteady(flight, gravity, shift, latest);
}

double Obstacle::contact_with_steady(const Flight& flight, const Vec2& gravity, const Vec2& shift,
                                     double latest) const {
  const Vec2 start = flight.position - (motion(flight.time).position + shift);
  const Vec2 velocity = flight.velocity - travel_;
  Vec2 place = start;
  for (double wait = 0.0;;) {
    const Nearest wall = nearest(place);
    wait += closing_time(wall.distance - flight.radius, -wall.normal.dot(velocity + wait * gravity),
                         -wall.normal.dot(gravity));
    if (wait == kNever || flight.time + wait > latest) return kNever;
    const Vec2 next = start + wait * (velocity + 0.5 * wait * gravity);
    if (next == place) return flight.time + wait;
    place = next;
  }
}

double Obstacle::contact_with_unsteady(const Flight& flight, const Vec2& gravity, const Vec2& shift,
                                       double latest) const {
  const double rounding =
      std::numeric_limits<double>::epsilon() * (flight.position.cwiseAbs().maxCoeff() + shift.cwiseAbs().maxCoeff());
  for (double time = flight.time; time <= latest;) {
    const Motion wall = motion(time);
    const Disk disk = beside(wall, flight, gravity, shift, time);
    const WallTouch now = touch(wall, disk, gravity);
    if (now.gap <= rounding && now.closing > 0.0) return time;
    const double by_bound = std::min(closing_time(now.gap, now.closing, now.pressing), window_);
    const double next = time + std::max(by_bound, out_of_reach(wall, disk, gravity, now));
    if (!(next > time)) return time;
    time = next;
  }
  return kNever;
}

auto Obstacle::beside(const Motion& wall, const Flight& flight, const Vec2& gravity, const Vec2& shift, double time)
    -> Disk {
  const Gravity field{gravity};
  return {flight.position_at(time, field) - (wall.position + shift), flight.velocity_at(time, field), flight.radius};
}

WallTouch Obstacle::touch(const Flight& flight, const Vec2& gravity, const Vec2& shift, double time) const {
  const Motion wall = motion(time);
  return touch(wall, beside(wall, flight, gravity, shift, time), gravity);
}

WallTouch Obstacle::touch(const Motion& wall, const Disk& disk, const Vec2& gravity) const {
  const Nearest side = nearest(wall.rotation.inverse() * disk.arm);
  const Vec2 normal = wall.rotation * side.normal;
  const Vec2 velocity = wall.velocity + spin_ * perp(disk.arm);
  return {side.distance - disk.radius, normal, velocity, -normal.dot(disk.velocity - velocity),
          pressing(wall, disk, gravity, normal)};
}

/// Towards the wall, as seen in its turning frame, where the second derivative of a place is
/// d'' - 2 w x d' - w^2 d, with d the arm; and what this may become within the window, by a bound of the third one.
double Obstacle::pressing(const Motion& wall, const Disk& disk, const Vec2& gravity, const Vec2& normal) const {
  const Vec2 falling = gravity - wall.acceleration;
  if (is_steady()) return -normal.dot(falling);
  const double cube = pulsation_ * pulsation_ * pulsation_;
  if (spin_ == 0.0) return -normal.dot(falling) + std::abs(normal.dot(amplitude_)) * cube * window_;
  const Vec2 gliding = disk.velocity - wall.velocity;
  const double swinging = amplitude_.norm() * pulsation_ * pulsation_;
  const double spin = std::abs(spin_);
  const double acceleration = gravity.norm() + swinging;
  const double speed = gliding.norm() + acceleration * window_;
  const double distance = disk.arm.norm() + speed * window_;
  const double jerk = amplitude_.norm() * cube + spin * (3.0 * acceleration + spin * (3.0 * speed + spin * distance));
  return -normal.dot(falling - 2.0 * spin_ * perp(gliding) - spin_ * spin_ * disk.arm) + jerk * window_;
}

/// How long a disk cannot touch the wall wherever that swings and however it is turned.
double Obstacle::out_of_reach(const Motion& wall, const Disk& disk, const Vec2& gravity, const WallTouch& touch) const {
  Vec2 normal = touch.normal;
  double room = touch.gap - (std::abs(normal.dot(amplitude_)) - normal.dot(wall.swing));
  if (spin_ != 0.0) {
    const Vec2 from_middle = disk.arm + wall.swing;
    const double distance = from_middle.norm();
    normal = from_middle / distance;
    room = distance - disk.radius - extent_ - amplitude_.norm();
  }
  if (!(room > 0.0)) return 0.0;
  return closing_time(room, -normal.dot(disk.velocity - travel_), -normal.dot(gravity));
}

Aabb2 Obstacle::reach(double time, double duration) const {
  const std::vector<Vec2> corners = outline(time);
  Aabb2 box{corners[0], corners[0]};
  for (const Vec2& corner : corners) box.extend(corner);
  const Vec2 swings = 2.0 * amplitude_.cwiseAbs();
  box.lo -= swings;
  box.hi += swings;
  const double way = spin_ == 0.0 && travel_.isZero() ? 0.0 : duration * (travel_.norm() + std::abs(spin_) * extent_);
  return box.expanded(way);
}

double Obstacle::time_to_leave(double margin) const {
  constexpr double kSwings = 16.0;
  const double speed = travel_.norm() + std::abs(spin_) * extent_;
  const double leaving = speed > 0.0 ? margin / speed : kNever;
  return pulsation_ > 0.0 ? std::min(leaving, kSwings / frequency_) : leaving;
}

std::vector<Vec2> Obstacle::outline(double time) const {
  const Motion now = motion(time);
  std::vector<Vec2> corners;
  for (const Edge& edge : edges_) corners.push_back(now.position + now.rotation * edge.begin);
  return corners;
}

Vec2 Obstacle::centroid(double time) const {
  const Motion now = motion(time);
  return now.position + now.rotation * centroid_;
}

Vec2 Obstacle::velocity(double time) const {
  const Motion now = motion(time);
  return now.velocity + belt_ + spin_ * perp(now.rotation * centroid_);
}

}  // namespace scree::hard
