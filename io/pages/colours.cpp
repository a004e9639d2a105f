#include "io/pages/colours.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "dem/scene.hpp"

namespace scree {

Colours::Colours(const Scene& scene, const ParticleState& start) {
  for (const ParticleGroup& group : scene.particles) of_group_.push_back(group.colour);
  std::vector<std::size_t> placed(scene.particles.size());  // so far, by group: they come in the order of the scene
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto group = static_cast<std::size_t>(start.type[i]);
    const auto* place = std::get_if<Place>(&scene.particles[group].how);
    if (place == nullptr || placed[group] == place->size()) continue;  // those of an earlier run have no place here
    const Placed& grain = (*place)[placed[group]++];
    if (grain.colour) of_id_.emplace(start.id[i], *grain.colour);
  }
}

bool Colours::follow_from_start(const Scene& scene) {
  return std::ranges::any_of(scene.particles, [](const ParticleGroup& group) {
    const auto* place = std::get_if<Place>(&group.how);
    return place != nullptr &&
           std::ranges::any_of(*place, [](const Placed& grain) { return grain.colour.has_value(); });
  });
}

void Colours::paint(ParticleState& particles) const {
  if (of_id_.empty() && std::ranges::none_of(of_group_, [](const auto& colour) { return colour.has_value(); })) return;
  constexpr Colour kGrey = {190, 190, 190};
  particles.colour.clear();
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const auto found = of_id_.find(particles.id[i]);
    const auto group = static_cast<std::size_t>(particles.type[i]);
    particles.colour.push_back(found != of_id_.end() ? found->second : of_group_[group].value_or(kGrey));
  }
}

}  // namespace scree
