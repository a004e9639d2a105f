#pragma once

#include "dem/energy_balance.hpp"
#include "dem/hard/collision_rule.hpp"
#include "dem/hard/compression.hpp"
#include "dem/hard/disks.hpp"
#include "dem/hard/event.hpp"
#include "dem/hard/rule_table.hpp"
#include "dem/hard/space.hpp"
#include "dem/hard/walls.hpp"
#include "dem/hard/wells.hpp"
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

/// An event -> new flights of the disks concerned, and what it did to them. Disks are synchronized first.
class Handlers {
 public:
  /// All are kept by reference.
  Handlers(const Space& space, const RuleTable& rules, const Walls& walls, const Compression& compression, Disks& disks,
           Wells& wells)
      : space_(space), rules_(rules), walls_(walls), compression_(compression), disks_(disks), wells_(wells) {}

  /// Two disks collide. @param now on the clock [s]
  Outcome collide_disks(const Event& event, double now) const;
  /// Two disks pass the edge of their well, or bounce off it.
  Outcome cross_well_edge(const Event& event, double now) const;
  /// Disk i hits a side of the domain.
  Outcome hit_side(Index i, unsigned side, double now) const;
  /// Disk i hits a wall. The wall's velocity is taken at the disk's centre, in the arithmetic of predictions.
  Outcome hit_wall(Index i, const Event& event, double now) const;

 private:
  /// A disk bounces off a wall. With a contact duration t_c, a wall lifts what it carries at least so fast that it
  /// comes back after t_c: a disk at rest on a wall does not stop the time, nor gain more than (a t_c)^2 / 8 a mass.
  /// @param towards the wall, unit
  /// @param closing_acceleration in this direction, relative to the wall [m/s^2]
  Outcome bounce(Index i, const CollisionRule& rule, ImpactBody wall, const Vec2& towards, double closing_acceleration,
                 double now) const;

  const Space& space_;
  const RuleTable& rules_;
  const Walls& walls_;
  const Compression& compression_;
  Disks& disks_;
  Wells& wells_;
};

}  // namespace scree::hard
