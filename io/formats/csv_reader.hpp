#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// A table of comma-separated values that another program wrote: lines of values between commas, semicolons, tabs or
/// blanks. The first line may name the columns; "x [m]" is called x. Blank lines and what is behind # count for
/// nothing.
struct CsvInput {
  struct Cell {
    std::string_view text;  ///< of the text that was read
    int column = 0;         ///< from 1
  };
  struct Row {
    int line = 0;  ///< from 1
    std::vector<Cell> cells;
  };

  std::vector<std::string> names;  ///< empty if no line names the columns
  std::vector<Row> rows;           ///< as many cells in each as in the first line
};

/// @param text      must outlive the result
/// @param name      of the file, for messages
/// @param most_rows more are refused
/// @throws SceneError with all lines that have more or fewer values than the first
CsvInput read_csv(std::string_view text, const std::string& name, std::size_t most_rows);
CsvInput read_csv(std::string&& text, const std::string& name, std::size_t most_rows) = delete;

/// The number in a cell: finite, of magnitude up to 1e100. @param key  for the message  @throws SceneError
double number_in(const CsvInput::Cell& cell, int line, const std::string& name, const std::string& key,
                 std::optional<double> least = {});

}  // namespace scree
