#include "dem/soft/contact/force_law.hpp"

#include <algorithm>
#include <cmath>

namespace scree::soft {

PairLaw pair_law(const Material& mixed, double (*of_restitution)(double)) {
  const double damping = mixed.damping ? *mixed.damping : of_restitution(mixed.restitution);
  return {{.stiffness = mixed.stiffness,
           .damping_ratio = damping,
           .friction = mixed.friction,
           .dynamic_friction = mixed.dynamic_friction.value_or(mixed.friction),
           .tangential_stiffness = mixed.tangential_stiffness * mixed.stiffness,
           .tangential_damping_ratio = mixed.tangential_damping.value_or(damping),
           .rolling_friction = mixed.rolling_friction,
           .cohesion = mixed.cohesion}};
}

}  // namespace scree::soft
