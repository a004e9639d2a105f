#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/compare/stiffness_limit.hpp"
#include "dem/compare/twins.hpp"
#include "dem/scene/domain.hpp"
#include "dem/state.hpp"
#include "io/files/csv.hpp"
#include "io/pages/report_page.hpp"
#include "io/pages/svg_plot.hpp"

/// What scree compare writes (docs/compare.md). All throw IoError.
namespace scree {

/// compare.csv: a row a moment, which reaches the file at once. Means over runs, with standard errors where there are
/// two runs or more.
class ComparisonTable {
 public:
  ComparisonTable(std::filesystem::path file, std::size_t soft_runs);
  void add(const compare::Moment& moment);

 private:
  CsvFile csv_;
};

/// Quantities over something else than time, a table each: radial_distribution.csv and so on.
void write_curves(const std::filesystem::path& directory, const std::vector<compare::ComparedQuantity>& quantities);

/// stiffness.csv: a row a stiffness.
void write_limit_table(const std::filesystem::path& file, const compare::Limit& limit);

/// The contents of the report.
struct ComparisonReport {
  std::string title;
  std::string scene_file;  ///< only its last part is written
  bool falls = false;      ///< there is gravity
  bool polygons = false;   ///< grains are polygons, or disks among such
  compare::HardMode hard_mode;
  std::vector<std::string> warnings;
  compare::Comparison comparison;
  std::vector<compare::ComparedQuantity> quantities;
  std::optional<compare::Limit> limit;
  std::vector<DiskPicture> pictures;
};

/// The disks of both modes side by side at one moment; colours are speeds, relative to the fastest. Of a domain more
/// than twice as long as wide, only that part of its length is shown where disks are.
DiskPicture side_by_side(const State& soft, const State& hard, const Domain& domain);

/// The report with its tables and pictures.
ReportPage report_page(const ComparisonReport& report);

}  // namespace scree
