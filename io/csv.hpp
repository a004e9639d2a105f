#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace scree {

/// A table as comma-separated text: a header line with names and units, then rows of numbers in the shortest form that
/// reads back as the same number. The first column is the time. Each row reaches the file before end_row returns.
class CsvFile {
 public:
  /// Starts a file, or goes on with one: with resume_at [s], rows that are later, and one that was cut off in the
  /// middle, are dropped. A file that is not there is started in both cases. Throws IoError; also if the header of the
  /// file to go on with is another one.
  /// @param most_rows  rows beyond so many are dropped, too, when it goes on
  CsvFile(std::filesystem::path file, const std::string& header, std::optional<double> resume_at,
          std::uint64_t most_rows = ~std::uint64_t{0});

  CsvFile& operator<<(double value);
  CsvFile& operator<<(std::uint64_t value);
  CsvFile& operator<<(int value);
  CsvFile& operator<<(const char* word);  ///< without commas or quotes
  void end_row();                         ///< Throws IoError.
  void sync();                            ///< Brings all rows so far to the disk. Throws IoError.

 private:
  CsvFile& add(const std::string& text);
  void write(const std::string& text);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string row_;
  bool is_synced_ = false;
};

}  // namespace scree
