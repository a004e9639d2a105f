#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/tables/number_table.hpp"

/// Numbers out of the tables of a run, by expressions: "(series.particles_out@2 - series.particles_out@1) / 1.5".
namespace scree {

/// Rows stand where a step ends, the first one at a time or behind it: they count for a time up to this part of the
/// distance between rows away from it.
inline constexpr double kRowSlack = 0.25;

/// A number of a column: "series.coordination@end".
struct TableTerm {
  enum class Take {
    end,  ///< the last row
    at,   ///< at a value of the first column, linear between rows
    mean  ///< over the rows between two values of the first column, both included
  };
  std::string text;    ///< as it was written
  std::string table;   ///< without ".csv"
  std::string column;  ///< without its unit
  Take take = Take::end;
  double from = 0.0;  ///< of the first column, in its unit: where it is taken, or the first value for a mean
  double to = 0.0;    ///< the last value for a mean
};

struct TableExpression {
  std::string text;              ///< as it was written
  std::vector<TableTerm> terms;  ///< in their order
  std::string formula;           ///< with a parameter in place of each term
};

/// TABLE.COLUMN with @end, @TIME or @mean(FROM,TO), combined by + - * / ^, parentheses and the functions of scenes
/// (io/text/expression.hpp). @throws std::invalid_argument with what is wrong and what is allowed
TableExpression parse_table_expression(const std::string& text);

/// The table of a name; nullptr if there is none.
using FindTable = std::function<const NumberTable*(const std::string&)>;

/// What a term names and is not there: "there is no table 'seres' (did you mean 'series'?), there are ..."; empty if
/// all are there. @param tables names of all
std::string what_is_missing(const TableExpression& expression, const FindTable& find,
                            const std::vector<std::string>& tables);

/// Its value in the tables of one run, finite.
/// @throws std::invalid_argument if a term has no value there, or the result is not finite
/// Precondition: nothing is missing
double evaluate(const TableExpression& expression, const FindTable& find);

}  // namespace scree
