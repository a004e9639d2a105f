#include "io/tables/number_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/text/number_text.hpp"

namespace scree {

const std::vector<double>& NumberTable::column(const std::string& name) const {
  static const std::vector<double> kNone;
  const auto found = std::ranges::find(names, name);
  return found != names.end() ? columns[static_cast<std::size_t>(found - names.begin())] : kNone;
}

TextTable read_text_table(std::string_view text) {
  TextTable table;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    std::vector<std::string_view> cells;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      cells.push_back(line.substr(at, comma - at));
      at = comma + 1;
    }
    if (table.names.empty()) {
      table.names = std::move(cells);
    } else if (cells.size() == table.names.size()) {
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

NumberTable read_number_table(const std::string& text) {
  const TextTable cells = read_text_table(text);
  NumberTable table;
  table.names.assign(cells.names.begin(), cells.names.end());
  table.columns.resize(table.names.size());
  for (const std::vector<std::string_view>& row : cells.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      table.columns[k].push_back(parse_number<double>(row[k]).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return table;
}

}  // namespace scree
