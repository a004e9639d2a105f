#pragma once

#include <array>
#include <vector>

#include "dem/scene/wall.hpp"
#include "geometry/vec.hpp"

namespace scree::soft {

/// Several motions of a wall, one after the other (Wall::motions), from where it was put. Each begins where the one
/// before has left the wall; between them it rests.
class WallPhases {
 public:
  /// Kinematics of the wall's centroid and of its turning.
  struct Kinematics {
    Vec2 displacement = Vec2::Zero();  ///< since the outline was given [m]
    Vec2 velocity = Vec2::Zero();      ///< [m/s]
    Vec2 surface = Vec2::Zero();       ///< additional velocity of the surface of a belt [m/s]
    double angle = 0.0;                ///< since the outline was given [rad]
    double angular_velocity = 0.0;     ///< [rad/s]
  };

  /// @param centroid of the outline [m]  @param belt see WallMotion
  WallPhases(const Wall& wall, const Vec2& centroid, std::array<bool, 2> belt);

  /// @param time [s]. Cost: O(motions), a sine if it oscillates
  Kinematics at(double time) const;
  /// A bound on the speed of any point of the wall at any time; the surface of a belt counts as fixed [m/s].
  /// @param reach greatest distance of a point of the wall from its centroid [m]
  double max_speed(double reach) const;

 private:
  struct Phase {
    PhaseOfMotion motion;
    double until;      // [s]
    Kinematics start;  // where it begins
    Vec2 about;        // a point of the wall, from its centroid, in the outline's directions [m]
  };

  Kinematics at(const Phase& phase, double time) const;
  /// Moves components along a belt from the way to the surface.
  void keep_on_belt(Vec2& way, Vec2& velocity, Vec2& surface) const;

  std::array<bool, 2> belt_;
  Kinematics put_;
  std::vector<Phase> phases_;
};

}  // namespace scree::soft
