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

/// How pairs of grains at a distance r from one another are turned: averages of cosines over pairs (docs/theory.md,
/// Measurements), of centres in the region (RegionPairs) and over samples. With the angles theta of the grains, phi of
/// the way from the reference particle a to its neighbour b against the x axis, and the symmetry m:
class PairOrientation {
 public:
  PairOrientation(const Measure::PairOrientation& spec, const Region& region, const Domain& domain);

  /// Cost: O(N) times the number of particles within `to` of one.
  void add(const ParticleState& particles);

  struct Row {
    double distance;  ///< centre of the bin [m]
    double g;         ///< as that of RadialDistribution
    double grains;    ///< mean of cos m (theta_b - theta_a): 1 where both are turned alike; 0 without pairs
    double bond;      ///< mean of cos m (phi - theta_a): where neighbours lie, seen from the grain
    Vec2 direction;   ///< mean of (cos 2 phi, sin 2 phi): anisotropy of g, against the x axis
    std::uint64_t pairs;
  };
  std::vector<Row> rows() const;

  struct Sums {
    std::uint64_t pairs = 0;
    double grains = 0.0;
    double bond = 0.0;
    Vec2 direction = Vec2::Zero();

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.pairs, self.grains, self.bond, self.direction);
    }
  };

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(fixed(self.sums_), self.expected_);
  }

 private:
  RegionPairs near_;
  double symmetry_;
  std::vector<Sums> sums_;
  double expected_ = 0.0;  // expected number of pairs per area, summed over samples [1/m^2]
};

}  // namespace scree
