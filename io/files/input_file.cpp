#include "io/files/input_file.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"

namespace scree {

std::string read_input_file(const std::filesystem::path& path, std::string_view what) {
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& problem) {
    throw IoError(fmt::format("{}: {}", shortened(path.string(), 200), problem));
  };
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none || type == fs::file_type::not_found) {
    fail("cannot be read: " + std::generic_category().message(error ? error.value() : ENOENT));
  }
  if (type != fs::file_type::regular) {
    fail(fmt::format("is {}, not {}", kind_of(type), what));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> part;
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream && text.size() <= kMostInputBytes);
  if (!stream.is_open() || stream.bad()) {
    fail(errno != 0 ? "cannot be read: " + std::generic_category().message(errno) : "cannot be read");
  }
  if (text.size() > kMostInputBytes) {
    fail(fmt::format("is larger than {} MB, {} must be smaller", kMostInputBytes >> 20, what));
  }
  return text;
}

}  // namespace scree
