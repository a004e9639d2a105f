#include "dem/hard/materials.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace scree::hard {

Material mix(const Material& a, const Material& b) {
  Material mixed;
  const auto normal = [](const Material& m) {
    return std::tuple(m.restitution, m.restitution_law, m.restitution_speed);
  };
  std::tie(mixed.restitution, mixed.restitution_law, mixed.restitution_speed) = std::min(normal(a), normal(b));
  mixed.friction = std::min(a.friction, b.friction);
  mixed.tangential_restitution = std::min(a.tangential_restitution, b.tangential_restitution);
  return mixed;
}

CollisionRule rule_between(const Scene& scene, int a, int b) {
  const MaterialPair* given = given_pair(scene, a, b);
  const auto material = [&](int k) { return scene.materials[static_cast<std::size_t>(k)]; };
  const Material mixed = given != nullptr ? given->mixed : mix(material(a), material(b));
  const double reference_speed = mixed.restitution_law == RestitutionLaw::viscoelastic
                                     ? viscoelastic_reference_speed(mixed.restitution, mixed.restitution_speed)
                                     : mixed.restitution_speed;
  return {mixed.restitution, mixed.friction, mixed.tangential_restitution, mixed.restitution_law, reference_speed};
}

}  // namespace scree::hard
