#include "io/formats/checkpoint.hpp"

#include <cstdint>
#include <istream>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/byte_streams.hpp"
#include "io/text/errors.hpp"
#include "io/text/hash64.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

namespace fs = std::filesystem;

// The first line of the file names its kind; the number, the format, changes with the layout of anything saved.
constexpr std::string_view kName = "scree state ";
constexpr int kFormat = 20;

/// The format of a saved state, taken off its front; nothing if it is no saved state.
std::optional<int> take_format(std::string_view& file) {
  const std::size_t end = file.find('\n');
  if (!file.starts_with(kName) || end == std::string_view::npos) return std::nullopt;
  const auto format = parse_number<int>(file.substr(kName.size(), end - kName.size()));
  file.remove_prefix(end + 1);
  return format;
}

/// Text as the archive writes a list of characters.
void put_text(std::ostream& out, std::string_view text) {
  OutArchive{out}(static_cast<std::uint64_t>(text.size()));
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// Takes text that put_text has written off the front. @throws InvalidState
std::string_view take_text(std::string_view& bytes) {
  ByteView view(bytes);
  std::istream in(&view);
  std::uint64_t size = 0;
  InArchive{in}(size);
  bytes.remove_prefix(sizeof size);
  require_state(size <= bytes.size(), "a text is longer than the file");
  const std::string_view text = bytes.substr(0, static_cast<std::size_t>(size));
  bytes.remove_prefix(text.size());
  return text;
}

/// What stands before and behind the state.
std::string before_state(const Checkpoint& checkpoint, std::uint64_t size_of_state) {
  std::ostringstream out;
  put_text(out, checkpoint.scene_name);
  put_text(out, checkpoint.scene_yaml);
  OutArchive{out}(size_of_state);
  return std::move(out).str();
}
std::string behind_state(const Checkpoint& checkpoint) {
  std::ostringstream out;
  put_text(out, checkpoint.state_hash);
  put_text(out, checkpoint.measurements);
  put_text(out, to_bytes(checkpoint.written));
  put_text(out, checkpoint.edits);
  return std::move(out).str();
}

void put_seal(std::ostream& out, std::uint64_t checksum) {
  out << kName << kFormat << '\n';
  OutArchive{out}(checksum);
}

/// The file itself is in a bad way: one that was saved before it may serve.
struct Damaged : IoError {
  using IoError::IoError;
};

}  // namespace

fs::path previous_checkpoint(const fs::path& file) {
  return file.parent_path() / fmt::format("{}.previous{}", file.stem().string(), file.extension().string());
}

std::string hash_text(const StateHash& hashes) {
  return fmt::format("{:016x}", combined(hashes));
}

std::string checkpoint_body(const Checkpoint& checkpoint) {
  return before_state(checkpoint, checkpoint.state.size()) + checkpoint.state + behind_state(checkpoint);
}

std::string seal_checkpoint(std::string_view body) {
  std::ostringstream whole;
  put_seal(whole, hash64(body));
  whole << body;
  return std::move(whole).str();
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint, Earlier earlier) {
  write_checkpoint(
      file, checkpoint, [&](std::ostream& out) { out << checkpoint.state; }, earlier);
}

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint,
                      const std::function<void(std::ostream&)>& save_state, Earlier earlier) {
  ByteCount count;
  std::ostream counted(&count);
  save_state(counted);
  const std::string before = before_state(checkpoint, count.count());
  const std::string behind = behind_state(checkpoint);
  const auto put_body = [&](std::ostream& out) {
    out << before;
    save_state(out);
    out << behind;
  };
  ByteHash checksum;
  std::ostream hashed(&checksum);
  put_body(hashed);
  const auto put_whole = [&](std::ostream& out) {
    put_seal(out, checksum.value());
    put_body(out);
  };
  NewFile whole(file);
  whole.write(put_whole, Sync::before_naming);
  if (earlier == Earlier::kept) keep_as(previous_checkpoint(file), file);
  whole.put_in_place();
  sync_directory(whole.place().parent_path());
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
  ByteView view(rest);
  std::istream in(&view);
  std::uint64_t checksum = 0;
  InArchive{in}(checksum);
  rest.remove_prefix(sizeof checksum);
  if (checksum != hash64(rest)) throw refuse("the file is damaged (its checksum is wrong)");
  Checkpoint checkpoint;
  try {
    for (std::string* const part : {&checkpoint.scene_name, &checkpoint.scene_yaml, &checkpoint.state,
                                    &checkpoint.state_hash, &checkpoint.measurements}) {
      *part = take_text(rest);
    }
    checkpoint.written = written_from(std::string(take_text(rest)));
    checkpoint.edits = take_text(rest);
  } catch (const InvalidState& error) {
    throw refuse(error.what());
  }
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
    move_file(previous, file);  // so that the next one to be saved does not replace the good one
    warn(fmt::format("{}; going on from the state before it, {}", error.what(), previous.string()));
    sync_directory(file.parent_path());
    return checkpoint;
  }
}

}  // namespace scree
