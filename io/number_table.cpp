#include "io/number_table.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "io/number_text.hpp"

namespace scree {

const std::vector<double>& NumberTable::column(const std::string& name) const {
  static const std::vector<double> kNone;
  const auto found = std::ranges::find(names, name);
  return found != names.end() ? columns[static_cast<std::size_t>(found - names.begin())] : kNone;
}

NumberTable read_number_table(const std::string& text) {
  NumberTable table;
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    if (table.names.empty()) {
      table.names = cells;
      table.columns.resize(cells.size());
    } else if (cells.size() == table.names.size()) {
      for (std::size_t k = 0; k < cells.size(); ++k) {
        table.columns[k].push_back(parse_number<double>(cells[k]).value_or(std::numeric_limits<double>::quiet_NaN()));
      }
    }
  }
  return table;
}

}  // namespace scree
