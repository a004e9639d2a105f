#include "io/scene/scene_writer.hpp"

#include <yaml-cpp/emitter.h>

#include "dem/scene.hpp"
#include "io/scene/group_entry.hpp"
#include "io/scene/sections.hpp"

namespace scree {

std::string to_yaml(const Scene& scene) {
  YAML::Emitter out;
  keys::Writing writing{out, scene};
  keys::scene_section().write(writing, scene);
  return std::string(out.c_str()) + '\n';
}

std::string particles_to_yaml(const Scene& scene) {
  YAML::Emitter out;
  keys::Writing writing{out, scene};
  out << YAML::BeginSeq;
  for (const ParticleGroup& group : scene.particles) {
    out << YAML::Block;
    keys::group_section().write(writing, {group});
  }
  out << YAML::EndSeq;
  return std::string(out.c_str()) + '\n';
}

}  // namespace scree
