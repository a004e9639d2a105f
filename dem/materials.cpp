#include "dem/materials.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "dem/restitution.hpp"
#include "dem/scene.hpp"

namespace scree {

namespace {

double damping_ratio_of(const Material& material) {
  return material.damping ? *material.damping : damping_ratio(material.restitution);
}

Material mix_soft(const Material& a, const Material& b) {
  const Material& duller = damping_ratio_of(a) >= damping_ratio_of(b) ? a : b;
  Material mixed;
  mixed.stiffness = 2.0 * a.stiffness * b.stiffness / (a.stiffness + b.stiffness);
  mixed.restitution = duller.restitution;
  mixed.damping = duller.damping;
  mixed.friction = std::min(a.friction, b.friction);
  if (a.dynamic_friction || b.dynamic_friction) {
    mixed.dynamic_friction = std::min(a.dynamic_friction.value_or(a.friction), b.dynamic_friction.value_or(b.friction));
  }
  mixed.tangential_stiffness = std::min(a.tangential_stiffness, b.tangential_stiffness);
  mixed.tangential_damping = a.tangential_damping && b.tangential_damping
                                 ? std::min(a.tangential_damping, b.tangential_damping)
                                 : std::max(a.tangential_damping, b.tangential_damping);
  mixed.rolling_friction = std::min(a.rolling_friction, b.rolling_friction);
  mixed.cohesion = std::min(a.cohesion, b.cohesion);
  mixed.tangential_restitution = std::min(a.tangential_restitution, b.tangential_restitution);
  return mixed;
}

Material mix_hard(const Material& a, const Material& b) {
  const auto normal = [](const Material& m) {
    return std::tuple(m.restitution, m.restitution_law, m.restitution_speed);
  };
  Material mixed;
  std::tie(mixed.restitution, mixed.restitution_law, mixed.restitution_speed) = std::min(normal(a), normal(b));
  mixed.friction = std::min(a.friction, b.friction);
  mixed.tangential_restitution = std::min(a.tangential_restitution, b.tangential_restitution);
  return mixed;
}

}  // namespace

Material mix(Mode mode, const Material& a, const Material& b) {
  return mode == Mode::soft ? mix_soft(a, b) : mix_hard(a, b);
}

Material mix(Mode mode, const Scene& scene, int a, int b) {
  if (const MaterialPair* given = given_pair(scene, a, b)) return given->mixed;
  return mix(mode, scene.materials[static_cast<std::size_t>(a)], scene.materials[static_cast<std::size_t>(b)]);
}

}  // namespace scree
