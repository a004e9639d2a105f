#pragma once

#include <cstdint>

#include "dem/hard/disk/handlers.hpp"
#include "dem/hard/disk/rule_table.hpp"
#include "dem/hard/disk/wells.hpp"
#include "dem/hard/events/walls.hpp"
#include "dem/hard/flight/compression.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/hard/polygon/polygon_impact.hpp"
#include "dem/hard/polygon/polygon_meeting.hpp"

namespace scree::hard {

/// An event -> new flights of the grains concerned, which have forms, and what it did to them. Where they touch is
/// found anew, from the flights that the event was predicted from; then grains are synchronized.
///
/// With a contact duration t_c, corners that would come back sooner are lifted: where gravity, or the turning of grains
/// beside an edge, bends the way of a corner towards the other body by f'', it leaves with f'' t_c / 2 at least. So
/// contacts that last take a collision each t_c, and do not stop the time.
class PolygonHandlers {
 public:
  /// All are kept by reference. There are no wells.
  PolygonHandlers(const Space& space, const RuleTable& rules, const Walls& walls, const Compression& compression,
                  Disks& disks, Wells&)
      : space_(space), rules_(rules), walls_(walls), compression_(compression), disks_(disks) {}

  /// Two grains collide. @param now on the clock [s]
  Outcome collide_grains(const Event& event, double now) const;
  /// Grain i hits a side of the domain, which throws it back, or is thermal.
  Outcome hit_side(Index i, unsigned side, double now) const;
  /// Grain i hits a wall.
  Outcome hit_wall(Index i, const Event& event, double now) const;

 private:
  /// @param wall_acceleration of the origin of the wall's shape [m/s^2]
  Outcome bounce(Index i, const CollisionRule& rule, const Meeting& meeting, RigidImpactBody wall,
                 const Vec2& wall_acceleration, double now) const;
  /// As Handlers::leave_thermal_side(), of a body that turns: where it touches, it leaves as from a gas that has the
  /// side's temperature in translation and rotation.
  Outcome leave_thermal_side(Index i, unsigned side, double now) const;
  RigidImpactBody body(Index i, double now) const;
  void take(Index i, const RigidImpactBody& body) const;

  const Space& space_;
  const RuleTable& rules_;
  const Walls& walls_;
  const Compression& compression_;
  Disks& disks_;
};

}  // namespace scree::hard
