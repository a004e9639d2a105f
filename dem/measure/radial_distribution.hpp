#pragma once

#include <cstdint>
#include <vector>

#include "dem/archive.hpp"
#include "dem/measure/region_pairs.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/region.hpp"
#include "dem/state.hpp"

namespace scree {

/// Radial distribution function g(r): the number of particles at a distance from a particle, over the number for
/// uniformly distributed particles; of centres in the region (RegionPairs), averaged over samples.
class RadialDistribution {
 public:
  RadialDistribution(const Measure::RadialDistribution& spec, const Region& region, const Domain& domain);

  /// Cost: O(N) times the number of particles within `to` of one.
  void add(const ParticleState& particles);

  struct Row {
    double distance;      ///< centre of the bin [m]
    double g;             ///< 0 if no pairs are expected yet
    std::uint64_t pairs;  ///< number, counted once for each of the two that is a reference particle
  };
  std::vector<Row> rows() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(fixed(self.pairs_), self.expected_);
  }

 private:
  RegionPairs near_;
  std::vector<std::uint64_t> pairs_;
  double expected_ = 0.0;  // expected number of pairs per area, summed over samples [1/m^2]
};

/// Number of the bin of a distance below `to`, of so many bins of equal width.
std::size_t bin_of(double distance, double to, std::size_t bins);
/// g in such a bin. @param expected  pairs per area, as RegionPairs returns them
double pairs_over_expected(std::uint64_t pairs, double expected, double middle, double width);

}  // namespace scree
