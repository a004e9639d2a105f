#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "parallel/exact_sum.hpp"
#include "parallel/whole_sum.hpp"

namespace scree::soft {

/// What all contacts do to energies in a step.
struct ContactPower {
  // Powers at its end [W].
  double damping = 0.0;    ///< taken by the normal forces' dashpots
  double friction = 0.0;   ///< taken by friction's dashpots
  double rolling = 0.0;    ///< taken by rolling resistance's dashpots
  double law = 0.0;        ///< taken by what no potential explains, and by cutting forces at zero
  double wall_work = 0.0;  ///< of the walls on the particles

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.damping, self.friction, self.rolling, self.law, self.wall_work);
  }
};

/// What all contacts took or gave in a step, see EnergyBalance [J].
struct ContactWork {
  double damping = 0.0;
  double friction = 0.0;
  double rolling = 0.0;
  double law = 0.0;
  double wall_work = 0.0;
};

/// ContactPower as sums that do not depend on the order of contacts.
struct PowerTally {
  lanes::PowerSums contacts{};
  WholeSum released{};

  PowerTally& operator+=(const PowerTally& other);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    auto& c = self.contacts;
    for (auto* sum : {&c.damping, &c.friction, &c.rolling, &c.law, &c.wall_work, &c.friction_heat, &c.rolling_heat,
                      &self.released}) {
      archive(sum->coarse, sum->fine);
    }
  }
};

/// What powers and energies of contacts are rounded to before they are added up.
struct PowerQuanta {
  Quanta power;   ///< [W]
  Quanta energy;  ///< [J]

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.power.coarse, self.power.per_coarse, self.energy.coarse, self.energy.per_coarse);
  }
};

/// The power of contacts in time: what the energy balance of the soft mode is made of. Work is force times velocity as
/// corrected, integrated by the trapezoidal rule (docs/theory.md, section 8). Sums over contacts do not depend on their
/// order.
class PowerIntegral {
 public:
  /// For these bodies and laws: by the greatest power that a contact of theirs can have, about stiffness times the
  /// square of the largest grain's size over the step. @param dt the longest step [s]
  void find_quanta(const Bodies& bodies, const ContactLaws& laws, double dt) {
    find_quanta(largest_grain(bodies), laws, dt);
  }
  /// @param largest see largest_grain
  void find_quanta(double largest, const ContactLaws& laws, double dt);
  /// Bounding radius [m].
  static double largest_grain(const Bodies& bodies);
  const PowerQuanta& quanta() const { return quanta_; }
  void set_quanta(const PowerQuanta& quanta) { quanta_ = quanta; }

  /// At the end of a step. The relative velocities at the contacts go into their histories, which friction goes on
  /// from. On several threads.
  /// @param bodies with corrected velocities  @param ended contacts that ended in this step
  /// @param own one flag a body; contacts count of whose a it is set. All if there are none
  PowerTally tally(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended,
                   std::span<const char> own, Contacts& contacts);
  /// Tallies some contacts. @param list of these, ascending
  PowerTally tally_some(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended,
                        std::span<const std::uint32_t> list, Contacts& contacts);
  /// Of the tally of a step what contacts leave that ended in it.
  PowerTally released(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended) const;
  /// Of the tally of a step what some contacts add. On this thread.
  /// @param velocity of all bodies, as corrected  @param some not none
  PowerTally tally_range(const Bodies& bodies, std::span<const Motion> velocity, const ContactLaws& laws,
                         const lanes::Range& some, Contacts& contacts) const;
  /// Closes a step. @param now of all contacts together
  ContactWork close(const PowerTally& now, double dt);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.last_);
  }

 private:
  lanes::PowerSums sum(const Bodies& bodies, const ContactLaws& laws, const std::uint32_t* list, std::size_t count,
                       Contacts& contacts);
  void release(const Bodies& bodies, const ContactLaws& laws, const EndedContact& ended, PowerTally& tally) const;

  ContactPower last_;
  PowerQuanta quanta_;
  std::vector<PowerTally> parts_;
};

/// The tally of a step that is put off: the next one passes over its contacts anyway.
struct PutOffTally {
  bool is_due = false;
  PowerTally so_far;
  std::vector<Motion> velocity;  ///< of all bodies at the end of that step, once the next one has predicted others
};

/// Kinetic energy of a body, of its velocity beside that of a homogeneous flow [J].
double kinetic_energy(const Bodies& bodies, std::uint32_t body, const Periodic& periodic);
/// Kinetic energy of all particles [J].
double kinetic_energy(const Bodies& bodies, const Periodic& periodic);
/// Kinetic energies of the particles that are own. @param own one flag a body; all if there are none
ExactSum sum_of_kinetic_energies(const Bodies& bodies, const Periodic& periodic, std::span<const char> own);

}  // namespace scree::soft
