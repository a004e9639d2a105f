#include "io/csv.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "io/atomic_file.hpp"
#include "io/errors.hpp"
#include "io/number_text.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

/// Length of the part of a table to go on with: the header and the whole rows up to a time and number, in order.
std::size_t length_up_to(double time, std::uint64_t rows, std::string_view text, std::string_view header) {
  const auto columns = [](std::string_view line) { return std::count(line.begin(), line.end(), ','); };
  std::size_t kept = header.size();
  for (; rows > 0; --rows) {
    const std::size_t end = text.find('\n', kept);
    if (end == std::string_view::npos) return kept;
    const std::string_view row = text.substr(kept, end - kept);
    const auto row_time = parse_number<double>(row.substr(0, row.find(',')));
    if (!row_time || *row_time > time || columns(row) != columns(header)) return kept;
    kept = end + 1;
  }
  return kept;
}

}  // namespace

CsvFile::CsvFile(fs::path file, const std::string& header, std::optional<double> resume_at, std::uint64_t most_rows)
    : path_(std::move(file)) {
  const std::string header_line = header + "\n";
  bool start = true;
  if (std::error_code error; resume_at && fs::exists(path_, error)) {
    const std::string text = read_file(path_);
    if (text.starts_with(header_line)) {
      fs::resize_file(path_, length_up_to(*resume_at, most_rows, text, header_line), error);
      if (error) throw_io_error("cannot shorten", path_, error.value());
      start = false;
    } else if (!header_line.starts_with(text)) {  // otherwise it was cut off within the header
      throw IoError(fmt::format("cannot go on with {}: its first line is not \"{}\"", path_.string(), header));
    }
  }
  errno = 0;
  file_.reset(std::fopen(path_.c_str(), start ? "wb" : "ab"));
  if (!file_) throw_io_error("cannot write", path_, errno);
  if (start) write(header_line);
}

CsvFile& CsvFile::operator<<(double value) {
  return add(number_text(value));
}

CsvFile& CsvFile::operator<<(std::uint64_t value) {
  return add(fmt::to_string(value));
}

CsvFile& CsvFile::operator<<(int value) {
  return add(fmt::to_string(value));
}

CsvFile& CsvFile::operator<<(const char* word) {
  return add(word);
}

void CsvFile::end_row() {
  row_ += '\n';
  write(row_);
  row_.clear();
}

void CsvFile::sync() {
  if (is_synced_) return;
  if (fsync(fileno(file_.get())) != 0) throw_io_error("cannot bring to the disk", path_, errno);
  is_synced_ = true;
}

CsvFile& CsvFile::add(const std::string& text) {
  if (!row_.empty()) row_ += ',';
  row_ += text;
  return *this;
}

void CsvFile::write(const std::string& text) {
  is_synced_ = false;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) {
    throw_io_error("cannot write", path_, errno);
  }
}

}  // namespace scree
