#pragma once

#include <cstdint>

#include "dem/hard/disk/rule_table.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/outcome.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/random.hpp"
#include "geometry/vec.hpp"

namespace scree::hard {

/// The random numbers by which a grain leaves a thermal side. @param now on the clock [s]  @param before its velocity
Random thermal_side_random(std::uint64_t seed, std::uint64_t id, double now, const Vec2& before);

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
  /// Disk i hits a side of the domain, which throws it back, or is thermal.
  Outcome hit_side(Index i, unsigned side, double now) const;
  /// Disk i hits a wall. The wall's velocity is taken at the disk's centre, in the arithmetic of predictions.
  Outcome hit_wall(Index i, const Event& event, double now) const;

 protected:
  const Space& space_;
  const RuleTable& rules_;
  const Walls& walls_;
  const Compression& compression_;
  Disks& disks_;
  Wells& wells_;

 private:
  /// A thermal side takes the disk in and lets it out as from a gas at its temperature: along the side normally
  /// distributed, away from it as the flux of such a gas; its spin stays. The random numbers are a function of (seed,
  /// id, time, velocity), so that they depend on no order.
  /// Source: R. Tehver, F. Toigo, J. Koplik & J. R. Banavar, Phys. Rev. E 57 (1998) R17.
  Outcome leave_thermal_side(Index i, unsigned side, const Vec2& outward, double now) const;
  /// A disk bounces off a wall. With a contact duration t_c, a wall lifts what it carries at least so fast that it
  /// comes back after t_c: a disk at rest on a wall does not stop the time, nor gain more than (a t_c)^2 / 8 a mass.
  /// @param towards the wall, unit
  /// @param closing_acceleration in this direction, relative to the wall [m/s^2]
  Outcome bounce(Index i, const CollisionRule& rule, ImpactBody wall, const Vec2& towards, double closing_acceleration,
                 double now) const;
};

}  // namespace scree::hard
