#include "io/tables/table_expression.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace scree::table_expression_test {

namespace {

const NumberTable& series() {
  static const NumberTable kTable = read_number_table("time [s],left,energy [J]\n0,0,8\n0.5,2,4\n1.01,6,1\n");
  return kTable;
}

const NumberTable* find(const std::string& name) {
  static const NumberTable kWalls = read_number_table("time [s],wall,force [N]\n0,1,5\n0,2,6\n");
  static const NumberTable kNone = read_number_table("time [s],n\n");
  return name == "series" ? &series() : name == "walls" ? &kWalls : name == "none" ? &kNone : nullptr;
}

double value(const std::string& text) {
  return evaluate(parse_table_expression(text), find);
}

std::string missing(const std::string& text) {
  return what_is_missing(parse_table_expression(text), find, {"none", "series", "walls"});
}

}  // namespace

TEST_CASE("a term is the last row, a value between rows or a mean") {
  CHECK(value("series.left@end") == 6.0);
  CHECK(value("series.energy@0") == 8.0);
  CHECK(value("series.energy@0.5") == 4.0);
  CHECK(std::abs(value("series.energy@0.25") - 6.0) < 1e-12);
  CHECK(value("series.left@mean(0,0.5)") == 1.0);
  CHECK(value("series.left@mean( 0.5 , 1 )") == 4.0);  // the row at 1.01 is that of 1
  CHECK(value("series.energy@1.1") == 1.0);            // the end of a step behind the end of the run
}

TEST_CASE("terms are combined as numbers are") {
  CHECK(value("(series.left@end - series.left@5e-1) / 2") == 2.0);
  CHECK(value("-series.left@end*2+sqrt(series.energy@0.5)^2") == -8.0);
  CHECK(value("1e1 * series.left@end") == 60.0);
  CHECK(value("0.5*series.left@end") == 3.0);
}

TEST_CASE("what is not there is told with what is") {
  CHECK(missing("series.left@end").empty());
  CHECK(missing("series.left@end + seres.left@end") ==
        "seres.left@end: there is no table 'seres' (did you mean 'series'?), there are none, series, walls");
  CHECK(missing("series.lefd@1") ==
        "series.lefd@1: series.csv has no column 'lefd' (did you mean 'left'?), it has time, left, energy");
}

TEST_CASE("terms without a value are refused") {
  CHECK_THROWS_WITH_AS(value("series.left@1.2"), "series.left@1.2: series.csv goes from 0 to 1.01",
                       std::invalid_argument);
  CHECK_THROWS_AS(value("series.left@mean(2,3)"), std::invalid_argument);
  CHECK_THROWS_AS(value("none.n@end"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(value("walls.force@end"), "walls.force@end: walls.csv has several rows with one time",
                       std::invalid_argument);
  CHECK_THROWS_AS(value("1 / (series.left@end - 6)"), std::invalid_argument);
}

TEST_CASE("what cannot be read is refused") {
  for (const char* text :
       {"", "7", "series", "series.", "series.left", "series.left@", "series.left@soon", "series.left@endless",
        "series.left@mean", "series.left@mean(1)", "series.left@mean(2,1)", "series.left@mean(1,2", "series.left@end +",
        "(series.left@end", "series.left@end series.left@end", "series.left@end + more", ".left@end",
        "series.left@1e999", "series.left@nan"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_table_expression(text), std::invalid_argument);
  }
  CHECK_NOTHROW(parse_table_expression("log(series.left@end - 5)"));  // whose value is unknown here
}

}  // namespace scree::table_expression_test
