#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree::app {

struct ReplayCommand {
  std::optional<std::filesystem::path> output;  ///< else replay.html in the run's directory
  std::vector<std::string> arrays = {"speed"};
  std::string colour = {};  ///< at first: of grain_colours(), an array is carried, too; empty: the first there is
  bool no_chains = false;
  std::optional<std::size_t> frames;  ///< at most so many, evenly chosen
  bool quiet = false;
};

/// Writes a page that plays a run, and prints what it holds. Returns the exit code.
/// Throws IoError if the directory holds no frames that can be read, or the page cannot be written.
int replay(const std::filesystem::path& directory, const ReplayCommand& command);

}  // namespace scree::app
