#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "dem/scene.hpp"
#include "dem/soft/checks/guards.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/drives/cell.hpp"
#include "dem/soft/drives/moving_walls.hpp"
#include "dem/soft/forces/contact_forces.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/forces/contact_power.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/forces/pair_finder.hpp"
#include "dem/soft/forces/pair_geometry.hpp"
#include "dem/soft/forces/plain_disks.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/local_damping.hpp"
#include "dem/soft/motion/placement.hpp"
#include "dem/soft/motion/population.hpp"
#include "dem/soft/motion/step_clock.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/observe.hpp"

namespace scree::soft {

/// The state of the soft mode between two steps, and what follows from its scene: plain data, a member a room. A run
/// has one; of a run on several ranks each rank has one with a part of the bodies.
struct Rooms {
  /// Without bodies. @throws InvalidScene what the rooms throw
  Rooms(const Scene& given, BroadphaseKind kind);

  Scene scene;  ///< of the present stage; its gravity is that of now
  TimeStep step;
  StepClock clock;
  Bodies bodies;
  Gear gear;
  MovingWalls walls;
  Cell cell;
  Population population;
  Placement placement;  ///< as predicted in the last step
  PairFinder pairs;
  Contacts contacts;
  PlainDisks plain;  ///< of contacts, those that are packed
  Narrowphase narrowphase;
  ContactLaws laws;
  ContactForces forces;
  std::vector<lanes::ForceSum> force_sums;  ///< by body, where one thread adds up all; 0 between steps
  std::vector<Motion> net_force;            ///< only where there are clumps, see ObserveView
  PowerIntegral power;
  PutOffTally put_off;  ///< of the last step
  LocalDamping local;

  double time() const { return clock.time(); }  ///< [s]
  const Periodic& periodic() const { return pairs.periodic(); }
};

/// All walls of the scene where they are at time 0, without boxes.
void put_walls(Rooms& rooms);
/// Makes anew what follows from the scene and is no state.
void make_anew(Rooms& rooms);
/// Gravity becomes another one. @param gravity [m/s^2]
void change_gravity(const Vec2& gravity, Rooms& rooms);
/// Once the clock has another step.
inline void renew_derivatives(Rooms& rooms) {
  rooms.gear.set_step(rooms.clock.dt());
}
/// The periods become those of the cell; nothing if it is rigid.
inline void renew_periods(Rooms& rooms) {
  if (rooms.cell.deforms()) rooms.pairs.deform(rooms.cell.shape());
}
/// The largest grain, the laws or the longest step may be others than before.
inline void find_quanta(Rooms& rooms) {
  rooms.power.find_quanta(rooms.bodies, rooms.laws, rooms.clock.longest());
}

/// What plain contacts of disks depend on.
inline PlainView plain_view(const Rooms& rooms) {
  return {rooms.bodies, rooms.placement.rotation, rooms.pairs.proxies(), rooms.laws, rooms.clock.dt()};
}
/// Contacts become what they would be if they were never packed and kept their regions: for what reads them beside the
/// step.
inline void write_back_contacts(Rooms& rooms) {
  rooms.plain.write_back(plain_view(rooms), rooms.contacts);
  renew_regions(rooms.bodies, rooms.placement, rooms.contacts);
}
/// What the contacts took in the last step, if it was put off: they and the velocities must be those of its end.
std::optional<PowerTally> take_put_off(Rooms& rooms);
/// None is packed any more, before contacts, or what they depend on, change.
inline void unpack_contacts(Rooms& rooms) {
  rooms.plain.write_back(plain_view(rooms), rooms.contacts);
  rooms.plain.forget(rooms.contacts);
}

/// What guards read.
StepView view(const Rooms& rooms);
/// What is shown. @param contacts and forces on bodies, if they are not those of the rooms
ObserveView observe(const Rooms& rooms, const Contacts& contacts, std::span<const Motion> net_force);
inline ObserveView observe(const Rooms& rooms) {
  return observe(rooms, rooms.contacts, rooms.net_force);
}

/// @throws PhysicsError if there is a problem: with the time and number of the step
void require(const Rooms& rooms, const Problem& problem);

}  // namespace scree::soft
