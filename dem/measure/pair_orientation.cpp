#include "dem/measure/pair_orientation.hpp"

#include <cmath>

#include "dem/measure/radial_distribution.hpp"

namespace scree {

PairOrientation::PairOrientation(const Measure::PairOrientation& spec, const Region& region, const Domain& domain)
    : near_(spec.to, region, domain), symmetry_(spec.symmetry), sums_(static_cast<std::size_t>(spec.bins)) {}

void PairOrientation::add(const ParticleState& particles) {
  expected_ += near_.visit(particles.position, [&](std::size_t a, std::size_t b, const Vec2& way, double distance) {
    Sums& sums = sums_[bin_of(distance, near_.to(), sums_.size())];
    ++sums.pairs;
    sums.grains += std::cos(symmetry_ * (particles.angle[b] - particles.angle[a]));
    if (distance == 0.0) return;  // no direction
    sums.bond += std::cos(symmetry_ * (std::atan2(way.y(), way.x()) - particles.angle[a]));
    const Vec2 unit = way / distance;
    sums.direction += Vec2(unit.x() * unit.x() - unit.y() * unit.y(), 2.0 * unit.x() * unit.y());
  });
}

std::vector<PairOrientation::Row> PairOrientation::rows() const {
  std::vector<Row> rows;
  const double width = near_.to() / static_cast<double>(sums_.size());
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const Sums& sums = sums_[k];
    const double middle = (static_cast<double>(k) + 0.5) * width;
    const double share = sums.pairs > 0 ? 1.0 / static_cast<double>(sums.pairs) : 0.0;
    rows.push_back({middle, pairs_over_expected(sums.pairs, expected_, middle, width), share * sums.grains,
                    share * sums.bond, share * sums.direction, sums.pairs});
  }
  return rows;
}

}  // namespace scree
