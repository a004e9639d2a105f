#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

#include "dem/simulation.hpp"

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

/// XXH64 of some bytes as 16 hexadecimal digits.
std::string hash_of(std::string_view bytes);

/// Hash of a simulation's state: time, ids, motion with its derivatives, image counters and friction memory; never
/// hints, boxes or the order in which anything is kept. Equal hashes: the same run, to the last bit.
template <AnySimulation S>
std::string state_hash(const S& simulation) {
  std::ostringstream bytes;
  simulation.save_for_hash(bytes);
  return hash_of(bytes.view());
}

}  // namespace scree
