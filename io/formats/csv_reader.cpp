#include "io/formats/csv_reader.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/yaml/scene_error.hpp"
#include "io/yaml/yaml_value.hpp"

namespace scree {

namespace {

constexpr std::size_t kMostColumns = 100;
constexpr std::string_view kBlanks = " \t\r\v\f";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

/// Spreadsheets put texts in quotes, some of them numbers, too.
std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// Values between commas or semicolons; where there are none, between blanks. One more than may be is enough.
std::vector<CsvInput::Cell> cells_of(std::string_view line) {
  std::vector<CsvInput::Cell> cells;
  const bool by_commas = line.find_first_of(",;") != std::string_view::npos;
  std::size_t at = 0;
  while (cells.size() <= kMostColumns) {
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks, at), line.size());
    if (begin == line.size() && !by_commas) break;
    std::size_t end = std::min(line.find_first_of(by_commas ? ",;" : kBlanks, begin), line.size());
    const std::size_t next = end;
    while (end > begin && is_blank(line[end - 1])) --end;
    cells.push_back({unquoted(line.substr(begin, end - begin)), static_cast<int>(begin) + 1});
    if (next == line.size()) break;
    at = next + 1;
  }
  return cells;
}

bool is_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return parse_number<double>(text).has_value();
}

std::string name_of(std::string_view text) {
  text = text.substr(0, text.find('['));
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return shortened(text);
}

}  // namespace

CsvInput read_csv(std::string_view text, const std::string& name, std::size_t most_rows) {
  CsvInput table;
  Mistakes mistakes;
  std::size_t columns = 0;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) continue;
    std::vector<CsvInput::Cell> cells = cells_of(line);
    if (cells.size() > kMostColumns) {
      throw SceneError(name, number, 1, "",
                       fmt::format("has more than {} values in a line, which no table may", kMostColumns));
    }
    if (columns == 0) {
      columns = cells.size();
      if (std::ranges::none_of(cells, [](const auto& cell) { return is_number(cell.text); })) {
        for (const CsvInput::Cell& cell : cells) table.names.push_back(name_of(cell.text));
        continue;
      }
    }
    if (cells.size() != columns) {
      mistakes.add(
          SceneError(name, number, 1, "",
                     fmt::format("has {} values in a line, must have {}, as the first line", cells.size(), columns)));
      continue;
    }
    if (table.rows.size() == most_rows) {
      throw SceneError(name, number, 1, "",
                       fmt::format("has more than {} lines of values, which it may not", most_rows));
    }
    table.rows.push_back({number, std::move(cells)});
  }
  mistakes.throw_if_any();
  return table;
}

double number_in(const CsvInput::Cell& cell, int line, const std::string& name, const std::string& key,
                 std::optional<double> least) {
  std::string_view text = cell.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const std::optional<double> number = parse_number<double>(text);
  if (number && std::abs(*number) <= kLargestNumber && (!least || *number > *least)) return *number;
  // Only what is meant as a number is repeated: the text of another file stays private.
  const bool may_be_shown = text.find_first_not_of("+-.,eE0123456789") == std::string_view::npos;
  throw SceneError(
      name, line, cell.column, key,
      fmt::format("{}, must be a number{}",
                  text.empty()                        ? "is empty"
                  : number && !std::isfinite(*number) ? "is not finite"
                  : may_be_shown                      ? fmt::format("is {}", shortened(text, 30))
                                                      : "is a word",
                  least ? fmt::format(" > {}", number_text(*least)) : std::string(" of magnitude up to 1e100")));
}

}  // namespace scree
