#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "dem/clock.hpp"
#include "dem/scene/wall.hpp"
#include "geometry/pose.hpp"
#include "geometry/vec.hpp"

namespace scree {

/// The motion of a wall, for both modes. Its origin, the point about which it rotates, has a constant velocity and
/// oscillates along a line, or is tapped; the wall rotates at a constant rate. The origin of a wall that does not
/// rotate is that of the world.
class WallMotion {
 public:
  /// At one time.
  struct Kinematics {
    Vec2 position;      ///< of the wall's origin [m]
    Vec2 velocity;      ///< of the wall's origin [m/s]
    Vec2 surface;       ///< additional velocity of the surface of a belt [m/s]
    Vec2 acceleration;  ///< of the wall's origin [m/s^2]
    Vec2 displacement;  ///< by the oscillation, included in `position` [m]
    double angle;       ///< [rad]
    Rotation rotation;  ///< by that angle

    /// @param point of the wall, relative to its origin, at time 0 [m]
    Vec2 position_of(const Vec2& point) const { return position + rotation * point; }
  };

  /// @param belt axes along which the wall has no end, since it spans a periodic domain: there it stays where it is,
  /// and
  ///             only its surface moves
  explicit WallMotion(const Wall& wall, std::array<bool, 2> belt = {});

  /// From now on times are those of this clock, until it is rebased again.
  void set_clock(const Clock& clock);

  /// Cost: a sine if it oscillates, another one if it turns.
  Kinematics at(double time) const;

  /// A tap, or the rest between two of them.
  struct Tap {
    double begin = -std::numeric_limits<double>::infinity();  ///< [s]
    double end = std::numeric_limits<double>::infinity();     ///< the next one begins [s]
    const Taps* taps = nullptr;                               ///< null: a rest
  };
  bool has_taps() const { return !trains_.empty(); }
  /// The one that there is then. Cost: O(log trains)
  Tap tap_at(double time) const;

  /// What it oscillates by, from then on until a tap ends. Frequency 0: it does not.
  struct Now {
    Vec2 amplitude;            ///< [m]
    double angular_frequency;  ///< [rad/s]
    double phase;              ///< [rad]
  };
  Now oscillation_at(double time) const;
  /// Position of the origin at time 0 [m].
  const Vec2& origin() const { return origin_; }
  bool turns() const { return angular_velocity_ != 0.0; }
  bool oscillates() const { return angular_frequency_ > 0.0; }     ///< or is tapped
  double angular_velocity() const { return angular_velocity_; }    ///< [rad/s]
  const Vec2& travel() const { return travel_; }                   ///< constant part of the origin's velocity [m/s]
  const Vec2& amplitude() const { return amplitude_; }             ///< of the oscillation; of taps the greatest [m]
  double frequency() const { return frequency_; }                  ///< likewise [1/s]
  double angular_frequency() const { return angular_frequency_; }  ///< 0 if the wall does not oscillate [rad/s]
  /// A bound on the speed of any point of the wall at any time; the surface of a belt counts as fixed [m/s].
  /// @param extent greatest distance of a point of the wall from its origin [m]
  double max_speed(double extent) const;

 private:
  /// What of an amplitude moves the surface of a belt only.
  Vec2 on_belt(const Vec2& amplitude) const;
  /// Tap number n of a train begins, on the clock [s].
  double begin_of(std::size_t train, double n) const;
  bool exists(std::size_t train, double n) const;
  double phase_at(double time) const;
  Kinematics tapped(Kinematics now, double time) const;

  std::array<bool, 2> belt_;
  std::vector<Taps> trains_;
  Clock clock_;
  Vec2 origin_;
  Vec2 travel_;
  Vec2 amplitude_;
  Vec2 belt_travel_;
  Vec2 belt_amplitude_;
  double frequency_;
  double phase_;  // at time 0 [turns]
  double angular_frequency_;
  double angular_velocity_;
  // When the clock shows 0.
  Vec2 origin_on_clock_;
  double phase_on_clock_ = 0.0;  // [turns]
  double angle_on_clock_ = 0.0;  // [rad]
};

/// Whether a wall moves at any time by what its scene says at the start: by itself, driven, or with one that is.
bool ever_moves(const Wall& wall);

}  // namespace scree
