#pragma once

#include <filesystem>

namespace scree::app {

/// Says what a file that scree reads or writes holds: a scene, a saved state, a frame or a list of frames, a table,
/// run.json, billiards; of a directory, its run.json.
/// @return kOk  @throws UsageError for any other file, IoError, SceneError
int inspect(const std::filesystem::path& path);

}  // namespace scree::app
