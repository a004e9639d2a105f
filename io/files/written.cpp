#include "io/files/written.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "io/text/hash64.hpp"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMarks = 256;

IoError refusal(const fs::path& file, const std::string& why) {
  return IoError(
      fmt::format("cannot resume: {}: {}; allowed: the file as it was written, or scree run --force to begin again",
                  file.string(), why));
}

std::uint64_t hash_of_file(const fs::path& file) {
  Hash64 hash;
  read_pieces(file, [&](std::string_view piece) { hash.add(piece); });
  return hash.value();
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

}  // namespace

TableRecord::TableRecord(std::string_view header) : bytes_(header.size()), header_(hash64(header)), hash_(header_) {}

void TableRecord::add(std::string_view row) {
  ++rows_;
  bytes_ += row.size();
  hash_ = hash64(row, hash_);
  if (rows_ % rows_between_marks_ != 0) return;
  marks_.push_back(hash_);
  if (marks_.size() < kMostMarks) return;
  for (std::size_t k = 0; k < kMostMarks / 2; ++k) marks_[k] = marks_[2 * k + 1];
  marks_.resize(kMostMarks / 2);
  rows_between_marks_ *= 2;
}

void TableRecord::require_rows_in(const fs::path& file) const {
  if (rows_ == 0 && !is_there(file)) return;
  const std::string text = is_there(file) ? read_file(file) : std::string();
  std::size_t begin = 0;
  const auto next_line = [&] {  // with its newline; empty if there is none, or a part only
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return std::string_view();
    const auto line = std::string_view(text).substr(begin, end + 1 - begin);
    begin = end + 1;
    return line;
  };
  const std::string_view header = next_line();
  if (header.empty()) {
    if (rows_ == 0) return;
    throw refusal(file, fmt::format("{}; the saved state counts {} rows",
                                    is_there(file) ? "it has no whole line" : "it is missing", rows_));
  }
  if (hash64(header) != header_) throw refusal(file, "its first line is not the one that was written");
  std::uint64_t hash = header_;
  std::uint64_t good = 0;  // rows that are known to be
  for (std::uint64_t row = 1; row <= rows_; ++row) {
    const std::string_view line = next_line();
    if (line.empty()) {
      throw refusal(file, fmt::format("row {} is missing or cut off; the saved state counts {} rows", row, rows_));
    }
    hash = hash64(line, hash);
    if (row % rows_between_marks_ != 0 && row != rows_) continue;
    const std::size_t mark = row / rows_between_marks_ - 1;
    const std::uint64_t expected = row == rows_ ? hash_ : marks_[mark];
    if (hash != expected) {
      throw refusal(file, row == good + 1
                              ? fmt::format("row {} is not the one that was written", row)
                              : fmt::format("one of the rows {} to {} is not the one that was written", good + 1, row));
    }
    good = row;
  }
}

std::string frame_file(const std::string& series, std::size_t number) {
  return fmt::format("{}_{:06}{}", series, number, kFrameEnding);
}

std::string image_file(std::size_t number) {
  return fmt::format("fields_{:06}.vti", number);
}

TableRecord Written::table(const fs::path& file) const {
  const auto found = tables.find(file.filename().string());
  return found != tables.end() ? found->second : TableRecord();
}

std::string to_bytes(const Written& written) {
  std::ostringstream out;
  OutArchive archive(out);
  archive(written.frames, written.images, static_cast<std::uint64_t>(written.tables.size()));
  for (const auto& [name, table] : written.tables) {
    archive(std::vector<char>(name.begin(), name.end()));
    archive(table);
  }
  return std::move(out).str();
}

Written written_from(const std::string& bytes) {
  std::istringstream in(bytes);
  InArchive archive(in);
  Written written;
  std::uint64_t tables = 0;
  archive(written.frames, written.images, tables);
  for (; tables > 0; --tables) {
    std::vector<char> name;
    archive(name);
    TableRecord& table = written.tables[{name.begin(), name.end()}];
    archive(table);
    require_state(table.is_sound(), "hashes of a table that do not belong together");
  }
  return written;
}

void require_all_written(const fs::path& directory, const Written& written) {
  const auto require_file = [&](const std::string& name, std::uint64_t hash) {
    const fs::path file = directory / name;
    if (!is_there(file)) throw refusal(file, "it is missing");
    if (hash_of_file(file) != hash) throw refusal(file, "its contents are not what was written");
  };
  for (const auto& [name, table] : written.tables) table.require_rows_in(directory / name);
  for (std::size_t number = 0; number < written.frames.size(); ++number) {
    for (std::size_t k = 0; k < kSeries.size(); ++k) {
      require_file(frame_file(kSeries[k], number), written.frames[number].files[k]);
    }
  }
  for (std::size_t number = 0; number < written.images.size(); ++number) {
    require_file(image_file(number), written.images[number].file);
  }
}

}  // namespace scree
