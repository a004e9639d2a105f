#pragma once

#include <cstdint>
#include <string>

#include "dem/hard/scene_simulation.hpp"
#include "dem/soft/simulation.hpp"
#include "io/checkpoint.hpp"
#include "io/run_info.hpp"
#include "io/scene_identity.hpp"
#include "io/version.hpp"

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

/// Fills in what only this mode has.
void add_details(const soft::Simulation& simulation, RunInfo& info);
void add_details(const hard::SceneSimulation& simulation, RunInfo& info);

/// What a run of either direction says about itself, but for when it ends and what it took.
template <AnySimulation S>
RunInfo info_of(const Scene& scene, const std::string& scene_yaml, const std::string& scene_name, const S& simulation) {
  RunInfo info;
  info.version = version();
  info.commit = commit();
  info.compiler = compiler();
  info.scene_file = scene_name;
  info.title = scene.title;
  info.scene_yaml = scene_yaml;
  info.scene_hash = scene_hash(scene);
  info.seed = scene.seed;
  info.broadphase = simulation.broadphase_reason();
  info.end_time = simulation.time();
  info.state_hash = state_hash(simulation);
  add_details(simulation, info);
  return info;
}

/// Name of the stage in which it is; empty without stages.
std::string stage_of(const Scene& scene, const soft::Simulation& simulation);
std::string stage_of(const Scene& scene, const hard::SceneSimulation& simulation);

/// Fills in which stages have begun, and when.
void add_stages(const Scene& scene, const soft::Simulation& simulation, RunInfo& info);
void add_stages(const Scene& scene, const hard::SceneSimulation& simulation, RunInfo& info);

/// Prints how it went, for the end of a run.
void print_details(const soft::Simulation& simulation);
void print_details(const hard::SceneSimulation& simulation);

}  // namespace scree::app
