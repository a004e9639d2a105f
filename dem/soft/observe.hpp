#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/measure/transfers.hpp"
#include "dem/proxies.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact_forces.hpp"
#include "dem/soft/contact_laws.hpp"
#include "dem/soft/contacts.hpp"
#include "dem/soft/depth_histogram.hpp"
#include "dem/soft/gear.hpp"
#include "dem/soft/wall_drives.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"

/// What the soft mode shows of itself, from const views: nothing here changes a simulation.
namespace scree::soft {

struct ObserveView {
  const Scene& scene;
  const Bodies& bodies;
  const Proxies& proxies;
  const Contacts& contacts;
  const ContactLaws& laws;
  const ContactForces& forces;
  std::span<const Motion> net_force;  ///< of contacts, by body: x, y [N], torque [N m]
};

/// Time and step are left to the caller.
State state_of(const ObserveView& view);

/// Contacts, coordination, depths, and the energies beside what they are to balance with. Time and counters are left to
/// the caller.
Summary summary_of(const ObserveView& view, const EnergyBalance& energy);

/// Of walls that there are.
std::vector<DriveState> drive_states(const WallDrives& drives, const Bodies& bodies);

ElasticEnergy elastic_energy(const ObserveView& view);

/// Of a body in gravity, relative to the origin; a body that goes around a periodic domain along gravity goes on
/// falling [J].
double potential_energy(const Bodies& bodies, std::uint32_t body, const Vec2& gravity, const Periodic& periodic);

/// Adds what the contacts pass on in a step, in their order, so that sums are the same for any number of threads.
void add_transfers(const Bodies& bodies, const Contacts& contacts, double dt, Transfers& transfers);

DepthHistogram depths_of(const Contacts& contacts);

/// What decides the future of bodies and contacts, by body and quantity.
void list_values(const Bodies& bodies, const Gear& gear, const Contacts& contacts, StateValues& values);

}  // namespace scree::soft
