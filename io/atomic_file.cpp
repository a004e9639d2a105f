#include "io/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "io/byte_streams.hpp"
#include "io/errors.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

fs::path temporary_of(const fs::path& path) {
  fs::path temporary = path;
  temporary += ".tmp";
  return temporary;
}

/// Into a file, at any place of it; after an error, nowhere. Who writes does not see the error: VTK would print one of
/// its own, and lose memory.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}

  /// 0 or the system's error number.
  int error() const { return error_; }

 private:
  bool take(std::string_view bytes) override {
    if (error_ == 0) note(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
    return true;
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const int whence = from == std::ios_base::beg ? SEEK_SET : from == std::ios_base::cur ? SEEK_CUR : SEEK_END;
    const bool stays = offset == 0 && whence == SEEK_CUR;  // asks where it is: nothing has to be written yet
    if (error_ == 0 && !stays) note(fseeko(file_, offset, whence) == 0);
    return error_ == 0 ? pos_type(ftello(file_)) : pos_type(off_type(0));
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode mode) override {
    return seekoff(position, std::ios_base::beg, mode);
  }
  void note(bool succeeded) {
    if (!succeeded) error_ = errno != 0 ? errno : EIO;
  }
  std::FILE* file_;
  int error_ = 0;
};

/// 0 or the system's error number.
int write_whole(const fs::path& path, const std::function<void(std::ostream&)>& write, Sync sync) {
  constexpr std::size_t kPiece = 1 << 20;  // in one call of the system
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  std::setvbuf(file, nullptr, _IOFBF, kPiece);
  FileSink sink(file);
  std::ostream stream(&sink);
  write(stream);
  int error = sink.error();
  if (error == 0 && sync == Sync::before_naming && (std::fflush(file) != 0 || fsync(fileno(file)) != 0)) error = errno;
  // Closing flushes: a full disk may show only here.
  if (std::fclose(file) != 0 && error == 0) error = errno;
  return error;
}

/// 0 or the system's error number.
int sync_path(const fs::path& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

}  // namespace

void sync_file(const fs::path& path) {
  if (const int error = sync_path(path, 0); error != 0) throw_io_error("cannot bring to the disk", path, error);
}

void sync_directory(const fs::path& path) {
  const int error = sync_path(path.empty() ? "." : path, O_DIRECTORY);
  if (error != 0 && error != EINVAL && error != ENOTSUP) throw_io_error("cannot bring to the disk", path, error);
}

void write_temporary(const fs::path& path, std::string_view contents, Sync sync) {
  write_temporary(
      path, [&](std::ostream& out) { out.write(contents.data(), static_cast<std::streamsize>(contents.size())); },
      sync);
}

void write_temporary(const fs::path& path, const std::function<void(std::ostream&)>& write, Sync sync) {
  if (const int error = write_whole(temporary_of(path), write, sync); error != 0) {
    discard_temporary(path);
    throw_io_error("cannot write", path, error);
  }
}

void discard_temporary(const fs::path& path) {
  std::error_code ignored;
  fs::remove(temporary_of(path), ignored);
}

void put_in_place(const fs::path& path) {
  try {
    rename_file(temporary_of(path), path);
  } catch (const IoError&) {
    discard_temporary(path);
    throw;
  }
}

void write_file_atomically(const fs::path& path, std::string_view contents, Sync sync) {
  write_temporary(path, contents, sync);
  put_in_place(path);
}

void rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw_io_error("cannot put in place", to, error.value());
}

void read_pieces(const fs::path& path, const std::function<void(std::string_view)>& take) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_fifo(status) || fs::is_socket(status) || fs::is_character_file(status) || fs::is_block_file(status)) {
    throw IoError(fmt::format("cannot read {}: it is a pipe or a device, must be a file", path.string()));
  }
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw_io_error("cannot read", path, errno);
  std::array<char, 65536> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) take({part.data(), count});
  if (std::ferror(file.get()) != 0) throw_io_error("cannot read", path, errno);
}

std::string read_file(const fs::path& path) {
  std::string contents;
  read_pieces(path, [&](std::string_view piece) { contents += piece; });
  return contents;
}

void make_directory(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> missing;  // the innermost first
  for (fs::path p = path; !p.empty() && !fs::exists(p, error); p = p.parent_path()) {
    missing.push_back(p);
  }
  fs::create_directories(path, error);
  if (error) throw_io_error("cannot make the directory", path, error.value());
  for (const fs::path& made : missing) sync_directory(made.parent_path());
}

void throw_io_error(std::string_view doing_what, const fs::path& path, int error_number) {
  throw IoError(fmt::format("{} {}: {}", doing_what, path.string(), std::generic_category().message(error_number)));
}

}  // namespace scree
