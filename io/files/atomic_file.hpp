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
  by_caller       ///< the caller calls sync_file where it is needed
};

/// Where something at `path` is to be written: the path itself, or where it leads as a symbolic link. Written is only
/// where nothing or a file is: whatever writes asks here, so that no directory, pipe or device of the user is replaced.
/// Throws IoError.
std::filesystem::path place_to_write(const std::filesystem::path& path);

/// A file that gets its name when it is whole. Until then it stands beside it, with ".tmp" behind its name, or ".2.tmp"
/// and so on where a file has that name: nothing of the user's is touched but the file that it replaces.
class NewFile {
 public:
  /// Throws IoError if no file may be written at this path (place_to_write), or the system refuses.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();  ///< It is removed if it is not in place.
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Where it will be.
  const std::filesystem::path& place() const { return place_; }
  /// Where it is now, for another program that writes it.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// @param write the contents, into the stream, which can go back to what was written. Throws IoError
  void write(const std::function<void(std::ostream&)>& write, Sync sync);
  /// Gives it its name. Throws IoError
  void put_in_place();

 private:
  std::filesystem::path path_;   // as given
  std::filesystem::path place_;  // where that leads
  std::filesystem::path temporary_;
  bool is_in_place_ = false;
};

/// Writes `contents` to a NewFile and puts it in place. Whoever reads `path` at any moment, after a crash of this
/// program as well, sees the old contents or the new ones, never a part; after a power cut, too, with
/// Sync::before_naming. Which of the two it is then is decided by sync_directory. Throws IoError with the path and the
/// system's reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents,
                           Sync sync = Sync::before_naming);

/// Gives a file, if it is there, another name as well, in place of what had it; where files have one name only it is
/// renamed. For files that are scree's own, as the following. Throws IoError
void keep_as(const std::filesystem::path& kept, const std::filesystem::path& file);
/// Renames a file. Throws IoError
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);
/// Deletes a file or a symbolic link, if it is there; nothing else. Throws IoError
void remove_file(const std::filesystem::path& path);

/// "a file", "a directory", "a pipe", "a socket" or "a device".
const char* kind_of(std::filesystem::file_type type);

/// Brings the contents of a file to the disk. Throws IoError with the path and the system's reason.
void sync_file(const std::filesystem::path& path);

/// Brings the names in a directory to the disk: files that were made, renamed or removed. Nothing happens where the
/// file system cannot do this. Throws IoError with the path and the system's reason.
void sync_directory(const std::filesystem::path& path);

/// The whole file. Throws IoError with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);
/// Reads a file in pieces, none of which is kept.
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& take);

/// Makes the directory and its parents unless they are there; those it makes are on the disk then. Throws IoError.
void make_directory(const std::filesystem::path& path);

/// Throws IoError: "<doing what> <path>: <the system's words for the error number>".
[[noreturn]] void throw_io_error(std::string_view doing_what, const std::filesystem::path& path, int error_number);

}  // namespace scree
