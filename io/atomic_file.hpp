#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

/// Whole files: written so that they appear at once or not at all, and read; and what brings them to the disk.
///
/// After a power cut a file holds what was in it when it was last synced, and of what came later any part. A name in a
/// directory is there for sure only after the directory was synced.
namespace scree {

/// When contents are brought to the disk.
enum class Sync {
  before_naming,  ///< before the file gets its name
  by_caller       ///< whoever needs it calls sync_file
};

/// Writes `contents` to a file beside `path` (its name with ".tmp" behind it) and renames that to `path`, which it
/// replaces. Whoever reads `path` at any moment, after a crash of this program as well, sees the old contents or the
/// new ones, never a part; after a power cut, too, with Sync::before_naming. Which of the two it is then is decided by
/// sync_directory.
/// Throws IoError with the path and the system's reason; the temporary file is removed then.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           Sync sync = Sync::before_naming);

/// The two halves of write_file_atomically, for those who have something to do between them.
void write_temporary(const std::filesystem::path& path, std::string_view contents, Sync sync);
/// @param write the contents, into the stream, which can go back to what was written
void write_temporary(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write, Sync sync);
void put_in_place(const std::filesystem::path& path);
/// Instead of put_in_place.
void discard_temporary(const std::filesystem::path& path);

/// Throws IoError with the path and the system's reason.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Brings the contents of a file to the disk. Throws IoError with the path and the system's reason.
void sync_file(const std::filesystem::path& path);

/// Brings the names in a directory to the disk: files that were made, renamed or removed. Nothing happens where the
/// file system does not know this. Throws IoError with the path and the system's reason.
void sync_directory(const std::filesystem::path& path);

/// The whole file. Throws IoError with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);
/// The same in pieces, none of which is kept.
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

/// Makes the directory and its parents unless they are there; those it makes are on the disk then. Throws IoError.
void make_directory(const std::filesystem::path& path);

/// Throws IoError: "<doing what> <path>: <the system's words for the error number>".
[[noreturn]] void throw_io_error(std::string_view doing_what, const std::filesystem::path& path, int error_number);

}  // namespace scree
