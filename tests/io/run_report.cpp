#include "io/pages/run_report.hpp"

#include <string>

#include <doctest/doctest.h>

#include "io/tables/number_table.hpp"
#include "io/text/errors.hpp"

namespace scree::run_report_test {

namespace {

const char* const kInfo =
    R"({"status": "finished", "title": "A <b>heap</b>", "mode": "soft", "version": "0.1", "step": 1e-5,
  "step_reason": "as the scene says", "end_time": 2.0, "until": 2.0, "warnings": ["too soft"], "scene": "scree: 1\n",
  "depth_percentiles": {"impacts p99": 0.04}})";
const char* const kSeries =
    "time [s],particles,energy_residual,max_depth_ratio\n0,3,0,0\n1,4,-2e-6,0.05\n2,4,1e-6,0.01\n";

}  // namespace

TEST_CASE("a report has what run.json and the tables say, as text and not as markup") {
  const ReportPage page =
      report_page({kInfo, kSeries, "time [s],mass [kg]\n0.5,2\n1.5,3\n", {{"a.svg", "a", "<svg/>"}}});
  for (const std::string& text : {to_html(page), to_markdown(page)}) {
    for (const char* part : {"as the scene says", "too soft", "impacts p99 0.04", "at most 2e-06", "2 grains of 5 kg",
                             "0.05 of the smaller", "scree: 1"}) {
      CAPTURE(part);
      CHECK(text.find(part) != std::string::npos);
    }
  }
  CHECK(to_html(page).find("<b>heap") == std::string::npos);
  CHECK(to_html(page).find("<svg/>") != std::string::npos);
  CHECK(to_markdown(page).find("![a](a.svg)") != std::string::npos);
  CHECK(to_text(page).find("a.svg") == std::string::npos);
  CHECK(drawings(page).size() == 4);  // the frame, and charts of depth, residual and grains
}

TEST_CASE("a report of a run that has just begun has no charts; one without run.json is refused") {
  CHECK(drawings(report_page({kInfo, "time [s],particles\n", "", {}})).empty());
  CHECK_THROWS_AS((void)report_page({"", kSeries, "", {}}), IoError);
}

TEST_CASE("a table of numbers is read without the row that is not whole") {
  const NumberTable table = read_number_table("time [s],word\n1e-3,x\n2,3\n4");
  CHECK(table.rows() == 2);
  CHECK(table.column("time [s]") == std::vector<double>{1e-3, 2.0});
  CHECK(table.column("word")[1] == 3.0);
  CHECK_FALSE(table.column("word")[0] == table.column("word")[0]);  // no number
  CHECK(table.column("none").empty());
  CHECK(read_number_table("").rows() == 0);
}

}  // namespace scree::run_report_test
