#pragma once

#include <cstdint>
#include <filesystem>

#include "io/files/atomic_file.hpp"
#include "io/frames/vtk_data.hpp"

namespace scree {

/// Writes VTK XML, appended raw data, zlib, as a whole: by VTK, or without it (SCREE_VTK=OFF) the same bytes. One
/// function deals with the disk and gives the system's reason when it refuses; nothing of the file is in memory.
/// @return the hash of the file. Throws IoError
std::uint64_t write_vtk_file(const std::filesystem::path& path, const VtkDataSet& data, Sync sync);

}  // namespace scree
