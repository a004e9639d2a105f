#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/contact/depth_histogram.hpp"
#include "dem/soft/drives/wall_drives.hpp"
#include "dem/soft/forces/contact_forces.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/state.hpp"
#include "dem/state_values.hpp"
#include "dem/transfers.hpp"
#include "parallel/exact_sum.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// What the soft mode shows of itself, from const views: nothing here changes a simulation.
namespace scree::soft {

struct ObserveView {
  const Scene& scene;
  const Bodies& bodies;
  const Proxies& proxies;
  const Contacts& contacts;
  const ContactLaws& laws;
  const ContactForces& forces;
  /// Net force of contacts, by body: x, y [N], torque [N m]; empty: that of the contacts now, which are listed by body.
  /// That on a clump depends on where its parts were in the step.
  std::span<const Motion> net_force;
};

/// Time and step are left to the caller.
State state_of(const ObserveView& view);

/// Contacts, coordination, depths, and the energies beside what they are to balance with. Time and counters are left to
/// the caller.
Summary summary_of(const ObserveView& view, const EnergyBalance& energy);

/// States of the drives of walls that are present.
std::vector<DriveState> drive_states(const WallDrives& drives, const Bodies& bodies);

/// Energies of some grains, and of the contacts of which they are a. Sums that do not depend on their order.
struct EnergyTally {
  ExactSum kinetic, potential, elastic, tangential, without_potential;
  ExactSum magnitudes;  ///< of potential energies

  EnergyTally& operator+=(const EnergyTally& other);
  ElasticEnergy elastic_energy() const;
  Energies energies() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.kinetic, self.potential, self.elastic, self.tangential, self.without_potential, self.magnitudes);
  }
};
/// @param own one flag a body; all count if there are none
EnergyTally tally_energies(const ObserveView& view, std::span<const char> own = {});
ElasticEnergy elastic_energy(const ObserveView& view);

/// Potential energy of a body in gravity, relative to the origin; a body that goes around a periodic domain along
/// gravity goes on falling [J].
double potential_energy(const Bodies& bodies, std::uint32_t body, const Vec2& gravity, const Periodic& periodic);

/// Gain of the particles' potential energy if gravity changes where they are [J]. @param own one flag a body; all count
/// if there are none
ExactSum gain_of_potential_energy(const Bodies& bodies, const Vec2& change, const Periodic& periodic,
                                  std::span<const char> own);

/// Adds what the contacts pass on in a step, in their order, so that sums are the same for any number of threads.
void add_transfers(const Bodies& bodies, const Contacts& contacts, double dt, Transfers& transfers);

/// What one contact passes on in a step.
struct ContactTransfer {
  Transfers::Contact contact;
  std::int32_t wall = -1;        ///< its number in the scene; -1: none
  double angular_impulse = 0.0;  ///< on the wall [N m s]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.contact.centre, self.contact.branch, self.contact.impulse, self.contact.begun, self.wall,
            self.angular_impulse);
  }
};
/// For each contact. Added one after the other by `add` they give the sums of add_transfers.
void list_transfers(const Bodies& bodies, const Contacts& contacts, double dt, std::vector<ContactTransfer>& all);
void add(const ContactTransfer& one, Transfers& transfers);

DepthHistogram depths_of(const Contacts& contacts);

/// What decides the future of bodies and contacts, by body and quantity.
void list_values(const Bodies& bodies, const Gear& gear, const Contacts& contacts, StateValues& values);

}  // namespace scree::soft
