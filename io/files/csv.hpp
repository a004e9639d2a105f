#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "io/files/written.hpp"

namespace scree {

/// A table as comma-separated text: a header line with names and units, then rows of numbers in the shortest form that
/// reads back as the same number. The first column is the time. Each row reaches the file before end_row returns.
class CsvFile {
 public:
  /// Starts a file, or continues one. Throws IoError.
  /// @param from what was written before, and is there (require_all_written): a file with rows in it continues behind
  ///        them, and what follows is dropped; any other file is new
  CsvFile(std::filesystem::path file, const std::string& header, const Written& from);

  CsvFile& operator<<(double value);
  CsvFile& operator<<(std::uint64_t value);
  CsvFile& operator<<(int value);
  CsvFile& operator<<(const char* word);  ///< without commas or quotes
  void end_row();                         ///< Throws IoError.
  /// The row ends, and reaches the file by write_rows or the end of a later row.
  void end_row_unwritten();
  void write_rows();  ///< Throws IoError.
  /// A row, or the rest of one, by columns (dem/column.hpp). Throws IoError.
  template <class Columns, class Row>
  void add_row(const Columns& columns, const Row& row) {
    for (const auto& column : columns) column.give(row, [this](auto value) { *this << value; });
    end_row();
  }
  void sync();  ///< Brings all rows so far to the disk. Throws IoError.

  std::uint64_t rows() const { return record_.rows(); }
  void add_to(Written& written) const { written.tables[path_.filename().string()] = record_; }

 private:
  CsvFile& add(const std::string& text);
  void write(const std::string& text);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string row_;
  std::string unwritten_;  // whole rows
  bool is_synced_ = false;
  TableRecord record_;
};

}  // namespace scree
