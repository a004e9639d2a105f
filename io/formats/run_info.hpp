#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dem/mode.hpp"

namespace scree {

/// What it takes to repeat a run, and how it went. Nothing that identifies the machine or its user.
struct RunInfo {
  Mode mode = Mode::soft;
  std::string version;  ///< of scree
  std::string commit;
  std::string compiler;
  std::string scene_file;  ///< as given; only its last part is written
  std::string title;
  std::string scene_yaml;  ///< the resolved scene: every default filled in
  std::string scene_hash;  ///< of what determines the motion
  std::uint64_t seed = 0;
  int threads = 1;
  std::string broadphase;             ///< which one, and what the trial found if there was one
  double wall_time = 0.0;             ///< [s]
  double end_time = 0.0;              ///< simulated time reached [s]
  double until = 0.0;                 ///< when it is to end [s]
  std::optional<double> turned = {};  ///< when it began to go back in time, if it does [s]
  std::string status = "running";     ///< "running", "finished", "interrupted" or "stopped: <why>"
  std::string state_hash;             ///< of the last state
  std::vector<std::string> warnings;  ///< what makes the results doubtful, for people
  std::vector<std::pair<std::string, double>> stages = {};  ///< that have begun: name and when [s]
  std::string start_from;                                   ///< the earlier run with whose grains it began; or empty
  std::string start_hash;                                   ///< of what was taken over
  std::string edits;  ///< what was changed on the way, as a JSON list of objects; empty: nothing

  // Soft mode.
  double step = 0.0;        ///< [s]
  std::string step_reason;  ///< a sentence: as the scene gives it, or which contact determines it
  std::uint64_t steps = 0;
  std::uint64_t particle_steps = 0;  ///< sum of the number of particles over the steps
  std::uint64_t chord_jumps = 0;     ///< of overlaps (docs/theory.md, section 2)
  std::map<std::string, double>
      depth_percentiles;  ///< of depth over the smaller grain's diameter, e.g. "impacts p99": 0.04

  // Hard mode.
  std::map<std::string, std::uint64_t> events;  ///< so far, by kind
};

/// Writes run.json (any name), indented, atomically. Numbers read back as the same; one that is not finite becomes
/// null; text that is not UTF-8 is repaired. Throws IoError.
void write_run_info(const std::filesystem::path& path, const RunInfo& info);

/// The run.json of an earlier run, or of the earlier parts of a run; what it lacks is empty.
struct EarlierRun {
  std::string status;  ///< RunInfo::status
  std::optional<int> threads;
  double wall_time = 0.0;        ///< [s]
  double end_time = 0.0;         ///< simulated time reached [s]
  double until = 0.0;            ///< when it is to end [s]
  std::optional<double> turned;  ///< when it began to go back in time, if it does [s]

  /// Which part of its time is simulated, 0 to 1.
  double progress() const;
  std::string scene_yaml;
  std::string scene_hash;
};
/// The run.json of an earlier run; empty if it is missing or damaged. Throws IoError if it cannot be read.
EarlierRun read_run_info(const std::filesystem::path& path);

}  // namespace scree
