#pragma once

#include "dem/hard/flight/collision_rule.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::hard {

/// Walton's rule of two materials of a scene, by number: mixed, unless the scene gives the pair.
CollisionRule rule_between(const Scene& scene, int a, int b);

}  // namespace scree::hard
