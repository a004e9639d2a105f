#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/compare/stiffness_limit.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "io/csv.hpp"
#include "io/svg_plot.hpp"

/// What scree compare writes (docs/compare.md). All throw IoError.
namespace scree {

/// compare.csv: a row a moment, which reaches the file at once.
class ComparisonTable {
 public:
  explicit ComparisonTable(std::filesystem::path file);
  void add(const compare::Moment& moment);

 private:
  CsvFile csv_;
};

/// Quantities over something else than time, a table each: radial_distribution.csv and so on.
void write_curves(const std::filesystem::path& directory, const std::vector<compare::ComparedQuantity>& quantities);

/// stiffness.csv: a row a stiffness.
void write_limit_table(const std::filesystem::path& file, const compare::Limit& limit);

/// What the report tells of.
struct ComparisonReport {
  std::string title;
  std::string scene_file;  ///< only its last part is written
  compare::Comparison comparison;
  std::vector<compare::ComparedQuantity> quantities;
  std::optional<compare::Limit> limit;
  std::vector<DiskPicture> pictures;
};

/// The disks of both modes side by side at one moment; colours are speeds, relative to the fastest.
DiskPicture side_by_side(const State& soft, const State& hard, const Domain& domain);

/// A picture as SVG.
struct Drawing {
  std::string file;  ///< the name under which the Markdown report expects it
  std::string title;
  std::string svg;
};
std::vector<Drawing> drawings(const ComparisonReport& report);

/// As Markdown, without pictures.
std::string to_text(const ComparisonReport& report);
/// With links to the files of drawings.
std::string to_markdown(const ComparisonReport& report);
/// One page by itself: it needs no other file and no network.
std::string to_html(const ComparisonReport& report);

}  // namespace scree
