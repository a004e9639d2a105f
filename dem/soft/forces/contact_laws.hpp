#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/contact/force_law.hpp"
#include "dem/soft/lanes/kernels.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// Energy in the springs of contacts, and of cohesion [J].
struct ElasticEnergy {
  double potential = 0.0;          ///< of normal springs that have one, and of cohesion
  double without_potential = 0.0;  ///< of the others: by their law
  double tangential = 0.0;         ///< friction's and rolling resistance's springs

  ElasticEnergy& operator+=(const ElasticEnergy& other);
  double sum() const { return potential + without_potential + tangential; }
};

/// The laws of a scene for every pair of its materials.
class ContactLaws {
 public:
  /// @param gear_values of the integrator, which limits the step  @throws InvalidScene for a law that there is not
  ContactLaws(const Scene& scene, int gear_values);

  const PairLaw& of_polygons(const Bodies& bodies, const BodyPair& pair) const { return polygons_[at(bodies, pair)]; }
  const PairLaw& of_disks(const Bodies& bodies, const BodyPair& pair) const { return disks_[at(bodies, pair)]; }
  /// All of them, for the kernels.
  lanes::LawsIn polygons_for_lanes(const Bodies& bodies) const { return for_lanes(polygons_, bodies); }
  lanes::LawsIn disks_for_lanes(const Bodies& bodies) const { return for_lanes(disks_, bodies); }
  /// The one that holds for a pair.
  const PairLaw& of(const Bodies& bodies, const BodyPair& pair) const;

  /// A contact's angular frequency times the step must not exceed this [rad] (dem/soft/motion/time_step.hpp).
  double max_omega_dt() const { return max_omega_dt_; }
  /// Whether any pair of materials resists rolling.
  bool any_rolling() const { return any_rolling_; }
  double greatest_stiffness() const;  ///< Y of any pair [N/m]

 private:
  lanes::LawsIn for_lanes(const std::vector<PairLaw>& laws, const Bodies& bodies) const {
    static_assert(sizeof(PairLaw) % sizeof(double) == 0);
    return {&laws.data()->stiffness, sizeof(PairLaw) / sizeof(double), bodies.material.data(),
            static_cast<std::uint32_t>(materials_)};
  }
  std::size_t at(const Bodies& bodies, const BodyPair& pair) const {
    return static_cast<std::size_t>(bodies.material[pair.a]) * materials_ +
           static_cast<std::size_t>(bodies.material[pair.b]);
  }

  std::size_t materials_;
  std::vector<PairLaw> polygons_;  // by material of a times number of materials + material of b
  std::vector<PairLaw> disks_;
  double max_omega_dt_ = 0.0;
  bool any_rolling_ = false;
};

/// The normal force of a contact with cohesion, which pulls in proportion to the chord [N].
inline double with_cohesion(double normal, const PairLaw& law, const Overlap& overlap) {
  return law.cohesion > 0.0 ? normal - law.cohesion * overlap.chord() : normal;
}

/// Energy in the springs of friction and rolling resistance [J].
double tangential_energy(const PairLaw& law, const ContactRecord& contact);

}  // namespace scree::soft
