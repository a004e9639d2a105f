#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/exit_code.hpp"

namespace scree::app {

struct RewindOptions {
  double to = 0.0;                    ///< time to go back to [s]
  std::optional<std::string> output;  ///< instead of the run's directory with _rewind
  std::optional<double> every;        ///< between frames, instead of the scene's output.every [s]
  bool force = false;                 ///< an earlier run in the output directory may be replaced
  bool quiet = false;                 ///< errors only
};

/// Goes back in time from the saved state of a run in hard mode, and writes the way into another directory: in whole
/// numbers bit for bit, else up to rounding, which is measured. Where a rewind was interrupted, in its own directory,
/// it goes on. Errors as exceptions: UsageError with the key that cannot be undone, IoError.
/// @return kOk, or kInterrupted
int rewind(const std::filesystem::path& directory, const RewindOptions& options);

}  // namespace scree::app
