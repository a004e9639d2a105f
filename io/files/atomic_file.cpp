#include "io/files/atomic_file.hpp"

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

#include "io/files/byte_streams.hpp"
#include "io/text/errors.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// Links are followed by the system, so that each leads where it would.
constexpr int kMostLinks = 40;  // as the system's

/// Numbers of names beside a file, of which the first that is free is taken.
constexpr int kMostNames = 1000;

fs::path name_beside(const fs::path& path, int number) {
  fs::path name = path;
  name += number == 1 ? std::string(".tmp") : fmt::format(".{}.tmp", number);
  return name;
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

void rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw_io_error("cannot put in place", to, error.value());
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

const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
      return "a file";
    case fs::file_type::directory:
      return "a directory";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

fs::path place_to_write(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none) throw_io_error("cannot write", path, error.value());
  if (type != fs::file_type::not_found && type != fs::file_type::regular) {
    throw IoError(fmt::format("cannot write {}: it is {}, must be a file or a new name", path.string(), kind_of(type)));
  }
  fs::path place = path;
  for (int k = 0; k < kMostLinks && fs::is_symlink(fs::symlink_status(place, error)); ++k) {
    place = place.parent_path() / fs::read_symlink(place, error);
    if (error) throw_io_error("cannot write", path, error.value());
  }
  return place;
}

NewFile::NewFile(const fs::path& path) : path_(path), place_(place_to_write(path)) {
  int descriptor = -1;
  for (int number = 1; descriptor < 0; ++number) {
    temporary_ = name_beside(place_, number);
    descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno != EEXIST || number == kMostNames)) throw_io_error("cannot write", path_, errno);
  }
  close(descriptor);
}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!is_in_place_) fs::remove(temporary_, ignored);
}

void NewFile::write(const std::function<void(std::ostream&)>& write, Sync sync) {
  if (const int error = write_whole(temporary_, write, sync); error != 0) throw_io_error("cannot write", path_, error);
}

void NewFile::put_in_place() {
  rename_file(temporary_, place_);
  is_in_place_ = true;
}

void write_file_atomically(const fs::path& path, std::string_view contents, Sync sync) {
  NewFile file(path);
  file.write([&](std::ostream& out) { out.write(contents.data(), static_cast<std::streamsize>(contents.size())); },
             sync);
  file.put_in_place();
}

void keep_as(const fs::path& kept, const fs::path& file) {
  std::error_code error;
  const fs::path place = place_to_write(file);
  if (!fs::exists(place, error)) return;
  const fs::path kept_place = place_to_write(kept);
  fs::remove(kept_place, error);
  fs::create_hard_link(place, kept_place, error);
  if (error) rename_file(place, kept_place);
}

void move_file(const fs::path& from, const fs::path& to) {
  rename_file(place_to_write(from), place_to_write(to));
}

void remove_file(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::symlink) return;
  fs::remove(path, error);
  if (error) throw_io_error("cannot remove", path, error.value());
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
