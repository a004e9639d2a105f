#include "dem/wall_motion.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <variant>

namespace scree {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;  // [rad]

}  // namespace

WallMotion::WallMotion(const Wall& wall, std::array<bool, 2> belt)
    : origin_(wall.angular_velocity == 0.0 ? Vec2(Vec2::Zero()) : wall.pivot),
      travel_(wall.velocity),
      amplitude_(wall.oscillation.amplitude),
      belt_travel_(Vec2::Zero()),
      belt_amplitude_(Vec2::Zero()),
      frequency_(wall.oscillation.frequency),
      phase_(wall.oscillation.phase / kTurn),
      angular_frequency_(amplitude_.isZero() ? 0.0 : kTurn * frequency_),
      angular_velocity_(wall.angular_velocity) {
  for (int axis = 0; axis < 2; ++axis) {
    if (!belt[static_cast<std::size_t>(axis)]) continue;
    std::swap(travel_[axis], belt_travel_[axis]);
    std::swap(amplitude_[axis], belt_amplitude_[axis]);
  }
  set_clock(Clock());
}

void WallMotion::set_clock(const Clock& clock) {
  origin_on_clock_ = origin_ + Vec2(clock.way(travel_.x()), clock.way(travel_.y()));
  phase_on_clock_ = phase_ + clock.fraction_of_turns(frequency_);
  angle_on_clock_ = kTurn * clock.fraction_of_turns(angular_velocity_ / kTurn);
}

auto WallMotion::at(double time) const -> Kinematics {
  Kinematics now{.position = origin_on_clock_ + time * travel_,
                 .velocity = travel_,
                 .surface = belt_travel_,
                 .acceleration = Vec2::Zero(),
                 .displacement = Vec2::Zero(),
                 .angle = 0.0,
                 .rotation = {}};
  if (oscillates()) {
    const auto [sin, cos] = deterministic::sincos(kTurn * (phase_on_clock_ + frequency_ * time));
    now.displacement = sin * amplitude_;
    now.position += now.displacement;
    now.velocity += (angular_frequency_ * cos) * amplitude_;
    now.surface += (angular_frequency_ * cos) * belt_amplitude_;
    now.acceleration = (-angular_frequency_ * angular_frequency_) * now.displacement;
  }
  if (turns()) {
    now.angle = angle_on_clock_ + angular_velocity_ * time;
    now.rotation = Rotation::by(now.angle);
  }
  return now;
}

double WallMotion::phase_at(double time) const {
  const double turns = phase_on_clock_ + frequency_ * time;
  return kTurn * (turns - std::floor(turns));
}

double WallMotion::max_speed(double extent) const {
  return travel_.norm() + angular_frequency_ * amplitude_.norm() + std::abs(angular_velocity_) * extent;
}

bool ever_moves(const Wall& wall) {
  return wall.velocity != Vec2::Zero() || wall.angular_velocity != 0.0 || wall.oscillation.frequency > 0.0 ||
         !wall.motions.empty() || !wall.moves_with.empty() || !std::holds_alternative<std::monostate>(wall.drive);
}

}  // namespace scree
