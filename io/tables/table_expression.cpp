#include "io/tables/table_expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "io/text/expression.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/text/words.hpp"

namespace scree {

namespace {

constexpr const char* kAllowed =
    "must be TABLE.COLUMN@end, TABLE.COLUMN@TIME or TABLE.COLUMN@mean(FROM,TO), or several of them with + - * / ( )";

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Finds the terms of an expression.
class TermReader {
 public:
  explicit TermReader(const std::string& text) : text_(text) { expression_.text = text; }

  TableExpression read() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      if (is_digit(text_[at_]) || text_[at_] == '.') {
        if (!number()) ++at_;
        expression_.formula += text_.substr(begin, at_ - begin);
      } else if (begins_word(text_[at_])) {
        const std::string name = word();
        if (at_ < text_.size() && text_[at_] == '.') {
          term(begin, name);
        } else {
          expression_.formula += name;
        }
      } else {
        expression_.formula += text_[at_++];
      }
    }
    return std::move(expression_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw std::invalid_argument(fmt::format("'{}': {}, {}", shortened(text_, 200), problem, kAllowed));
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::optional<double> number() {
    double value{};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) return {};
    at_ = static_cast<std::size_t>(end - text_.data());
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  bool take(std::string_view what) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (text_.compare(at_, what.size(), what) != 0) return false;
    at_ += what.size();
    while (what != "@" && at_ < text_.size() && text_[at_] == ' ') ++at_;
    return true;
  }

  void term(std::size_t begin, const std::string& table) {
    TableTerm term;
    term.table = table;
    ++at_;
    term.column = word();
    const std::string name = fmt::format("{}.{}", shortened(table), shortened(term.column));
    if (term.column.empty()) refuse(fmt::format("'{}' has no column", name));
    if (at_ >= text_.size() || text_[at_] != '@') refuse(fmt::format("behind '{}' there is no @", name));
    ++at_;
    if (text_.compare(at_, 4, "mean") == 0) {
      at_ += 4;
      const bool opens = take("(");
      const auto from = opens ? number() : std::nullopt;
      const auto to = from && take(",") ? number() : std::nullopt;
      if (!to || !take(")") || *to < *from) refuse(fmt::format("'{}@mean' is not followed by (FROM,TO)", name));
      term.take = TableTerm::Take::mean;
      term.from = *from;
      term.to = *to;
    } else if (text_.compare(at_, 3, "end") == 0) {
      at_ += 3;
    } else {
      const auto at = number();
      if (!at) refuse(fmt::format("behind '{}@' there is neither a time nor end nor mean", name));
      term.take = TableTerm::Take::at;
      term.from = *at;
    }
    std::size_t end = at_;
    while (text_[end - 1] == ' ') --end;
    term.text = text_.substr(begin, end - begin);
    expression_.formula += fmt::format(" term{} ", expression_.terms.size());
    expression_.terms.push_back(std::move(term));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  TableExpression expression_;
};

Evaluated value_of(const TableExpression& expression, const std::vector<double>& values) {
  Parameters parameters;
  for (std::size_t k = 0; k < values.size(); ++k) parameters[fmt::format("term{}", k)].value = values[k];
  return evaluate(expression.formula, parameters);
}

std::string without_unit(const std::string& name) {
  return name.substr(0, name.find(" ["));
}

const std::vector<double>& column_of(const NumberTable& table, const std::string& name) {
  const auto found = std::ranges::find_if(table.names, [&](const auto& each) { return without_unit(each) == name; });
  return table.columns.at(static_cast<std::size_t>(found - table.names.begin()));
}

double value_of(const TableTerm& term, const NumberTable& table) {
  const auto refuse = [&](const std::string& problem) {
    return std::invalid_argument(fmt::format("{}: {}.csv {}", term.text, term.table, problem));
  };
  if (table.rows() == 0) throw refuse("has no rows");
  const std::vector<double>& first = table.columns.front();
  const std::vector<double>& values = column_of(table, term.column);
  if (std::ranges::adjacent_find(first, std::greater_equal<>()) != first.end()) {
    throw refuse(fmt::format("has several rows with one {}", without_unit(table.names.front())));
  }
  const auto row_at = [&](double x) {
    return static_cast<std::size_t>(std::ranges::lower_bound(first, x) - first.begin());
  };
  const std::size_t last = first.size() - 1;
  const double slack = kRowSlack * (last > 0 ? (first[last] - first[0]) / static_cast<double>(last) : 0.0);
  const auto outside = [&] {
    return refuse(fmt::format("goes from {} to {}", number_text(first.front()), number_text(first.back())));
  };
  switch (term.take) {
    case TableTerm::Take::end:
      return values.back();
    case TableTerm::Take::at: {
      if (term.from < first.front() - slack || term.from > first.back() + slack) throw outside();
      const std::size_t after = row_at(term.from);
      if (after == 0) return values.front();
      if (after > last) return values.back();
      const double share = (term.from - first[after - 1]) / (first[after] - first[after - 1]);
      return share == 1.0 ? values[after] : values[after - 1] + share * (values[after] - values[after - 1]);
    }
    case TableTerm::Take::mean: {
      double sum = 0.0;
      std::size_t count = 0;
      for (std::size_t k = 0; k <= last; ++k) {
        if (first[k] < term.from - slack || first[k] > term.to + slack) continue;
        sum += values[k];
        ++count;
      }
      if (count == 0) throw outside();
      return sum / static_cast<double>(count);
    }
  }
  return values.back();
}

}  // namespace

TableExpression parse_table_expression(const std::string& text) {
  TableExpression expression = TermReader(text).read();
  const auto refuse = [&](const std::string& problem) {
    return std::invalid_argument(fmt::format("'{}': {}, {}", shortened(text, 200), problem, kAllowed));
  };
  if (expression.terms.empty()) throw refuse("it names no column of a table");
  std::vector<double> any;
  for (std::size_t k = 0; k < expression.terms.size(); ++k) any.push_back(1.0 + 0.618 * static_cast<double>(k));
  const Evaluated tried = value_of(expression, any);
  if (!tried.value && tried.problem != kNotFinite) {
    throw refuse(tried.problem.empty() ? "it cannot be read" : tried.problem);
  }
  return expression;
}

std::string what_is_missing(const TableExpression& expression, const FindTable& find,
                            const std::vector<std::string>& tables) {
  for (const TableTerm& term : expression.terms) {
    const NumberTable* table = find(term.table);
    if (table == nullptr) {
      return fmt::format("{}: there is no table '{}'{}, there are {}", term.text, shortened(term.table),
                         did_you_mean(term.table, tables), listed(tables));
    }
    std::vector<std::string> columns;
    for (const std::string& name : table->names) columns.push_back(without_unit(name));
    if (std::ranges::find(columns, term.column) == columns.end()) {
      return fmt::format("{}: {}.csv has no column '{}'{}, it has {}", term.text, term.table, shortened(term.column),
                         did_you_mean(term.column, columns), listed(columns));
    }
  }
  return {};
}

double evaluate(const TableExpression& expression, const FindTable& find) {
  std::vector<double> values;
  for (const TableTerm& term : expression.terms) {
    const double value = value_of(term, *find(term.table));
    if (!std::isfinite(value)) throw std::invalid_argument(fmt::format("{}: is not a finite number", term.text));
    values.push_back(value);
  }
  const Evaluated result = value_of(expression, values);
  if (!result.value) throw std::invalid_argument(fmt::format("{}: {}", expression.text, result.problem));
  return *result.value;
}

}  // namespace scree
