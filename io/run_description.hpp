#pragma once

#include "io/formats/run_info.hpp"

namespace scree {

struct Scene;
namespace hard {
class SceneSimulation;
}  // namespace hard
namespace soft {
class Simulation;
}  // namespace soft

/// The record of a run, as far as it follows from its scene and simulation. What is left to the caller: the scene's
/// file, the time spent, when it is to end, its status, and what was changed on the way. Cost: O(N), of the state's
/// hash
RunInfo describe(const Scene& scene, const soft::Simulation& simulation);
RunInfo describe(const Scene& scene, const hard::SceneSimulation& simulation);

}  // namespace scree
