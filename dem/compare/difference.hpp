#pragma once

#include <cstdint>

#include "dem/scene/domain.hpp"
#include "dem/state.hpp"

namespace scree::compare {

/// Distance between two states of one scene, over the disks that are present in both.
struct Difference {
  double position_rms = 0.0;  ///< [m]; along a periodic axis the shorter distance
  double position_largest = 0.0;
  double velocity_rms = 0.0;  ///< [m/s]
  double velocity_largest = 0.0;
  double velocity_mean = 0.0;  ///< mean of the magnitudes
};

/// @param first_a, first_b id of the first disk in each
/// Cost: O(N)
Difference difference(const ParticleState& a, std::uint64_t first_a, const ParticleState& b, std::uint64_t first_b,
                      const Domain& domain);

}  // namespace scree::compare
