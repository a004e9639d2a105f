#include "io/tables/hash_table.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/files/atomic_file.hpp"
#include "io/text/errors.hpp"
#include "io/text/number_text.hpp"

namespace scree {

namespace {

std::string header_of(Mode mode) {
  std::string header = "time [s],step";
  for (const Quantity quantity : quantities_of(mode)) {
    std::string column(name(quantity));
    std::ranges::replace(column, ' ', '_');
    header += fmt::format(",{0},{0}_by_body", column);
  }
  return header;
}

std::optional<std::uint64_t> parse_hash(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<HashRow> parse_row(std::string_view line, Mode mode) {
  const auto next_word = [&]() -> std::string_view {
    const std::size_t comma = line.find(',');
    const std::string_view word = line.substr(0, comma);
    line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
    return word;
  };
  const auto time = parse_number<double>(next_word());
  const auto step = parse_number<std::uint64_t>(next_word());
  if (!time || !step) return std::nullopt;
  HashRow row{*time, *step};
  for (const Quantity quantity : quantities_of(mode)) {
    const auto sum = parse_hash(next_word());
    const auto by_body = parse_hash(next_word());
    if (!sum || !by_body) return std::nullopt;
    row.hashes[static_cast<std::size_t>(quantity)] = {*sum, *by_body};
  }
  return line.empty() ? std::optional(row) : std::nullopt;
}

}  // namespace

HashTable::HashTable(const std::filesystem::path& file, Mode mode, const Written& from)
    : mode_(mode), csv_(file, header_of(mode), from) {
  if (csv_.rows() == 0) return;
  if (const HashRows before = read_hash_table(file); !before.rows.empty()) last_ = before.rows.back();
}

void HashTable::add(const HashRow& row) {
  if (last_ == row) return;
  last_ = row;
  csv_ << row.time << row.step;
  for (const Quantity quantity : quantities_of(mode_)) {
    const QuantityHash& hash = row.hashes[static_cast<std::size_t>(quantity)];
    for (const std::uint64_t sum : {hash.sum, hash.by_body}) {
      csv_ << fmt::format("{:016x}", sum).c_str();
    }
  }
  csv_.end_row();
}

HashRows read_hash_table(const std::filesystem::path& file) {
  return parse_hash_table(read_file(file), file.string());
}

HashRows parse_hash_table(std::string_view text, const std::string& name) {
  const auto refuse = [&](const std::string& why) { return IoError(fmt::format("cannot read {}: {}", name, why)); };
  HashRows table;
  std::string_view rest = text;
  const auto next_line = [&]() -> std::optional<std::string_view> {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest.substr(0, end);
    rest = rest.substr(end + 1);
    return line;
  };
  const auto header = next_line();
  if (header == header_of(Mode::hard)) {
    table.mode = Mode::hard;
  } else if (header != header_of(Mode::soft)) {
    throw refuse("its first line is not that of a table of hashes of this version of scree");
  }
  while (const auto line = next_line()) {
    const auto row = parse_row(*line, table.mode);
    if (!row) throw refuse(fmt::format("its row {} is none of hashes", table.rows.size() + 1));
    table.rows.push_back(*row);
  }
  return table;
}

}  // namespace scree
