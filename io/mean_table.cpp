#include "io/mean_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "dem/compare/statistics.hpp"
#include "io/number_text.hpp"
#include "io/table_expression.hpp"

namespace scree {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells.push_back(line.substr(at, end - at));
    if (end == line.size()) return cells;
    at = end + 1;
  }
}

/// Rows with one value of the first column, one after the other.
struct Block {
  double at = 0.0;
  std::size_t first = 0;  // of its rows
  std::size_t rows = 0;
};

struct TextTable {
  std::vector<std::string_view> names;
  std::vector<std::vector<std::string_view>> rows;
  std::vector<Block> blocks;

  explicit TextTable(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string_view::npos) break;
      std::vector<std::string_view> cells = cells_of(text.substr(at, end - at));
      at = end + 1;
      if (names.empty()) {
        names = std::move(cells);
      } else if (cells.size() == names.size()) {
        add(std::move(cells));
      }
    }
  }

 private:
  void add(std::vector<std::string_view> cells) {
    const double value = parse_number<double>(cells.front()).value_or(kNone);
    if (blocks.empty() || blocks.back().at != value) blocks.push_back({value, rows.size(), 0});
    ++blocks.back().rows;
    rows.push_back(std::move(cells));
  }
};

/// With "_error" before the unit.
std::string error_name(std::string_view name) {
  const std::size_t unit = std::min(name.find(" ["), name.size());
  return fmt::format("{}_error{}", name.substr(0, unit), name.substr(unit));
}

bool names_something(const std::vector<TextTable>& tables, std::size_t column) {
  constexpr std::array<std::string_view, 4> kNames = {"id", "wall", "type", "side"};
  if (std::ranges::find(kNames, tables.front().names[column]) != kNames.end()) return true;
  const std::string_view cell = tables.front().rows.front()[column];
  return !cell.empty() && !parse_number<double>(cell);
}

/// How far apart the blocks around one are.
double distance(const std::vector<Block>& blocks, std::size_t k) {
  if (blocks.size() < 2) return std::numeric_limits<double>::infinity();
  return k > 0 ? blocks[k].at - blocks[k - 1].at : blocks[1].at - blocks[0].at;
}

/// The means of rows that belong together.
std::string mean_row(const std::vector<const std::vector<std::string_view>*>& rows, const std::vector<bool>& is_name) {
  const auto numbers = [&](std::size_t column) {
    std::vector<double> found;
    for (const auto* row : rows) {
      const auto value = parse_number<double>((*row)[column]);
      if (value && std::isfinite(*value)) found.push_back(*value);
    }
    return compare::estimate(found);
  };
  const auto text = [](double value) { return std::isfinite(value) ? number_text(value) : std::string("nan"); };
  std::string line = fmt::format("{},{}", text(numbers(0).value), rows.size());
  for (std::size_t column = 1; column < is_name.size(); ++column) {
    if (is_name[column]) {
      line += fmt::format(",{}", (*rows.front())[column]);
      continue;
    }
    const compare::Estimate mean = numbers(column);
    line += fmt::format(",{},{}", text(mean.value), text(mean.error.value_or(kNone)));
  }
  return line + '\n';
}

}  // namespace

std::string mean_table(const std::vector<std::string>& texts) {
  std::vector<TextTable> tables;
  for (const std::string& text : texts) {
    TextTable table(text);
    if (!table.rows.empty() && (tables.empty() || table.names == tables.front().names)) {
      tables.push_back(std::move(table));
    }
  }
  if (tables.empty()) return {};
  const std::vector<std::string_view>& names = tables.front().names;
  std::vector<bool> is_name(names.size(), false);
  std::string out = fmt::format("{},runs", names.front());
  for (std::size_t column = 1; column < names.size(); ++column) {
    is_name[column] = names_something(tables, column);
    out += is_name[column] ? fmt::format(",{}", names[column])
                           : fmt::format(",{},{}", names[column], error_name(names[column]));
  }
  out += '\n';

  const auto longest = std::ranges::max_element(tables, {}, [](const auto& table) { return table.blocks.size(); });
  for (std::size_t k = 0; k < longest->blocks.size(); ++k) {
    const Block& slot = longest->blocks[k];
    const double reach = kRowSlack * std::abs(distance(longest->blocks, k));
    for (std::size_t row = 0; row < slot.rows; ++row) {
      std::vector<const std::vector<std::string_view>*> rows;
      for (const TextTable& table : tables) {
        if (k >= table.blocks.size()) continue;
        const Block& block = table.blocks[k];
        const bool is_same = block.at == slot.at || std::abs(block.at - slot.at) < reach;
        if (is_same && row < block.rows) rows.push_back(&table.rows[block.first + row]);
      }
      if (!rows.empty()) out += mean_row(rows, is_name);
    }
  }
  return out;
}

}  // namespace scree
