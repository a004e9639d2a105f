#pragma once

#include <filesystem>
#include <string>

#include "dem/simulation.hpp"
#include "dem/state_values.hpp"

/// The whole state of a run in one file, so that it can go on elsewhere and later as if it had never stopped.
namespace scree {

struct Checkpoint {
  std::string scene_name;         ///< of the scene's file, for messages
  std::string scene_yaml;         ///< the resolved scene
  double wall_time = 0.0;         ///< spent so far [s]
  std::string state;              ///< the simulation's own bytes (save)
  std::string measurements = {};  ///< those of what is measured, if anything
};

/// Writes it atomically, with a checksum. Throws IoError.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Throws IoError if the file is missing, of another format, cut off or damaged.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// As 16 hexadecimal digits.
std::string hash_text(const StateHash& hashes);

/// Hash of a simulation's state as 16 hexadecimal digits, of all that list_values tells: time, ids, motion with its
/// derivatives, image counters and contact history; never hints, boxes or the order in which anything is kept. Equal
/// hashes: the same run, to the last bit.
template <AnySimulation S>
std::string state_hash(const S& simulation) {
  StateValues values;
  simulation.list_values(values);
  return hash_text(values.hashes());
}

}  // namespace scree
