#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dem/scene.hpp"
#include "dem/state.hpp"

namespace scree {

/// How many others a particle has at a distance, over how many there would be if they lay anywhere: g(r), of centres in
/// the region, averaged over samples.
///
/// Along an axis where the region ends (everywhere but in a periodic domain that it spans) only those particles
/// are asked that have the whole circle of radius `to` inside the region; their neighbours are counted up to its ends.
/// So nothing is missing at the edges and nothing has to be corrected there.
class RadialDistribution {
 public:
  RadialDistribution(const Measure::RadialDistribution& spec, const Region& region, const Domain& domain);

  /// Cost: O(N) times the number of particles within `to` of one.
  void add(const ParticleState& particles);

  struct Row {
    double distance;      ///< middle of the bin [m]
    double g;             ///< 0 as long as there is nothing to compare with
    std::uint64_t pairs;  ///< counted, from each of the two particles that is asked
  };
  std::vector<Row> rows() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.pairs_, self.expected_);
  }

 private:
  bool is_asked(const Vec2& position) const;

  double to_;  // [m]
  Region region_;
  std::array<bool, 2> wraps_;  // along x, y: the region goes round
  std::vector<std::uint64_t> pairs_;
  double expected_ = 0.0;  // pairs that an area would have on average, summed over samples [1/m^2]
};

}  // namespace scree
