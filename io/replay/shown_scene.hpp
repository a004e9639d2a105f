#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dem/scene/domain.hpp"
#include "dem/state.hpp"

namespace scree {

struct Scene;

/// The domain as the player has it.
nlohmann::ordered_json shown_domain(const Domain& domain);

/// What the player has of a run that goes on beside its frames: title, mode, domain, which part of the plane is shown,
/// names of materials and groups. @param start  one of its first frames
nlohmann::ordered_json shown_scene(const Scene& scene, const State& start);

}  // namespace scree
