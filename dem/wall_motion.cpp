#include "dem/wall_motion.hpp"

#include <algorithm>
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
    : belt_(belt),
      trains_(wall.taps),
      origin_(wall.angular_velocity == 0.0 ? Vec2(Vec2::Zero()) : wall.pivot),
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
  for (const Taps& taps : trains_) {  // bounds of all of them
    frequency_ = std::max(frequency_, taps.frequency);
    const Vec2 amplitude = taps.amplitude - on_belt(taps.amplitude);
    if (amplitude.norm() > amplitude_.norm()) amplitude_ = amplitude;
    angular_frequency_ = kTurn * frequency_;
  }
  set_clock(Clock());
}

void WallMotion::set_clock(const Clock& clock) {
  clock_ = clock;
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
  if (has_taps()) {
    now = tapped(now, time);
  } else if (oscillates()) {
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

Vec2 WallMotion::on_belt(const Vec2& amplitude) const {
  return {belt_[0] ? amplitude.x() : 0.0, belt_[1] ? amplitude.y() : 0.0};
}

double WallMotion::begin_of(std::size_t train, double n) const {
  const Taps& taps = trains_[train];
  return clock_.at(taps.from + n * taps.every.value_or(0.0));
}

bool WallMotion::exists(std::size_t train, double n) const {
  const Taps& taps = trains_[train];
  if (n < 0.0 || (n > 0.0 && !taps.every)) return false;
  const double begin = taps.from + n * taps.every.value_or(0.0);
  if (taps.until && !(begin < *taps.until)) return false;
  return train + 1 == trains_.size() || begin + taps.duration() <= trains_[train + 1].from;
}

auto WallMotion::tap_at(double time) const -> Tap {
  const auto has_begun = [&](const Taps& taps) { return clock_.at(taps.from) <= time; };
  const auto next = std::ranges::partition_point(trains_, has_begun);
  Tap tap;
  if (next != trains_.end()) tap.end = clock_.at(next->from);
  if (next == trains_.begin()) return tap;
  const auto train = static_cast<std::size_t>(next - trains_.begin()) - 1;
  const Taps& taps = trains_[train];
  double n = taps.every ? std::floor((time - clock_.at(taps.from)) / *taps.every) : 0.0;
  if (n > 0.0 && begin_of(train, n) > time) --n;  // rounding
  if (taps.every && begin_of(train, n + 1.0) <= time) ++n;
  if (!exists(train, n)) {  // a rest after the last one, since some time
    const double last = taps.until ? *taps.until : next->from;
    tap.begin = std::min(time, clock_.at(last + taps.duration()));
    return tap;
  }
  if (exists(train, n + 1.0)) tap.end = begin_of(train, n + 1.0);
  const double over = begin_of(train, n) + taps.duration();
  if (time >= over) {
    tap.begin = over;
    return tap;
  }
  return {begin_of(train, n), over, &taps};
}

auto WallMotion::tapped(Kinematics now, double time) const -> Kinematics {
  const Tap tap = tap_at(time);
  if (tap.taps == nullptr) return now;
  const double rate = kTurn * tap.taps->frequency;
  const auto [sin, cos] = deterministic::sincos(rate * (time - tap.begin));
  const Vec2 surface = on_belt(tap.taps->amplitude);
  const Vec2 amplitude = tap.taps->amplitude - surface;
  now.displacement = sin * amplitude;
  now.position += now.displacement;
  now.velocity += (rate * cos) * amplitude;
  now.surface += (rate * cos) * surface;
  now.acceleration = (-rate * rate * sin) * amplitude;
  return now;
}

auto WallMotion::oscillation_at(double time) const -> Now {
  if (!has_taps()) return {amplitude_, angular_frequency_, phase_at(time)};
  const Tap tap = tap_at(time);
  if (tap.taps == nullptr) return {Vec2::Zero(), 0.0, 0.0};
  const double rate = kTurn * tap.taps->frequency;
  return {tap.taps->amplitude - on_belt(tap.taps->amplitude), rate, rate * (time - tap.begin)};
}

/// [rad]
double WallMotion::phase_at(double time) const {
  const double turns = phase_on_clock_ + frequency_ * time;
  return kTurn * (turns - std::floor(turns));
}

double WallMotion::max_speed(double extent) const {
  return travel_.norm() + angular_frequency_ * amplitude_.norm() + std::abs(angular_velocity_) * extent;
}

bool ever_moves(const Wall& wall) {
  return wall.velocity != Vec2::Zero() || wall.angular_velocity != 0.0 || wall.oscillation.frequency > 0.0 ||
         !wall.taps.empty() || !wall.motions.empty() || !wall.moves_with.empty() ||
         !std::holds_alternative<std::monostate>(wall.drive);
}

}  // namespace scree
