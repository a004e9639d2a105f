#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/scene/scene_reader.hpp"

namespace scree::app {

struct EnsembleOptions {
  std::optional<std::string> output;  ///< directory, instead of the scene's with _ensemble behind it
  std::size_t runs = 16;              ///< of each variation, with the scene's seed and those after it
  std::size_t jobs = 1;               ///< runs at the same time
  std::vector<std::string> vary;      ///< "KEY=VALUE,VALUE,..." each
  std::vector<std::string> tables;    ///< "EXPRESSION" or "NAME=EXPRESSION" each
  std::optional<double> until;        ///< instead of the scene's end [s]
  int threads = 0;                    ///< of each run; 0: one with several jobs, else what a run takes
  bool discard = false;               ///< of a run that is finished, only tables and run.json stay
  bool quiet = false;                 ///< errors only
  Settings settings = {};             ///< values instead of the scene's
};

/// Runs a scene with several seeds, and with each combination of values, each as a process of this program (scree run),
/// and writes means over the seeds. On a directory where this was begun it goes on. Errors as exceptions: SceneError,
/// InvalidScene, UsageError, IoError.
/// @return kOk, kInterrupted, or the exit code of the first run that failed
int ensemble(const std::filesystem::path& scene, const EnsembleOptions& options);

}  // namespace scree::app
