#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dem/compare/twins.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::compare {

/// Independent runs of one scene in both modes.
struct Ensemble {
  std::vector<Twins> twins;          ///< the scene itself first; all run in hard mode
  std::size_t soft_runs = 1;         ///< the first ones also run in soft mode
  std::vector<std::uint64_t> seeds;  ///< of each
  /// Each run has its own seed, which draws its disks. Otherwise seeds change nothing (all disks are placed): then the
  /// velocities of all but the first run differ by kStir, and the runs are independent once they have diverged.
  bool reseeded = true;
};

/// At least so many runs in hard mode.
inline constexpr std::size_t kHardRuns = 8;

/// Size of the differences between initial velocities in runs that seeds do not change, over the rms velocity. Large
/// enough that they diverge as early as those of the two modes.
inline constexpr double kStir = 1e-3;

/// @param soft_runs > 0; there are as many in hard mode, at least kHardRuns
/// @throws InvalidScene as twins
/// Cost: O(N log N) for each run
Ensemble ensemble(const Scene& scene, std::size_t soft_runs);

/// The twins with other initial velocities: a vector drawn uniformly from the square [-1, 1]^2 is added to each, times
/// `share` and the rms velocity. If all disks are at rest, the speed after a fall by a mean diameter takes its place,
/// or, without gravity, that of a mean diameter in the time of the run.
Twins stirred(const Twins& twins, double share, std::uint64_t seed);

/// with_stiffness for each run.
Ensemble with_stiffness(const Ensemble& ensemble, double stiffness);

}  // namespace scree::compare
