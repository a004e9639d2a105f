#include "dem/hard/packing.hpp"

#include <numeric>

namespace scree::hard {

Backbone find_backbone(std::size_t disks, std::span<const Touch> touches) {
  Backbone backbone;
  backbone.is_rattler.assign(disks, false);
  std::vector<unsigned> contacts(disks);
  std::size_t before = 0;
  do {
    before = backbone.rattlers;
    contacts.assign(disks, 0);
    for (const Touch& touch : touches) {
      if (!backbone.is_rattler[touch.disk] && !backbone.is_rattler[touch.other]) ++contacts[touch.disk];
    }
    for (std::size_t i = 0; i < disks; ++i) {
      if (backbone.is_rattler[i] || contacts[i] >= 3) continue;
      backbone.is_rattler[i] = true;
      ++backbone.rattlers;
    }
  } while (backbone.rattlers != before);
  const std::size_t rigid = disks - backbone.rattlers;
  const auto sum = static_cast<double>(std::accumulate(contacts.begin(), contacts.end(), std::size_t{0}));
  if (rigid > 0) backbone.coordination = sum / static_cast<double>(rigid);
  return backbone;
}

}  // namespace scree::hard
