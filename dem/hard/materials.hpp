#pragma once

#include "dem/hard/collision_rule.hpp"
#include "dem/scene.hpp"

namespace scree::hard {

/// What holds between two materials in the event-driven mode: the least of both restitutions, with its law and speed,
/// of both frictions and of both tangential restitutions. Of equal restitutions, the law that comes first in
/// RestitutionLaw, and of equal laws the lower speed.
Material mix(const Material& a, const Material& b);

/// Walton's rule of two materials of a scene, by number: mixed, unless the scene gives the pair.
CollisionRule rule_between(const Scene& scene, int a, int b);

}  // namespace scree::hard
