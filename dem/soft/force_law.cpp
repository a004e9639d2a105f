#include "dem/soft/force_law.hpp"

#include <algorithm>
#include <cmath>

namespace scree::soft {

namespace {

double zeta_of(const Material& material) {
  return material.damping ? *material.damping : damping_ratio(material.restitution);
}

}  // namespace

Material mix(const Material& a, const Material& b) {
  const Material& duller = zeta_of(a) >= zeta_of(b) ? a : b;
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

Material mix(const Scene& scene, int a, int b) {
  if (const MaterialPair* given = given_pair(scene, a, b)) return given->mixed;
  return mix(scene.materials[static_cast<std::size_t>(a)], scene.materials[static_cast<std::size_t>(b)]);
}

PairLaw pair_law(const Material& mixed, double (*of_restitution)(double)) {
  const double damping = mixed.damping ? *mixed.damping : of_restitution(mixed.restitution);
  return {.stiffness = mixed.stiffness,
          .damping_ratio = damping,
          .friction = mixed.friction,
          .dynamic_friction = mixed.dynamic_friction.value_or(mixed.friction),
          .tangential_stiffness = mixed.tangential_stiffness * mixed.stiffness,
          .tangential_damping_ratio = mixed.tangential_damping.value_or(damping),
          .rolling_friction = mixed.rolling_friction,
          .cohesion = mixed.cohesion};
}

Friction rolling(const PairLaw& law, const Approach& approach, double normal_force, const Friction& before,
                 double turn) {
  PairLaw of_rolling = law;
  of_rolling.friction = of_rolling.dynamic_friction = law.rolling_friction;
  return friction(of_rolling, approach.reduced_mass, normal_force, before, approach.spin / approach.per_size,
                  turn / approach.per_size);
}

}  // namespace scree::soft
