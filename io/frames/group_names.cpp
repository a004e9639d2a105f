#include "io/frames/group_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>

#include <fmt/format.h>

#include "dem/scene.hpp"

namespace scree {

std::vector<std::string> group_names(const Scene& scene) {
  constexpr std::array kHow = {"poured", "filled", "placed"};
  constexpr std::array kShape = {"disks", "regular polygons", "random polygons", "polygons", "clumps"};
  static_assert(std::variant_size_v<decltype(ParticleGroup::how)> == kHow.size());
  static_assert(std::variant_size_v<ShapeSpec> == kShape.size());

  std::vector<std::string> names;
  for (const ParticleGroup& group : scene.particles) {
    const std::string name = fmt::format("{} {} of {}", kHow.at(group.how.index()), kShape.at(group.shape.index()),
                                         scene.materials[static_cast<std::size_t>(group.material)].name);
    std::string own = name;
    for (int k = 2; std::ranges::find(names, own) != names.end(); ++k) own = fmt::format("{} {}", name, k);
    names.push_back(std::move(own));
  }
  return names;
}

std::vector<std::string> material_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const Material& material : scene.materials) names.push_back(material.name);
  return names;
}

}  // namespace scree
