#pragma once

#include <cstdint>
#include <span>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/motion/placement.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// What forces depend on beside the contacts.
struct ForceView {
  const Bodies& bodies;
  const Placement& placement;
  const ContactLaws& laws;
  double dt;  ///< the step [s]
};

/// From overlaps and velocities to forces and new histories, and what the springs hold: loops over contacts, compiled
/// for each pair of laws.
class ContactForces {
 public:
  /// @throws InvalidScene for a law that there is not
  explicit ContactForces(const Scene& scene);

  /// Force, history and force parts of every contact. On several threads.
  /// @return whether a guard must check: a contact that is too deep, passes through a thin body or is too stiff for
  ///         the step
  bool compute(const ForceView& view, Contacts& contacts) const;
  /// Computes some contacts, in a scene without clumps. @param places of these, ascending
  bool compute(const ForceView& view, std::span<const std::uint32_t> places, Contacts& contacts) const;
  /// Computes those whose regions are in a window, in a scene without clumps, on one thread. @pre prepare()
  bool compute(const ForceView& view, const RegionWindow& window, Contacts& contacts) const;
  /// Before windows of contacts.
  static void prepare(const ContactLaws& laws, Contacts& contacts);
  /// Whether contacts of disks have the linear law.
  bool are_linear_for_disks() const { return disk_law_ == 0; }

  /// Elastic energy of one contact and of its cohesion, with the bodies where they are now [J].
  ElasticEnergy elastic_energy(const Bodies& bodies, const ContactLaws& laws, const Proxies& proxies,
                               const EndedContact& contact) const {
    return elastic_energy_(bodies, laws, proxies, contact);
  }

 private:
  bool compute_on_threads(const ForceView& view, const std::uint32_t* list, std::size_t count,
                          Contacts& contacts) const;
  bool compute(const ForceView& view, const RegionWindow& regions, const std::uint32_t* list, std::uint32_t begin,
               std::uint32_t end, Contacts& contacts) const;

  std::size_t polygon_law_;  // in the lists of laws (laws/laws.hpp)
  std::size_t disk_law_;
  double (*stiffness_)(const Bodies&, const ContactLaws&, const BodyPair&, const ContactGeometry&) = nullptr;
  ElasticEnergy (*elastic_energy_)(const Bodies&, const ContactLaws&, const Proxies&, const EndedContact&) = nullptr;
};

}  // namespace scree::soft
