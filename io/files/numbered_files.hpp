#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the series of files for ParaView share: numbered files, and a list of them with their times.
namespace scree {

/// The text of a .pvd file: times [s] and names of files.
std::string pvd_text(const std::vector<std::pair<double, std::string>>& files);

/// Times [s] and numbers of the files SERIES_NNNNNN and ending in a .pvd file. Throws IoError if it cannot be read, or
/// if its times do not rise.
std::vector<std::pair<double, std::size_t>> read_pvd(const std::filesystem::path& list, std::string_view series,
                                                     std::string_view ending);

/// Deletes the files SERIES_NNNNNN and ending with numbers >= kept. Throws IoError
void remove_numbered_files(const std::filesystem::path& directory, std::string_view series, std::string_view ending,
                           std::size_t kept);

}  // namespace scree
