#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// A table that a run wrote (io/files/csv.hpp), as text.
struct TextTable {
  std::vector<std::string_view> names;              ///< with units: "time [s]"
  std::vector<std::vector<std::string_view>> rows;  ///< a cell for each name
};

/// A row that is not whole, as a run that goes on may leave for a moment, is left out. @param text must outlive the
/// result
TextTable read_text_table(std::string_view text);

/// A table of numbers that a run wrote (io/files/csv.hpp).
struct NumberTable {
  std::vector<std::string> names;            ///< with units: "time [s]"
  std::vector<std::vector<double>> columns;  ///< of each name

  /// Empty if there is no such column, or no row.
  const std::vector<double>& column(const std::string& name) const;
  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

/// From its text, as read_text_table; what is no number is NaN.
NumberTable read_number_table(const std::string& text);

}  // namespace scree
