#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Whole files: written so that they appear at once or not at all, and read.
namespace scree {

/// Writes `contents` to a file beside `path` (its name with ".tmp" behind it) and renames that to `path`, which it
/// replaces. Whoever reads `path` at any moment, after a crash of this program as well, sees the old contents or the
/// new ones, never a part. (After a power failure it is the file system that decides: nothing is forced to the disk.)
/// Throws IoError with the path and the system's reason; the temporary file is removed then.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// The whole file. Throws IoError with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Makes the directory and its parents unless they are there. Throws IoError.
void make_directory(const std::filesystem::path& path);

/// Throws IoError: "<doing what> <path>: <the system's words for the error number>".
[[noreturn]] void throw_io_error(std::string_view doing_what, const std::filesystem::path& path, int error_number);

}  // namespace scree
