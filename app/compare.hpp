#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/scene_reader.hpp"

namespace scree::app {

struct CompareOptions {
  std::optional<std::string> output;  ///< directory, instead of the scene's with _compare behind it
  std::vector<double> stiffnesses;    ///< rising [N/m]; may be empty
  std::vector<double> at;             ///< when disks are drawn, rising [s]; empty: half-way and at the end
  std::size_t runs = 1;               ///< in soft mode; in hard mode as many, at least compare::kHardRuns
  bool force = false;                 ///< replaces an earlier comparison
  int threads = 0;                    ///< of the soft mode; 0: as many as there are cores
  bool quiet = false;                 ///< errors only
  Settings settings = {};             ///< values instead of the scene's
};

/// Runs a scene of disks in both modes, several times, and writes how they differ. Errors as exceptions: SceneError,
/// InvalidScene, UsageError, PhysicsError, IoError.
/// @return kOk or kInterrupted, with a report of what was seen until then
int compare(const std::filesystem::path& scene, const CompareOptions& options);

}  // namespace scree::app
