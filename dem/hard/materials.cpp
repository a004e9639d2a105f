#include "dem/hard/materials.hpp"

#include <algorithm>
#include <cstddef>

namespace scree::hard {

Material mix(const Material& a, const Material& b) {
  Material mixed;
  mixed.restitution = std::min(a.restitution, b.restitution);
  mixed.friction = std::min(a.friction, b.friction);
  mixed.tangential_restitution = std::min(a.tangential_restitution, b.tangential_restitution);
  return mixed;
}

CollisionRule rule_between(const Scene& scene, int a, int b) {
  const MaterialPair* given = given_pair(scene, a, b);
  const auto material = [&](int k) { return scene.materials[static_cast<std::size_t>(k)]; };
  const Material mixed = given != nullptr ? given->mixed : mix(material(a), material(b));
  return {mixed.restitution, mixed.friction, mixed.tangential_restitution};
}

}  // namespace scree::hard
