#include "dem/soft/forces/contact_laws.hpp"

#include <algorithm>
#include <utility>

#include "dem/materials.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/motion/time_step.hpp"

namespace scree::soft {

ElasticEnergy& ElasticEnergy::operator+=(const ElasticEnergy& other) {
  potential += other.potential;
  without_potential += other.without_potential;
  tangential += other.tangential;
  return *this;
}

ContactLaws::ContactLaws(const Scene& scene, int gear_values) : materials_(scene.materials.size()) {
  using DampingRatio = double (*)(double);
  DampingRatio polygon_damping = nullptr;
  DampingRatio disk_damping = nullptr;
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto law) { polygon_damping = law.kDampingRatio; });
  with_law<DiskLaws>(scene.disk_law, "contact.disks", [&](auto law) { disk_damping = law.kDampingRatio; });
  const int materials = static_cast<int>(materials_);
  double strongest = 0.0;  // damping ratio
  for (int a = 0; a < materials; ++a) {
    for (int b = 0; b < materials; ++b) {
      const Material mixed = mix(Mode::soft, scene, a, b);
      const auto stiffness = [&](int k) { return scene.materials[static_cast<std::size_t>(k)].stiffness; };
      const bool is_ghost = mixed.stiffness < kGhostStiffnessRatio * std::min(stiffness(a), stiffness(b));
      for (auto [laws, damping_ratio] : {std::pair(&polygons_, polygon_damping), std::pair(&disks_, disk_damping)}) {
        laws->push_back(pair_law(mixed, damping_ratio));
        laws->back().is_ghost = is_ghost;
        strongest = std::max(strongest, laws->back().damping_ratio);
        any_rolling_ = any_rolling_ || laws->back().rolling_friction > 0.0;
      }
    }
  }
  max_omega_dt_ = soft::max_omega_dt(strongest, gear_values);
}

double ContactLaws::greatest_stiffness() const {
  double greatest = 0.0;
  for (const auto* laws : {&polygons_, &disks_}) {
    for (const PairLaw& law : *laws) greatest = std::max(greatest, law.stiffness);
  }
  return greatest;
}

const PairLaw& ContactLaws::of(const Bodies& bodies, const BodyPair& pair) const {
  return has_disk(bodies, pair) ? of_disks(bodies, pair) : of_polygons(bodies, pair);
}

double tangential_energy(const PairLaw& law, const ContactRecord& contact) {
  const double of_friction = contact.history.tangential_displacement;
  const double of_rolling = contact.rolling_displacement;
  return 0.5 * law.tangential_stiffness * (of_friction * of_friction + of_rolling * of_rolling);
}

}  // namespace scree::soft
