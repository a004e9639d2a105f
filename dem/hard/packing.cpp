#include "dem/hard/packing.hpp"

#include <numeric>

namespace scree::hard {

Backbone find_backbone(std::size_t disks, std::span<const Touch> touches) {
  Backbone backbone;
  std::vector<bool> is_rattler(disks, false);
  std::size_t before = 0;
  do {
    before = backbone.rattlers;
    backbone.contacts.assign(disks, 0);
    backbone.total = 0;
    for (const Touch& touch : touches) {
      if (is_rattler[touch.disk] || is_rattler[touch.other]) continue;
      ++backbone.contacts[touch.disk];
      if (touch.disk <= touch.other) ++backbone.total;
    }
    for (std::size_t i = 0; i < disks; ++i) {
      if (is_rattler[i] || backbone.contacts[i] >= 3) continue;
      is_rattler[i] = true;
      ++backbone.rattlers;
    }
  } while (backbone.rattlers != before);
  const double sum = std::accumulate(backbone.contacts.begin(), backbone.contacts.end(), 0.0);
  if (backbone.rattlers < disks) backbone.coordination = sum / static_cast<double>(disks - backbone.rattlers);
  return backbone;
}

}  // namespace scree::hard
