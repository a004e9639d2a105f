#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace scree {

/// A quantity of a row of numbers: its name, its unit, and how to get it. Tables, pages and Python take rows apart by
/// lists of these; a new quantity is a new entry.
template <class Row>
class Column {
 public:
  /// @param unit empty for numbers without one
  /// @param get row -> double or std::uint64_t; captures nothing
  template <class Get>
  requires std::is_convertible_v<Get, double (*)(const Row&)> ||
      std::is_convertible_v<Get, std::uint64_t (*)(const Row&)>
  constexpr Column(std::string_view name, std::string_view unit, Get get)
      : name_(name), unit_(unit), get_(static_cast<std::invoke_result_t<Get, const Row&> (*)(const Row&)>(get)) {}

  constexpr std::string_view name() const { return name_; }
  /// "name [unit]", as it stands above a column.
  std::string title() const {
    std::string title(name_);
    if (!unit_.empty()) title.append(" [").append(unit_).append("]");
    return title;
  }
  /// Calls take(value), with a double or a std::uint64_t.
  template <class Take>
  void give(const Row& row, const Take& take) const {
    std::visit([&](const auto& get) { take(get(row)); }, get_);
  }

 private:
  std::string_view name_;
  std::string_view unit_;
  std::variant<double (*)(const Row&), std::uint64_t (*)(const Row&)> get_;
};

/// The first line of a table.
template <class Columns>
std::string header_of(const Columns& columns) {
  std::string header;
  for (const auto& column : columns) {
    if (!header.empty()) header += ',';
    header += column.title();
  }
  return header;
}

}  // namespace scree
