#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "geometry/vec.hpp"

namespace scree {

/// To and fro along a line: away from where it would be by amplitude sin(2 pi frequency t + phase).
struct Oscillation {
  Vec2 amplitude = Vec2::Zero();  ///< [m]
  double frequency = 0.0;         ///< >= 0 [1/s]
  double phase = 0.0;             ///< at time 0 [rad]

  bool operator==(const Oscillation&) const = default;
};

/// A train of taps, which throw up what lies on a wall: away from its place and back by amplitude
/// sin(2 pi frequency t), t from 0 on for half a period.
struct Taps {
  double from = 0.0;                 ///< the first one begins, >= 0 [s]
  std::optional<double> every = {};  ///< from one to the next, half a period or more [s]; absent: there is one only
  std::optional<double> until = {};  ///< no tap begins then or later [s]; absent: the next train does, or for ever
  Vec2 amplitude = Vec2::Zero();     ///< [m]
  double frequency = 0.0;            ///< > 0 [1/s]

  double duration() const { return 0.5 / frequency; }  ///< of a tap [s]

  bool operator==(const Taps&) const = default;
};

/// Soft mode: a wall driven to a force or a stress along one direction, by a speed in proportion to what is missing.
struct Servo {
  Vec2 towards = Vec2::Zero();          ///< the direction in which it pushes; any length > 0
  std::optional<double> force = {};     ///< on the grains along `towards` [N], or
  std::optional<double> stress = {};    ///< that force over the loaded length [N/m]
  std::optional<double> length = {};    ///< the loaded length [m], > 0; absent: between the adjoining walls
  double gain = 1.0;                    ///< share of the missing force that one step makes up for, (0, 1]
  double speed = 0.0;                   ///< the greatest one, and that without contact unless `approach` is given [m/s]
  std::optional<double> approach = {};  ///< towards the grains, while it touches none; 0 to `speed` [m/s]

  bool operator==(const Servo&) const = default;
};
/// Soft mode: a wall of finite mass, free along one direction, in gravity and under a force.
struct FreeWall {
  Vec2 along = Vec2::Zero();  ///< any length > 0
  double mass = 0.0;          ///< > 0 [kg]
  double force = 0.0;         ///< along `along`, besides weight and grains [N]

  bool operator==(const FreeWall&) const = default;
};
/// Soft mode: a wall that a torque turns about a point.
struct TorqueDrive {
  double torque = 0.0;             ///< counter-clockwise [N m]
  double inertia = 0.0;            ///< about the point, > 0 [kg m^2]
  double drag = 0.0;               ///< resisting torque over angular velocity, >= 0 [N m s]
  std::optional<Vec2> about = {};  ///< at time 0; absent: the wall's pivot [m]

  bool operator==(const TorqueDrive&) const = default;
};
/// What moves a wall beside what is prescribed.
using WallDrive = std::variant<std::monostate, Servo, FreeWall, TorqueDrive>;

/// A row of a tabulated motion. Between rows a wall moves at a constant speed.
struct MotionPoint {
  double time = 0.0;                 ///< since the motion began [s]
  Vec2 displacement = Vec2::Zero();  ///< [m]
  double angle = 0.0;                ///< [rad]

  bool operator==(const MotionPoint&) const = default;
};

/// Soft mode: one of the motions that a wall has one after the other. It begins where the wall is then.
struct PhaseOfMotion {
  double from = 0.0;                    ///< [s]
  std::optional<double> until = {};     ///< [s]; absent: the next one begins, or for ever
  Vec2 velocity = Vec2::Zero();         ///< constant [m/s]
  double angular_velocity = 0.0;        ///< [rad/s], about `about`
  std::optional<Vec2> about = {};       ///< a point of the wall, where its outline is given [m]; absent: its pivot
  Oscillation oscillation = {};         ///< less its displacement at the beginning
  std::vector<MotionPoint> table = {};  ///< instead of all these; rotates about the same point

  bool operator==(const PhaseOfMotion&) const = default;
};

/// A convex body of infinite mass with prescribed motion, or driven.
struct Wall {
  std::string name;
  int material = 0;                  ///< index into Scene::materials
  std::vector<Vec2> polygon;         ///< convex, at time 0; hard mode: or a segment, two corners [m]
  Vec2 velocity = Vec2::Zero();      ///< constant [m/s]
  double angular_velocity = 0.0;     ///< [rad/s], counter-clockwise, about `pivot`
  Vec2 pivot = Vec2::Zero();         ///< the point it turns about, at time 0; moves with `velocity` [m]
  Oscillation oscillation = {};      ///< on top of that, about where `polygon` and `pivot` are
  std::vector<Taps> taps = {};       ///< instead of these, in the order of time, along one line
  std::optional<double> until = {};  ///< removed at this time [s]; absent: never
  WallDrive drive = {};
  std::string moves_with = {};  ///< name of a wall before it whose drive moves this one, too; empty: none
  /// Soft mode: put in at this time [s]; absent: there from the beginning.
  std::optional<double> from = {};
  /// Soft mode: instead of velocity, rotation, oscillation and drive, in the order of time. Between them it rests.
  std::vector<PhaseOfMotion> motions = {};
  int stage = 0;  ///< number of the stage that puts it in, from whose beginning its times count; 0: it has begun
  /// How far it had been moved, and turned about its pivot, when a stage gave it other motions, and when that was.
  std::optional<MotionPoint> put = {};

  bool operator==(const Wall&) const = default;
};

}  // namespace scree
