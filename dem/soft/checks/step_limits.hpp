#pragma once

#include "dem/soft/motion/time_step.hpp"

namespace scree {
struct Scene;
struct Thermostat;
}  // namespace scree

namespace scree::soft {

/// Steps until the end of a scene, at most.
inline constexpr double kMostSteps = 1e15;

/// Refuses an automatic step with which nothing, or nothing in reasonable time, would be simulated: longer than
/// output.every or time.end, or more than kMostSteps until the end. The step itself is never changed: it depends on no
/// key of the output. What a scene leaves at 0 limits nothing.
/// @throws InvalidScene at the key that is farthest from what is usual among those that make the step, with all of them
/// Cost: O(1); O(grains) if it throws
void require_sensible_step(const Scene& scene, const TimeStep& step);

/// @throws InvalidScene if a thermostat acts more often than once a step, see also scree::require_sensible
void require_sensible(const Thermostat& thermostat, const Scene& scene, const TimeStep& step);

}  // namespace scree::soft
