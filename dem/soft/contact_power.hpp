#pragma once

#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/soft/contact_laws.hpp"
#include "dem/soft/contacts.hpp"

namespace scree::soft {

/// What all contacts do to energies in a step.
struct ContactPower {
  // Powers at its end [W].
  double damping = 0.0;    ///< taken by the normal forces' dashpots
  double friction = 0.0;   ///< taken by friction's dashpots
  double rolling = 0.0;    ///< taken by rolling resistance's dashpots
  double law = 0.0;        ///< taken by what no potential explains, and by cutting forces at zero
  double wall_work = 0.0;  ///< of the walls on the particles
  // Energies that were dissipated during the step [J].
  double friction_heat = 0.0;  ///< by sliding at Coulomb's limit
  double rolling_heat = 0.0;   ///< by rolling resistance at its limit
  double released = 0.0;       ///< left in tangential springs of contacts that ended

  ContactPower& operator+=(const ContactPower& other);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.damping, self.friction, self.rolling, self.law, self.wall_work, self.friction_heat, self.rolling_heat,
            self.released);
  }
};

/// The power of contacts in time: what the energy balance of the soft mode is made of. Work is force times velocity as
/// corrected, integrated by the trapezoidal rule (docs/theory.md, section 8).
class PowerIntegral {
 public:
  /// Closes a step. The relative velocities at the contacts go into their histories, which friction goes on from.
  /// @param bodies with corrected velocities  @param ended contacts that ended in this step, ascending by candidate
  /// On several threads; sums have one order for any number of them.
  void account(const Bodies& bodies, const ContactLaws& laws, double dt, std::span<const EndedContact> ended,
               Contacts& contacts, EnergyBalance& energy);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.last_);
  }

 private:
  ContactPower last_;
  std::vector<ContactPower> parts_;
};

/// Of a body [J].
double kinetic_energy(const Bodies& bodies, std::uint32_t body);
/// Of all particles [J].
double kinetic_energy(const Bodies& bodies);

}  // namespace scree::soft
