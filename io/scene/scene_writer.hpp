#pragma once

#include <string>

namespace scree {

struct Scene;

/// The scene as YAML with every default written out. What the reader accepts comes back the same to the last bit:
/// parse_scene(to_yaml(scene), name) == scene.
std::string to_yaml(const Scene& scene);
/// Its groups of grains alone: the list behind `particles`.
std::string particles_to_yaml(const Scene& scene);

}  // namespace scree
