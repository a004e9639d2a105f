#pragma once

#include "dem/hard/flight/collision_rule.hpp"
#include "dem/scene.hpp"

namespace scree::hard {

/// Walton's rule of two materials of a scene, by number: mixed, unless the scene gives the pair.
CollisionRule rule_between(const Scene& scene, int a, int b);

}  // namespace scree::hard
