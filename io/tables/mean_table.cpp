#include "io/tables/mean_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "dem/compare/statistics.hpp"
#include "io/tables/number_table.hpp"
#include "io/tables/table_expression.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Rows with one value of the first column, one after the other.
struct Block {
  double at = 0.0;
  std::size_t first = 0;  // of its rows
  std::size_t rows = 0;
};

struct BlockTable : TextTable {
  std::vector<Block> blocks;

  explicit BlockTable(std::string_view text) : TextTable(read_text_table(text)) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double value = parse_number<double>(rows[row].front()).value_or(kNone);
      if (blocks.empty() || blocks.back().at != value) blocks.push_back({value, row, 0});
      ++blocks.back().rows;
    }
  }
};

/// With "_error" before the unit.
std::string error_name(std::string_view name) {
  const std::size_t unit = std::min(name.find(" ["), name.size());
  return fmt::format("{}_error{}", name.substr(0, unit), name.substr(unit));
}

bool names_something(const std::vector<BlockTable>& tables, std::size_t column) {
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
  std::vector<BlockTable> tables;
  for (const std::string& text : texts) {
    BlockTable table(text);
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
      for (const BlockTable& table : tables) {
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
