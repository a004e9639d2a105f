#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/atomic_file.hpp"

class vtkDataObject;
class vtkXMLReader;
class vtkXMLWriter;

/// What the series of files for ParaView share: numbered files, each written as a whole, and a list of them with their
/// times.
namespace scree {

/// Writes VTK XML, appended raw data, zlib. VTK writes to memory, so that one function deals with the disk and knows
/// the system's reason when it refuses. @return the hash of the file. Throws IoError
std::uint64_t write_vtk_file(const std::filesystem::path& path, vtkXMLWriter& writer, vtkDataObject& data, Sync sync);

/// Reads a whole file. @return whether it is sound. Throws IoError if the system cannot read it
bool read_vtk_file(const std::filesystem::path& path, vtkXMLReader& reader);

/// The text of a .pvd file: times [s] and names of files.
std::string pvd_text(const std::vector<std::pair<double, std::string>>& files);

/// Times [s] and numbers of the files SERIES_NNNNNN and ending in a .pvd file. Throws IoError if it cannot be read, or
/// if its times do not rise.
std::vector<std::pair<double, std::size_t>> read_pvd(const std::filesystem::path& list, std::string_view series,
                                                     std::string_view ending);

/// Deletes the files SERIES_NNNNNN and ending with numbers >= kept. Throws IoError
void remove_numbered_files(const std::filesystem::path& directory, std::string_view series, std::string_view ending,
                           std::size_t kept);

/// Deletes a file, if it is there. Throws IoError
void remove_file(const std::filesystem::path& path);

}  // namespace scree
