#include "io/scene/scene_writer.hpp"

#include <yaml-cpp/emitter.h>

#include "io/scene/sections.hpp"

namespace scree {

std::string to_yaml(const Scene& scene) {
  YAML::Emitter out;
  keys::Writing writing{out, scene};
  keys::scene_section().write(writing, scene);
  return std::string(out.c_str()) + '\n';
}

}  // namespace scree
