#include "io/colours.hpp"

#include <cstddef>
#include <variant>
#include <vector>

namespace scree {

Colours::Colours(const Scene& scene, const ParticleState& start) {
  std::vector<std::size_t> placed(scene.particles.size());  // so far, by group: they come in the order of the scene
  for (std::size_t i = 0; i < start.size(); ++i) {
    const auto group = static_cast<std::size_t>(start.type[i]);
    const auto* place = std::get_if<Place>(&scene.particles[group].how);
    if (place == nullptr) continue;
    const Placed& grain = (*place)[placed[group]++];
    if (grain.colour) of_id_.emplace(start.id[i], *grain.colour);
  }
}

void Colours::paint(ParticleState& particles) const {
  if (of_id_.empty()) return;
  constexpr Colour kGrey = {190, 190, 190};
  particles.colour.clear();
  for (const std::uint64_t id : particles.id) {
    const auto found = of_id_.find(id);
    particles.colour.push_back(found == of_id_.end() ? kGrey : found->second);
  }
}

}  // namespace scree
