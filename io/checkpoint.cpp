#include "io/checkpoint.hpp"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "io/atomic_file.hpp"
#include "io/errors.hpp"
#include "io/hash64.hpp"
#include "io/number_text.hpp"

namespace scree {

namespace {

namespace fs = std::filesystem;

// The first line of the file tells what it is; the number, the format, changes with the layout of anything saved.
constexpr std::string_view kName = "scree state ";
constexpr int kFormat = 12;

/// The format of a saved state, taken off its front; nothing if it is no saved state.
std::optional<int> take_format(std::string_view& file) {
  const std::size_t end = file.find('\n');
  if (!file.starts_with(kName) || end == std::string_view::npos) return std::nullopt;
  const auto format = parse_number<int>(file.substr(kName.size(), end - kName.size()));
  file.remove_prefix(end + 1);
  return format;
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
  OutArchive{body}(chars(checkpoint.scene_name), chars(checkpoint.scene_yaml), chars(checkpoint.state),
                   chars(checkpoint.state_hash), chars(checkpoint.measurements), chars(to_bytes(checkpoint.written)));
  return std::move(body).str();
}

std::string seal_checkpoint(std::string_view body) {
  std::ostringstream whole;
  whole << kName << kFormat << '\n';
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
  std::string_view rest = whole;
  const auto format = take_format(rest);
  if (!format) throw refuse("it is not a saved state of scree");
  if (*format != kFormat) {
    throw IoError(fmt::format(
        "cannot resume from {}: it is a state of format {}, which {} version of scree saved; this one reads format {}; "
        "allowed: the scree that saved it, or scree run --force to begin again",
        name_of_file, *format, *format < kFormat ? "an older" : "a newer", kFormat));
  }
  if (rest.size() < sizeof(std::uint64_t)) throw refuse("the file is cut off");
  std::istringstream in{std::string(rest)};
  InArchive archive(in);
  std::uint64_t checksum = 0;
  archive(checksum);
  if (checksum != hash64(rest.substr(sizeof checksum))) throw refuse("the file is damaged (its checksum is wrong)");
  std::vector<char> name;
  std::vector<char> yaml;
  std::vector<char> state;
  std::vector<char> state_hash;
  std::vector<char> measurements;
  std::vector<char> written;
  Checkpoint checkpoint;
  try {
    archive(name, yaml, state, state_hash, measurements, written);
    checkpoint.written = written_from(text(written));
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  }
  checkpoint.scene_name = text(name);
  checkpoint.scene_yaml = text(yaml);
  checkpoint.state = text(state);
  checkpoint.state_hash = text(state_hash);
  checkpoint.measurements = text(measurements);
  checkpoint.written = written_from(text(written));
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
