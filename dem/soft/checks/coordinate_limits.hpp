#pragma once

#include "dem/soft/motion/time_step.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

// Numbers near x are epsilon x apart. Beyond these shares of that, rounding shows in the motion: impacts of disks keep
// their speed to 0.1 % at the second one, a disk at rest its depth to 0.3 % at the third (docs/theory.md, section 7).
inline constexpr double kMostRoundingOfGrain = 1e-7;  ///< of the smallest grain's diameter
inline constexpr double kMostRoundingOfPath = 1e-2;   ///< of the path of the fastest grain in a step
inline constexpr double kMostRoundingOfDepth = 1e-3;  ///< of the depth at which the lightest grain rests, m g / Y

/// Refuses a domain that reaches so far from the origin that positions in it are too coarse for the scene's grains,
/// depths and steps.
/// @throws InvalidScene with the farthest coordinate that is allowed
/// Cost: O(placed grains)
void require_digits(const Scene& scene, const TimeStep& step);

}  // namespace scree::soft
