#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dem/archive.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"

namespace scree {

/// Radial distribution function g(r): the number of particles at a distance from a particle, over the number for
/// uniformly distributed particles; of centres in the region, averaged over samples.
///
/// Along an axis on which the region is bounded (that is, unless it spans a periodic domain), only those particles are
/// reference particles whose whole circle of radius `to` is inside the region; all their neighbours in the region
/// count. So no correction at the boundary is needed.
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
  bool is_asked(const Vec2& position) const;

  double to_;  // [m]
  Region region_;
  std::array<bool, 2> wraps_;  // along x, y: the region spans a periodic domain
  std::vector<std::uint64_t> pairs_;
  double expected_ = 0.0;  // expected number of pairs per area, summed over samples [1/m^2]
};

}  // namespace scree
