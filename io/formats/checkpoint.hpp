#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dem/simulation.hpp"
#include "dem/state_values.hpp"
#include "io/files/written.hpp"

/// The whole state of a run in one file, so that it can go on elsewhere and later as if it had never stopped.
namespace scree {

struct Checkpoint {
  std::string scene_name;         ///< of the scene's file, for messages
  std::string scene_yaml;         ///< the resolved scene
  std::string state;              ///< the simulation's own bytes (save)
  std::string state_hash = {};    ///< see below
  std::string measurements = {};  ///< bytes of what is measured, if anything
  Written written = {};           ///< what belongs to this state in the directory
  std::string edits = {};         ///< RunInfo::edits, as a JSON list; empty: none
};

/// What a file of it holds: seal_checkpoint(checkpoint_body(checkpoint)). The seal is a version and a checksum.
std::string checkpoint_body(const Checkpoint& checkpoint);
std::string seal_checkpoint(std::string_view body);

/// Where the checkpoint is kept that was in `file` before: state.previous.scree for state.scree.
std::filesystem::path previous_checkpoint(const std::filesystem::path& file);

/// What becomes of the checkpoint that is in the file already.
enum class Earlier {
  kept,     ///< as previous_checkpoint, in place of what had that name: in a run's directory
  replaced  ///< where the user names the file
};

/// Writes it atomically, with a checksum. When this returns it is on the disk; a power cut at any moment leaves the old
/// one or the new one, whole. What it counts on must be on the disk before. Throws IoError.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint, Earlier earlier = Earlier::kept);
/// Writes it with no copy of the state in memory. @param checkpoint its `state` is empty  @param save_state writes the
/// state into a stream; is called three times: its length, its checksum, the file
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint,
                      const std::function<void(std::ostream&)>& save_state, Earlier earlier = Earlier::kept);

/// Throws IoError if the file is missing, of another format, which is named, cut off or damaged.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// A checkpoint from the contents of a file. @param name_of_file  for messages
Checkpoint parse_checkpoint(std::string_view contents, const std::string& name_of_file);

/// As read_checkpoint. If the file is missing, cut off or damaged and the one before is whole, that takes its place.
/// @param warn  called then, with a sentence
Checkpoint read_last_checkpoint(const std::filesystem::path& file, const std::function<void(const std::string&)>& warn);

/// As 16 hexadecimal digits.
std::string hash_text(const StateHash& hashes);

/// Hash of a simulation's state as 16 hexadecimal digits, of all that list_values lists: time, ids, motion with its
/// derivatives, image counters and contact history; never hints, boxes or the order in which anything is kept. Equal
/// hashes: the same run, to the last bit.
template <AnySimulation S>
std::string state_hash(const S& simulation) {
  StateValues values;
  simulation.list_values(values);
  return hash_text(values.hashes());
}

}  // namespace scree
