#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/tables/number_table.hpp"

namespace scree {

/// A table of numbers that a run goes on to write, read row by row as they come.
class GrowingTable {
 public:
  explicit GrowingTable(std::filesystem::path file) : file_(std::move(file)) {}

  /// Takes the whole rows that are new. If the file has become shorter it is another one, and read from its beginning;
  /// if there is none, there are no rows. Throws IoError if it cannot be read.
  void read_on();
  const NumberTable& rows() const { return table_; }

 private:
  std::filesystem::path file_;
  std::string header_;        // with its newline
  std::uintmax_t taken_ = 0;  // bytes
  NumberTable table_;
};

}  // namespace scree
