#pragma once

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// What can be known before a run of its later stages: that each is a scene. @throws InvalidScene
void require_sound_stages(const Scene& scene);

}  // namespace scree::soft
