#pragma once

#include <cstdint>
#include <string>

#include "dem/hard/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"

/// What a run says about itself: where the modes differ for the program.
namespace scree::app {

/// What has been done since the start, in units of kWork.
std::uint64_t work_of(const soft::Simulation& simulation);
std::uint64_t work_of(const hard::SceneSimulation& simulation);

template <class S>
inline constexpr const char* kWork = "particle-steps";
template <>
inline constexpr const char* kWork<hard::SceneSimulation> = "events";

/// Half a sentence for the beginning, for people new to it: what the mode does.
std::string mode_of(const soft::Simulation& simulation);
std::string mode_of(const hard::SceneSimulation& simulation);

/// A sentence for the beginning: how time goes on.
std::string pace_of(const soft::Simulation& simulation);
std::string pace_of(const hard::SceneSimulation& simulation);

/// Name of the stage in which it is; empty without stages.
std::string stage_of(const Scene& scene, const soft::Simulation& simulation);
std::string stage_of(const Scene& scene, const hard::SceneSimulation& simulation);

/// Prints how it went, for the end of a run.
void print_details(const Scene& scene, const soft::Simulation& simulation);
void print_details(const Scene& scene, const hard::SceneSimulation& simulation);

}  // namespace scree::app
