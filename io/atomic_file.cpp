#include "io/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "io/errors.hpp"

namespace scree {
namespace {

std::filesystem::path temporary_of(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  return temporary;
}

/// 0 or the system's error number.
int write_whole(const std::filesystem::path& path, std::string_view contents) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  int error = written ? 0 : errno;
  // Closing flushes: a full disk may show only here.
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && !written) error = EIO;
  return error;
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  const std::filesystem::path temporary = temporary_of(path);
  std::error_code ignored;
  if (const int error = write_whole(temporary, contents); error != 0) {
    std::filesystem::remove(temporary, ignored);
    throw_io_error("cannot write", path, error);
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::filesystem::remove(temporary, ignored);
    throw_io_error("cannot put in place", path, error.value());
  }
}

std::string read_file(const std::filesystem::path& path) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw_io_error("cannot read", path, errno);
  std::string contents;
  std::array<char, 65536> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
    contents.append(part.data(), count);
  }
  if (std::ferror(file.get()) != 0) throw_io_error("cannot read", path, errno);
  return contents;
}

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_io_error("cannot make the directory", path, error.value());
}

void throw_io_error(std::string_view doing_what, const std::filesystem::path& path, int error_number) {
  throw IoError(fmt::format("{} {}: {}", doing_what, path.string(), std::generic_category().message(error_number)));
}

}  // namespace scree
