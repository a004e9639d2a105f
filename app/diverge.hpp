#pragma once

#include <filesystem>
#include <optional>

namespace scree::app {

struct DivergeOptions {
  std::optional<int> threads;  ///< of the runs that are repeated; absent: as many as each run had
  bool repeat = true;          ///< false: only what is in the directories
  bool quiet = false;          ///< prints nothing of its progress
};

/// Where two runs that should be alike begin to differ: the first step, the bodies and the quantities, on the standard
/// output. The tables of hashes in the directories show between which steps that is; then both runs are repeated up to
/// there, step by step (hard mode: halving the time), and their states compared value by value. A run that the
/// repetition does not give again (another build, a saved state that was changed) is known by its hashes only: then the
/// step is that of its first row that differs.
/// Errors as exceptions: UsageError for runs that cannot be compared, IoError for directories that hold no run.
/// @return kOk if nothing differs, kDiffers
int diverge(const std::filesystem::path& first, const std::filesystem::path& second, const DivergeOptions& options);

}  // namespace scree::app
