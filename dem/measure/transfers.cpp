#include "dem/measure/transfers.hpp"

#include <algorithm>
#include <cmath>

#include "dem/archive.hpp"

namespace scree {

std::size_t layers_of(const Measure& measure) {
  return measure.height_profile ? static_cast<std::size_t>(measure.height_profile->bins) : 1;
}

std::optional<std::size_t> layer_at(const Region& region, std::size_t layers, const Vec2& point) {
  if (!(region.lo.array() <= point.array() && point.array() <= region.hi.array()).all()) return std::nullopt;
  const double share = (point.y() - region.lo.y()) / (region.hi.y() - region.lo.y());
  return std::min(static_cast<std::size_t>(share * static_cast<double>(layers)), layers - 1);
}

Transfers::Transfers(const Measure& measure, const Domain& domain, std::size_t walls)
    : region_(measure.region), domain_(domain), layers_(layers_of(measure)), walls_(walls) {}

LayerTransfer* Transfers::layer_of(const Contact& contact) {
  Vec2 middle = contact.centre + 0.5 * contact.branch;
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain_.periodic[static_cast<std::size_t>(axis)]) continue;
    const double period = domain_.hi[axis] - domain_.lo[axis];
    middle[axis] -= std::floor((middle[axis] - domain_.lo[axis]) / period) * period;
  }
  const auto layer = layer_at(region_, layers_.size(), middle);
  return layer ? &layers_[*layer] : nullptr;
}

void Transfers::require_sound(const Transfers& fresh) const {
  require_state(layers_.size() == fresh.layers_.size() && walls_.size() == fresh.walls_.size(),
                "sums over layers or walls that do not exist");
  for (const LogHistogram* histogram : {&free_path_, &free_time_}) {
    require_state(histogram->counts().empty() || histogram->counts().size() == LogHistogram::kBins,
                  "counts of free flights");
  }
}

void Transfers::add(const Contact& contact) {
  LayerTransfer* const layer = layer_of(contact);
  if (layer == nullptr) return;
  layer->collisions += contact.begun ? 1 : 0;
  layer->virial += contact.branch * contact.impulse.transpose();
}

void Transfers::add_on_wall(const Contact& contact, std::size_t wall, double angular_impulse) {
  walls_[wall].impulse += contact.impulse;
  walls_[wall].angular_impulse += angular_impulse;
  LayerTransfer* const layer = layer_of(contact);
  if (layer == nullptr) return;
  layer->wall_collisions += contact.begun ? 1 : 0;
  layer->virial += contact.branch * contact.impulse.transpose();
  const Vec2 from_centre = contact.centre + contact.branch - 0.5 * (region_.lo + region_.hi);
  layer->wall_virial += from_centre.cwiseProduct(contact.impulse);
}

}  // namespace scree
