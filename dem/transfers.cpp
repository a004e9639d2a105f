#include "dem/transfers.hpp"

#include <algorithm>
#include <cmath>

#include "dem/archive.hpp"

namespace scree {

std::size_t layers_of(const Measure& measure) {
  return measure.height_profile ? static_cast<std::size_t>(measure.height_profile->bins) : 1;
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
  walls_[wall].add(contact.impulse, angular_impulse);
  LayerTransfer* const layer = layer_of(contact);
  if (layer == nullptr) return;
  layer->wall_collisions += contact.begun ? 1 : 0;
  layer->virial += contact.branch * contact.impulse.transpose();
  const Vec2 from_centre = contact.centre + contact.branch - 0.5 * (region_.lo + region_.hi);
  layer->wall_virial += from_centre.cwiseProduct(contact.impulse);
}

void Transfers::count_begun(const Contact& contact, bool with_wall) {
  LayerTransfer* const layer = layer_of(contact);
  if (layer != nullptr) ++(with_wall ? layer->wall_collisions : layer->collisions);
}

auto Transfers::take_out() const -> OnlyLayer {
  OnlyLayer out;
  Vec2 lo = region_.lo;
  Vec2 hi = region_.hi;
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain_.periodic[static_cast<std::size_t>(axis)]) continue;
    constexpr double kMargin = 1e-9;  // periods: what lies deeper inside the domain is wrapped by none
    const double margin = kMargin * (domain_.hi[axis] - domain_.lo[axis]);
    lo[axis] = std::max(lo[axis], domain_.lo[axis] + margin);
    hi[axis] = std::min(hi[axis], domain_.hi[axis] - margin);
  }
  const LayerTransfer& layer = layers_.front();
  const auto both = [](const Vec2& vector) { return OnlyLayer::TwoNumbers::load(vector.data()); };
  out.lo_ = both(lo);
  out.hi_ = both(hi);
  out.middle_of_region_ = both(0.5 * (region_.lo + region_.hi));
  out.virial_by_x_ = both(layer.virial.col(0));
  out.virial_by_y_ = both(layer.virial.col(1));
  out.wall_virial_ = both(layer.wall_virial);
  return out;
}

void Transfers::give_back(OnlyLayer out) {
  LayerTransfer& layer = layers_.front();
  layer.virial << out.virial_by_x_[0], out.virial_by_y_[0], out.virial_by_x_[1], out.virial_by_y_[1];
  layer.wall_virial = {out.wall_virial_[0], out.wall_virial_[1]};
}

}  // namespace scree
