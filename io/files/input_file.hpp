#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace scree {

/// Files that people write are not larger: a million grains at given places have room in it.
inline constexpr std::size_t kMostInputBytes = std::size_t{64} << 20;

/// What is in a file that the user names. Devices and pipes are refused, so that nothing waits for ever.
/// @param what it is meant to be, with its article, e.g. "a scene"
/// @throws IoError "PATH: ..." if it cannot be read, is no file, or larger than kMostInputBytes
std::string read_input_file(const std::filesystem::path& path, std::string_view what);

}  // namespace scree
