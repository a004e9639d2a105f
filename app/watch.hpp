#pragma once

#include <filesystem>

namespace scree::app {

/// Prints the progress of a run that another program makes, until it ends, or once. Returns the exit code.
/// Throws IoError if there is no run in the directory.
int watch(const std::filesystem::path& directory, bool once);

}  // namespace scree::app
