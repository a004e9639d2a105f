#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dem/compare/statistics.hpp"
#include "io/pages/report_page.hpp"

namespace scree {

/// One combination of the values that an ensemble varies.
struct EnsembleVariation {
  std::vector<std::string> values;  ///< one a key, as they were given
  std::size_t finished = 0;         ///< runs
  std::size_t failed = 0;
  std::string series = {};  ///< means of series.csv (mean_table); may be empty
};

/// A number of each run, and what it is on average.
struct EnsembleNumber {
  std::string name;        ///< of its table: its number, or as given
  std::string expression;  ///< without the name
  struct Value {
    compare::Estimate mean = {};
    std::size_t runs = 0;  ///< that have it
  };
  std::vector<Value> values;  ///< one a variation
};

/// The contents of the report of an ensemble.
struct EnsembleReport {
  std::string title;       ///< of the scene; may be empty
  std::string scene_file;  ///< its name
  std::string scene;       ///< resolved, as YAML, of the first variation
  std::vector<std::string> settings;
  std::uint64_t first_seed = 0;
  std::size_t runs = 0;           ///< of each variation
  std::vector<std::string> keys;  ///< that are varied
  std::vector<EnsembleVariation> variations;
  std::vector<EnsembleNumber> numbers;
  std::vector<std::string> failures;  ///< a line for each run that failed
  std::vector<std::string> notes;     ///< further sentences
};

/// "friction=0.3, stiffness=1e6"; empty if nothing is varied.
std::string variation_text(const std::vector<std::string>& keys, const std::vector<std::string>& values,
                           const std::string& separator = ", ");

/// "flow = series.particles_out@end"; without a name that it was given the expression.
std::string heading(const EnsembleNumber& number);

/// A cell of a CSV table: in quotes if it holds a comma.
std::string csv_cell(const std::string& text);

/// The table of a number: the varied keys, mean, error, runs. What is not known is nan.
std::string number_csv(const EnsembleReport& report, const EnsembleNumber& number);

/// What was run, the numbers with charts against what is varied, charts over time, what failed.
ReportPage report_page(const EnsembleReport& report);

}  // namespace scree
