#include "dem/measure/radial_distribution.hpp"

#include <algorithm>
#include <numbers>

namespace scree {

RadialDistribution::RadialDistribution(const Measure::RadialDistribution& spec, const Region& region,
                                       const Domain& domain)
    : near_(spec.to, region, domain), pairs_(static_cast<std::size_t>(spec.bins)) {}

void RadialDistribution::add(const ParticleState& particles) {
  expected_ += near_.visit(particles.position, [&](std::size_t, std::size_t, const Vec2&, double distance) {
    ++pairs_[bin_of(distance, near_.to(), pairs_.size())];
  });
}

std::vector<RadialDistribution::Row> RadialDistribution::rows() const {
  std::vector<Row> rows;
  const double width = near_.to() / static_cast<double>(pairs_.size());
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const double middle = (static_cast<double>(k) + 0.5) * width;
    rows.push_back({middle, pairs_over_expected(pairs_[k], expected_, middle, width), pairs_[k]});
  }
  return rows;
}

std::size_t bin_of(double distance, double to, std::size_t bins) {
  return std::min(static_cast<std::size_t>(distance / to * static_cast<double>(bins)), bins - 1);
}

double pairs_over_expected(std::uint64_t pairs, double expected, double middle, double width) {
  const double in_ring = expected * 2.0 * std::numbers::pi * middle * width;
  return in_ring > 0.0 ? static_cast<double>(pairs) / in_ring : 0.0;
}

}  // namespace scree
