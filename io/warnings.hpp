#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dem/measure/aliasing.hpp"

/// Warnings of `scree check` about a scene that is valid and yet probably wrong.
namespace scree {

struct Scene;
namespace hard {
class SceneSimulation;
}  // namespace hard
namespace soft {
class Simulation;
}  // namespace soft

/// Each a sentence that begins with a key. Values that may be in other units; in soft mode also impacts
/// that will be too deep, steps that a guard will refuse, and blocks that are too soft to stand.
std::vector<std::string> warnings(const Scene& scene, const soft::Simulation& simulation);
std::vector<std::string> warnings(const Scene& scene, const hard::SceneSimulation& simulation);

/// All warnings: those of either mode, and of times between samples that hide what a wall does.
template <class S>
std::vector<std::string> all_warnings(const Scene& scene, const S& simulation) {
  std::vector<std::string> all = warnings(scene, simulation);
  for (const Aliasing& found : aliasing(scene)) all.push_back(text(found));
  return all;
}

/// One of them, of a scene in soft mode: impacts so deep that a guard will end the run. Known before it begins.
std::optional<std::string> too_deep_impacts(const Scene& scene);

/// What is to be expected of the scene in soft mode: the deepest impact, the rigidity of blocks. Lines.
std::string expectations(const Scene& scene);

}  // namespace scree
