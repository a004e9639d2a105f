#pragma once

#include <filesystem>

namespace scree::app {

/// Writes report.html, report.md and its pictures into a run's directory. Returns the exit code.
/// Throws IoError if the run cannot be read, or the files not written.
int report_run(const std::filesystem::path& directory, bool quiet);

}  // namespace scree::app
