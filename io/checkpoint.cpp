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

namespace fs = std::filesystem;

// The first line of the file tells what it is; the number changes with the layout of anything saved.
constexpr std::string_view kMagic = "scree state 7\n";

std::uint64_t hash64(std::string_view bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::vector<char> chars(std::string_view text) {
  return {text.begin(), text.end()};
}
std::string text(const std::vector<char>& chars) {
  return {chars.begin(), chars.end()};
}

/// The file itself is in a bad way: one that was saved before it may serve.
struct Damaged : IoError {
  using IoError::IoError;
};

bool is_of_another_version(std::string_view whole) {
  constexpr std::string_view kBegin = "scree state ";
  if (!whole.starts_with(kBegin)) return false;
  const std::string_view number = whole.substr(kBegin.size());
  const std::size_t end = number.find_first_not_of("0123456789");
  return end != std::string_view::npos && end > 0 && number[end] == '\n';
}

/// As a second name, so that the file has its own at any moment; by renaming where files have one name only.
void keep_as_previous(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const fs::path previous = previous_checkpoint(file);
  fs::remove(previous, error);
  fs::create_hard_link(file, previous, error);
  if (error) rename_file(file, previous);
}

}  // namespace

fs::path previous_checkpoint(const fs::path& file) {
  return file.parent_path() / fmt::format("{}.previous{}", file.stem().string(), file.extension().string());
}

std::string hash_text(const StateHash& hashes) {
  return fmt::format("{:016x}", combined(hashes));
}

std::string checkpoint_body(const Checkpoint& checkpoint) {
  std::ostringstream body;
  OutArchive{body}(chars(checkpoint.scene_name), chars(checkpoint.scene_yaml), checkpoint.wall_time,
                   chars(checkpoint.state), chars(checkpoint.measurements));
  return std::move(body).str();
}

std::string seal_checkpoint(std::string_view body) {
  std::ostringstream whole;
  whole << kMagic;
  OutArchive{whole}(hash64(body));
  whole << body;
  return std::move(whole).str();
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  write_temporary(file, seal_checkpoint(checkpoint_body(checkpoint)), Sync::before_naming);
  keep_as_previous(file);
  put_in_place(file);
  sync_directory(file.parent_path());
}

Checkpoint read_checkpoint(const fs::path& file) {
  const std::string whole = [&] {
    try {
      return read_file(file);
    } catch (const IoError& error) {
      throw Damaged(error.what());
    }
  }();
  return parse_checkpoint(whole, file.string());
}

Checkpoint parse_checkpoint(std::string_view whole, const std::string& name_of_file) {
  const auto refuse = [&](const std::string& why) {
    return Damaged(fmt::format("cannot resume from {}: {}", name_of_file, why));
  };
  if (!whole.starts_with(kMagic)) {
    const Damaged other = refuse("not a state saved by this version of scree");
    if (is_of_another_version(whole)) throw IoError(other);
    throw other;
  }
  const std::string_view rest = whole.substr(kMagic.size());
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
  try {
    archive(name, yaml, checkpoint.wall_time, state, measurements);
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  }
  checkpoint.scene_name = text(name);
  checkpoint.scene_yaml = text(yaml);
  checkpoint.state = text(state);
  checkpoint.measurements = text(measurements);
  return checkpoint;
}

Checkpoint read_last_checkpoint(const fs::path& file, const std::function<void(const std::string&)>& warn) {
  try {
    return read_checkpoint(file);
  } catch (const Damaged& error) {
    const fs::path previous = previous_checkpoint(file);
    std::error_code ignored;
    if (!fs::exists(previous, ignored)) throw;
    Checkpoint checkpoint = [&] {
      try {
        return read_checkpoint(previous);
      } catch (const IoError& other) {
        throw IoError(fmt::format("{}; nor from the state before it: {}", error.what(), other.what()));
      }
    }();
    warn(fmt::format("{}; going on from the state before it, {}", error.what(), previous.string()));
    rename_file(previous, file);  // so that the next one to be saved does not replace the good one
    sync_directory(file.parent_path());
    return checkpoint;
  }
}

}  // namespace scree
