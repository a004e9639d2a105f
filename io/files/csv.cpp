#include "io/files/csv.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "io/files/atomic_file.hpp"
#include "io/text/number_text.hpp"

namespace scree {
CsvFile::CsvFile(std::filesystem::path file, const std::string& header, const Written& from) : path_(std::move(file)) {
  const std::string header_line = header + "\n";
  record_ = from.table(path_);
  const bool start = rows() == 0;
  const std::filesystem::path place = place_to_write(path_);
  if (!start) {
    std::error_code error;
    std::filesystem::resize_file(place, record_.bytes(), error);
    if (error) throw_io_error("cannot shorten", path_, error.value());
  }
  errno = 0;
  file_.reset(std::fopen(place.c_str(), start ? "wb" : "ab"));
  if (!file_) throw_io_error("cannot write", path_, errno);
  if (!start) return;
  write(header_line);
  record_ = TableRecord(header_line);
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
  end_row_unwritten();
  write_rows();
}

void CsvFile::end_row_unwritten() {
  row_ += '\n';
  record_.add(row_);
  unwritten_ += row_;
  row_.clear();
}

void CsvFile::write_rows() {
  if (unwritten_.empty()) return;
  write(unwritten_);
  unwritten_.clear();
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
