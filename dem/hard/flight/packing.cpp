#include "dem/hard/flight/packing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/deterministic_math.hpp"

namespace scree::hard {

double greatest_gap(double reduced_pressure) {
  return std::min(1e-3, 2.0 * deterministic::exp(-2.0 / 3.0 * deterministic::log(std::abs(reduced_pressure))));
}

Backbone find_backbone(std::size_t disks, std::span<const PackingContact> contacts) {
  Backbone backbone;
  std::vector<bool> is_rattler(disks, false);
  std::size_t before = 0;
  do {
    before = backbone.rattlers;
    backbone.contacts.assign(disks, 0);
    backbone.total = 0;
    for (const PackingContact& contact : contacts) {
      if (is_rattler[contact.disk] || is_rattler[contact.other]) continue;
      ++backbone.contacts[contact.disk];
      if (contact.disk <= contact.other) ++backbone.total;
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

std::size_t least_contacts(std::size_t freedoms, const std::array<bool, 2>& free_axes) {
  if (freedoms == 0) return 0;
  for (const bool is_free : free_axes) freedoms -= is_free ? 1 : 0;
  return freedoms + 1;
}

}  // namespace scree::hard
