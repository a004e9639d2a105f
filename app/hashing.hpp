#pragma once

#include <cstdint>
#include <limits>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/state_values.hpp"
#include "io/tables/hash_table.hpp"

/// When a run keeps hashes of its state: at its beginning and its end, in the soft mode every kStepsBetweenHashes
/// steps, in the hard mode with every frame.
namespace scree::app {

inline constexpr const char* kHashFile = "hashes.csv";

/// Seldom enough to cost less than a hundredth of the steps of a few grains.
inline constexpr std::uint64_t kStepsBetweenHashes = 1000;

inline std::uint64_t step_of(const soft::Simulation& simulation) {
  return simulation.steps();
}
inline std::uint64_t step_of(const soft::RankedSimulation& simulation) {
  return simulation.steps();
}
inline std::uint64_t step_of(const hard::SceneSimulation& simulation) {
  const hard::Counters counters = simulation.counters();
  return counters.collisions + counters.wall_hits + counters.crossings;
}

/// How many steps or events at most until the next hashes.
inline std::uint64_t steps_to_hashes(const soft::Simulation& simulation) {
  return kStepsBetweenHashes - simulation.steps() % kStepsBetweenHashes;
}
inline std::uint64_t steps_to_hashes(const soft::RankedSimulation& simulation) {
  return kStepsBetweenHashes - simulation.steps() % kStepsBetweenHashes;
}
inline std::uint64_t steps_to_hashes(const hard::SceneSimulation&) {
  return std::numeric_limits<std::uint64_t>::max();
}
inline bool hashes_are_due(const soft::Simulation& simulation) {
  return simulation.steps() % kStepsBetweenHashes == 0;
}
inline bool hashes_are_due(const soft::RankedSimulation& simulation) {
  return simulation.steps() % kStepsBetweenHashes == 0;
}
inline bool hashes_are_due(const hard::SceneSimulation&) {
  return false;
}

template <AnySimulation S>
HashRow hashes_now(const S& simulation) {
  StateValues values;
  simulation.list_values(values);
  return {simulation.time(), step_of(simulation), values.hashes()};
}

}  // namespace scree::app
