#include "dem/hard/flight/materials.hpp"

#include "dem/materials.hpp"
#include "dem/mode.hpp"
#include "dem/scene/material.hpp"

namespace scree::hard {

CollisionRule rule_between(const Scene& scene, int a, int b) {
  const Material mixed = mix(Mode::hard, scene, a, b);
  const double reference_speed = mixed.restitution_law == RestitutionLaw::viscoelastic
                                     ? viscoelastic_reference_speed(mixed.restitution, mixed.restitution_speed)
                                     : mixed.restitution_speed;
  return {mixed.restitution, mixed.friction, mixed.tangential_restitution, mixed.restitution_law, reference_speed};
}

}  // namespace scree::hard
