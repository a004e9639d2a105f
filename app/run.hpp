#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/exit_code.hpp"
#include "app/view.hpp"
#include "io/scene/scene_reader.hpp"

namespace scree::app {

class Crew;  // app/ranks.hpp

struct RunOptions {
  std::optional<std::string> output;  ///< instead of the scene's directory
  std::optional<double> until;        ///< instead of the scene's end [s]
  int threads = 0;                    ///< 0: as many as there are cores
  bool force = false;                 ///< an earlier run in the output directory may be replaced
  bool quiet = false;                 ///< errors only
  std::optional<ViewOptions> view;    ///< it can be looked at in a browser, and paused there
  Settings settings = {};             ///< values instead of the scene's; not for resume
};

/// Runs a scene from its beginning. Errors as exceptions: SceneError, InvalidScene, PhysicsError, IoError.
/// @return kOk, or kInterrupted
/// @param crew the other ranks, if this is rank 0 of several
int run(const std::filesystem::path& scene, const RunOptions& options, Crew* crew = nullptr);

/// Goes on with the run in a directory, with the scene saved there.
int resume(const std::filesystem::path& directory, const RunOptions& options, Crew* crew = nullptr);

/// Reads a scene, and prints what would be simulated.
int check(const std::filesystem::path& scene, const Settings& settings);

}  // namespace scree::app
