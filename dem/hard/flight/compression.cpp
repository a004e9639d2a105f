#include "dem/hard/flight/compression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dem/errors.hpp"

namespace scree::hard {

Compression::Compression(const GrowthSpec& spec, const Domain& domain, const Disks& disks)
    : spec_(spec), growth_{{}, spec.rate > 0.0 ? spec.from : 1.0, spec.rate} {
  if (!grows()) return;
  energy_ = disks.translational_energy();
  scale_at_goal_ = growth_.scale * std::sqrt(spec.packing_fraction / packing_fraction(disks, growth_, domain, 0.0));
  if (!(scale_at_goal_ > growth_.scale)) throw InvalidScene("growth.packing_fraction", "is reached at the start");
}

std::uint64_t Compression::changes_until_rescaling(std::size_t disks) const {
  const double changes = 0.5 * spec_.rescaling * static_cast<double>(disks);
  return std::max<std::uint64_t>(100, static_cast<std::uint64_t>(changes));
}

double Compression::measure(double elapsed, double energy) {
  pressure_ = 1.0 + virial_ / (elapsed * (energy_ + energy));
  virial_ = 0.0;
  const bool jams = pressure_ >= spec_.pressure;
  if (jams) end(growth_.scale);
  return jams ? 0.0 : energy_;
}

double Compression::reach_goal() {
  end(scale_at_goal_);
  return energy_;
}

double packing_fraction(const Disks& disks, const Growth& growth, const Domain& domain, double now) {
  const double size = growth.scale_at(now);
  double area = 0.0;
  for (Index i = 0; i < disks.size(); ++i) {
    if (disks.has_left(i)) continue;
    if (disks.forms().exist()) {
      area += size * size * disks.forms()[i].area;
      continue;
    }
    const double r = radius(disks.flight(i), growth, now);
    area += std::numbers::pi * r * r;
  }
  return area / (domain.hi - domain.lo).prod();
}

}  // namespace scree::hard
