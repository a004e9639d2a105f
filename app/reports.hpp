#pragma once

#include <cstdint>
#include <string>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/simulation.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// Reports of a run: where the modes differ for the program.
namespace scree::app {

/// What has been done since the start, in units of kWork.
std::uint64_t work_of(const soft::Simulation& simulation);
std::uint64_t work_of(const hard::SceneSimulation& simulation);
inline std::uint64_t work_of(const soft::RankedSimulation& simulation) {
  return simulation.particle_steps();
}

template <class S>
inline constexpr const char* kWork = "particle-steps";
template <>
inline constexpr const char* kWork<hard::SceneSimulation> = "events";

/// Half a sentence for the beginning, for people new to it: what the mode does.
std::string mode_of(const soft::Simulation& simulation);
std::string mode_of(const hard::SceneSimulation& simulation);
std::string mode_of(const soft::RankedSimulation& simulation);

/// A sentence for the beginning: how time goes on.
std::string pace_of(const soft::Simulation& simulation);
std::string pace_of(const hard::SceneSimulation& simulation);
std::string pace_of(const soft::RankedSimulation& simulation);

/// A sentence for the beginning if threads that were asked for have nothing to do; else empty.
inline std::string idle_threads_of(const soft::Simulation&) {
  return {};
}
inline std::string idle_threads_of(const soft::RankedSimulation&) {
  return {};
}
std::string idle_threads_of(const hard::SceneSimulation& simulation);

/// Name of the stage in which it is; empty without stages.
std::string stage_of(const Scene& scene, const soft::Simulation& simulation);
std::string stage_of(const Scene& scene, const hard::SceneSimulation& simulation);
std::string stage_of(const Scene& scene, const soft::RankedSimulation& simulation);

/// Prints how it went, for the end of a run.
void print_details(const Scene& scene, const soft::Simulation& simulation);
void print_details(const Scene& scene, const hard::SceneSimulation& simulation);
/// And on how many ranks.
template <class S>
void print_ranks(const S&) {}
void print_ranks(const soft::RankedSimulation& simulation);

/// The simulation of a mode, complete, on one rank or several.
template <class S>
const S& whole_of(const S& simulation) {
  return simulation;
}
inline const soft::Simulation& whole_of(const soft::RankedSimulation& simulation) {
  return simulation.whole();
}

}  // namespace scree::app
