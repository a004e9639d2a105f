#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree::app {

struct CompareOptions {
  std::optional<std::string> output;  ///< directory, instead of the scene's with _compare behind it
  std::vector<double> stiffnesses;    ///< rising [N/m]; may be empty
  int threads = 0;                    ///< of the soft mode; 0: as many as there are cores
  bool quiet = false;                 ///< errors only
};

/// Runs a scene of disks in both modes and writes how they differ. Errors as exceptions: SceneError, InvalidScene,
/// UsageError, PhysicsError, IoError.
/// @return kOk
int compare(const std::filesystem::path& scene, const CompareOptions& options);

}  // namespace scree::app
