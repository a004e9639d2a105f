#include "io/checkpoint.hpp"

#define XXH_INLINE_ALL
#include <cstdint>
#include <sstream>
#include <string_view>
#include <xxhash.h>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "io/atomic_file.hpp"
#include "io/errors.hpp"

namespace scree {

namespace {

// The first line of the file tells what it is; the number changes with the layout of anything saved.
constexpr std::string_view kMagic = "scree state 6\n";

std::uint64_t hash64(std::string_view bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::vector<char> chars(std::string_view text) {
  return {text.begin(), text.end()};
}
std::string text(const std::vector<char>& chars) {
  return {chars.begin(), chars.end()};
}

}  // namespace

std::string hash_text(const StateHash& hashes) {
  return fmt::format("{:016x}", combined(hashes));
}

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  std::ostringstream body;
  OutArchive{body}(chars(checkpoint.scene_name), chars(checkpoint.scene_yaml), checkpoint.wall_time,
                   chars(checkpoint.state), chars(checkpoint.measurements));
  std::ostringstream whole;
  whole << kMagic;
  OutArchive{whole}(hash64(body.view()));
  whole << body.view();
  write_file_atomically(file, whole.view());
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  const std::string whole = read_file(file);
  const auto refuse = [&](const std::string& why) -> IoError {
    return IoError(fmt::format("cannot resume from {}: {}", file.string(), why));
  };
  if (!whole.starts_with(kMagic)) throw refuse("not a state saved by this version of scree");
  const std::string_view rest = std::string_view(whole).substr(kMagic.size());
  if (rest.size() < sizeof(std::uint64_t)) throw refuse("the file is cut off");
  std::istringstream in{std::string(rest)};
  InArchive archive(in);
  std::uint64_t checksum = 0;
  archive(checksum);
  if (checksum != hash64(rest.substr(sizeof checksum))) throw refuse("the file is damaged (its checksum is wrong)");
  std::vector<char> name;
  std::vector<char> yaml;
  std::vector<char> state;
  std::vector<char> measurements;
  Checkpoint checkpoint;
  archive(name, yaml, checkpoint.wall_time, state, measurements);
  checkpoint.scene_name = text(name);
  checkpoint.scene_yaml = text(yaml);
  checkpoint.state = text(state);
  checkpoint.measurements = text(measurements);
  return checkpoint;
}

}  // namespace scree
