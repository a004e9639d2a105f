#pragma once

#include <string>
#include <vector>

#include "io/pages/report_page.hpp"

namespace scree {

/// The contents of the report of a run.
struct RunReport {
  std::string info;               ///< run.json
  std::string series;             ///< series.csv
  std::string flow;               ///< flow.csv; may be empty
  std::vector<Drawing> pictures;  ///< of frames
};

/// What was simulated and why the step, what happened, what the guards saw, how to cite; pictures and charts.
/// Throws IoError if run.json is damaged.
ReportPage report_page(const RunReport& report);

}  // namespace scree
