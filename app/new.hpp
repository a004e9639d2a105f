#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scree::app {

/// What `scree new` can write.
const std::vector<std::string>& kinds_of_scenes();

/// Writes a commented scene to begin with. A file that is there stays.
/// @return kOk  @throws UsageError, IoError
int write_new_scene(const std::string& kind, const std::filesystem::path& file);

}  // namespace scree::app
