#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dem/mode.hpp"
#include "dem/state_values.hpp"
#include "io/files/csv.hpp"

namespace scree {

/// The state of a run at a moment, as hashes.
struct HashRow {
  double time = 0.0;       ///< [s]
  std::uint64_t step = 0;  ///< soft mode: steps; hard mode: changes of velocity
  StateHash hashes = {};

  bool operator==(const HashRow&) const = default;
};

/// hashes.csv: hashes of the state, quantity by quantity, so that two runs that should be alike can be compared.
/// Columns: time, step, and for every quantity of the mode the two sums of QuantityHash, each as 16 hexadecimal digits.
class HashTable {
 public:
  /// @param from see CsvFile. Throws IoError.
  HashTable(const std::filesystem::path& file, Mode mode, const Written& from = {});

  /// Adds a row, unless it is the same as the last one. Throws IoError.
  void add(const HashRow& row);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk. Throws IoError.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  Mode mode_;
  CsvFile csv_;
  std::optional<HashRow> last_;
};

struct HashRows {
  Mode mode = Mode::soft;
  std::vector<HashRow> rows;
};

/// A row that was cut off at the end is left out. Throws IoError if the file cannot be read or is no such table.
HashRows read_hash_table(const std::filesystem::path& file);
/// The rows in the contents of a table. @param name  for messages
HashRows parse_hash_table(std::string_view text, const std::string& name);

}  // namespace scree
