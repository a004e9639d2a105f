#pragma once

#include "dem/energy_balance.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What an event that changes velocities did: for the energy balance, the measurements and all that counts.
struct Outcome {
  enum class Kind { collision, crossing, wall_hit };
  Kind kind;
  Vec2 branch;                   ///< from the centre of the disk, or the lower one, to the other, or the wall [m]
  Vec2 impulse;                  ///< on the higher disk, or the wall [N s]
  double lost_normal = 0.0;      ///< energy that restitution took [J]
  double lost_tangential = 0.0;  ///< energy that friction took [J]
  double given_by_growth = 0.0;  ///< energy that growing rims gave [J]
  double given_by_lift = 0.0;    ///< energy that a contact that lasts got from the contact duration [J]
  double wall_work = 0.0;        ///< of the wall on the disk [J]
  bool made_elastic = false;     ///< of polygons: the contact duration let it lose nothing along the normal

  /// Whether add_to() does anything.
  bool changes_energy() const {
    return lost_normal != 0.0 || lost_tangential != 0.0 || given_by_growth != 0.0 || given_by_lift != 0.0 ||
           wall_work != 0.0;
  }
  void add_to(EnergyBalance& accounts) const {
    accounts.damping += lost_normal;
    accounts.friction += lost_tangential;
    accounts.growth += given_by_growth;
    accounts.lifting += given_by_lift;
    if (kind != Kind::wall_hit) return;
    accounts.wall_work += wall_work;
  }
};

}  // namespace scree::hard
