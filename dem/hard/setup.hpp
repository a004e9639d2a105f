#pragma once

#include <vector>

#include "dem/hard/collision_rule.hpp"
#include "dem/scene.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// What the event-driven mode starts from: disks in free flight. Arrays by property, one entry a disk.
struct Setup {
  Domain domain;                         ///< sides that are not periodic are hard walls
  Vec2 gravity = Vec2::Zero();           ///< [m/s^2]
  std::vector<Vec2> position;            ///< of the centre [m]
  std::vector<Vec2> velocity;            ///< [m/s]
  std::vector<double> angular_velocity;  ///< [rad/s]; empty: none spins
  std::vector<double> radius;            ///< > 0 [m]
  std::vector<double> mass;              ///< > 0 [kg]
  CollisionRule disks;                   ///< of disks with each other
  CollisionRule walls;                   ///< of disks with the domain's hard sides
  /// t_c of the TC model [s]: a collision within t_c after the last one of either disk keeps the energy of the normal
  /// motion, so that no collapse takes infinitely many collisions. 0: every collision dissipates.
  /// Source: S. Luding & S. McNamara, Granular Matter 1 (1998) 113.
  double contact_time = 0.0;
  /// How far a disk may go from the centre of its box, along each axis, before it gets another one [m]; 0: chosen from
  /// the density. Changes the cost, never the result.
  double margin = 0.0;
};

/// What is wrong with a setup, by itself: sizes, values, disks outside the domain.
/// @throws InvalidScene that names the property and the disk
void validate(const Setup& setup);

/// The setup's margin; where it gives none, the one that gives a disk about ten partners.
double choose_margin(const Setup& setup);

}  // namespace scree::hard
