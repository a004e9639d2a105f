#pragma once

#include "dem/hard/collision_rule.hpp"
#include "dem/scene.hpp"

namespace scree::hard {

/// What holds between two materials in the event-driven mode: the least of both restitutions, frictions and tangential
/// restitutions.
Material mix(const Material& a, const Material& b);

/// Walton's rule of two materials of a scene, by number: mixed, unless the scene gives the pair.
CollisionRule rule_between(const Scene& scene, int a, int b);

}  // namespace scree::hard
