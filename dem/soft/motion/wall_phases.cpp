#include "dem/soft/motion/wall_phases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "geometry/deterministic_math.hpp"
#include "geometry/pose.hpp"

namespace scree::soft {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;  // [rad]

}  // namespace

WallPhases::WallPhases(const Wall& wall, const Vec2& centroid, std::array<bool, 2> belt) : belt_(belt) {
  if (wall.put) {
    put_.displacement = wall.put->displacement;
    put_.angle = wall.put->angle;
  }
  Kinematics start = put_;
  for (std::size_t k = 0; k < wall.motions.size(); ++k) {
    const PhaseOfMotion& motion = wall.motions[k];
    const double next =
        k + 1 < wall.motions.size() ? wall.motions[k + 1].from : std::numeric_limits<double>::infinity();
    const Vec2 about = motion.about ? Vec2(*motion.about - centroid) : Vec2(Vec2::Zero());
    phases_.push_back({motion, std::min(motion.until.value_or(next), next), start, about});
    if (std::isfinite(phases_.back().until)) {
      const Kinematics end = at(phases_.back(), phases_.back().until);
      start.displacement = end.displacement;
      start.angle = end.angle;
    }
  }
}

void WallPhases::keep_on_belt(Vec2& way, Vec2& velocity, Vec2& surface) const {
  for (const int axis : {0, 1}) {
    if (!belt_[static_cast<std::size_t>(axis)]) continue;
    way[axis] = 0.0;
    surface[axis] = velocity[axis];
    velocity[axis] = 0.0;
  }
}

auto WallPhases::at(const Phase& phase, double time) const -> Kinematics {
  const PhaseOfMotion& motion = phase.motion;
  const double elapsed = std::min(time, phase.until) - motion.from;
  Vec2 way = elapsed * motion.velocity;
  Vec2 velocity = motion.velocity;
  double angle = elapsed * motion.angular_velocity;
  double angular_velocity = motion.angular_velocity;
  if (!motion.table.empty()) {
    const std::vector<MotionPoint>& table = motion.table;
    const auto after = std::ranges::upper_bound(table, elapsed, {}, &MotionPoint::time);
    velocity.setZero();
    angular_velocity = 0.0;
    if (after == table.begin() || after == table.end()) {
      const MotionPoint& end = after == table.begin() ? table.front() : table.back();
      way = end.displacement;
      angle = end.angle;
    } else {
      const MotionPoint& before = *std::prev(after);
      const double span = after->time - before.time;
      const double share = (elapsed - before.time) / span;
      way = before.displacement + share * (after->displacement - before.displacement);
      angle = before.angle + share * (after->angle - before.angle);
      velocity = (after->displacement - before.displacement) / span;
      angular_velocity = (after->angle - before.angle) / span;
    }
    way -= table.front().displacement;
    angle -= table.front().angle;
  }
  if (const Oscillation& o = motion.oscillation; o.frequency > 0.0 && !o.amplitude.isZero()) {
    const auto [sin, cos] = deterministic::sincos(kTurn * o.frequency * elapsed + o.phase);
    way += (sin - deterministic::sincos(o.phase).sin) * o.amplitude;
    velocity += (kTurn * o.frequency * cos) * o.amplitude;
  }
  Kinematics now = phase.start;
  keep_on_belt(way, velocity, now.surface);
  // The point about which it turns goes the way, the centroid turns about it.
  now.angle += angle;
  const Vec2 arm_before = -(Rotation::by(phase.start.angle) * phase.about);
  const Vec2 arm = -(Rotation::by(now.angle) * phase.about);
  now.displacement += way + (arm - arm_before);
  now.velocity = velocity + angular_velocity * perp(arm);
  now.angular_velocity = angular_velocity;
  if (time >= phase.until) now.velocity = now.surface = Vec2::Zero(), now.angular_velocity = 0.0;
  return now;
}

auto WallPhases::at(double time) const -> Kinematics {
  const auto after = std::ranges::upper_bound(phases_, time, {}, [](const Phase& phase) { return phase.motion.from; });
  return after == phases_.begin() ? put_ : at(*std::prev(after), time);
}

double WallPhases::max_speed(double reach) const {
  double greatest = 0.0;
  for (const Phase& phase : phases_) {
    const PhaseOfMotion& motion = phase.motion;
    const double arm = reach + phase.about.norm();
    greatest = std::max(greatest, motion.velocity.norm() + std::abs(motion.angular_velocity) * arm +
                                      kTurn * motion.oscillation.frequency * motion.oscillation.amplitude.norm());
    for (std::size_t k = 1; k < motion.table.size(); ++k) {
      const MotionPoint& a = motion.table[k - 1];
      const MotionPoint& b = motion.table[k];
      const double way = (b.displacement - a.displacement).norm() + std::abs(b.angle - a.angle) * arm;
      greatest = std::max(greatest, way / (b.time - a.time));
    }
  }
  return greatest;
}

}  // namespace scree::soft
