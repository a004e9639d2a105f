#include "io/tables/outflow.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace scree::outflow_test {

namespace {

NumberTable flow_at(const std::vector<double>& times) {
  std::string text = "time [s],mass [kg]\n";
  for (const double time : times) text += fmt::format("{},0.5\n", time);
  return read_number_table(text);
}

/// Times of so many grains, one after each wait [s].
std::vector<double> steady(std::size_t grains, double from, double wait) {
  std::vector<double> times;
  for (std::size_t k = 0; k < grains; ++k) times.push_back(from + static_cast<double>(k) * wait);
  return times;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a flow that goes on has a rate and does not stand") {
  const Outflow flow = outflow_of(flow_at(steady(100, 0.5, 0.005)), 1.0, 200);
  CHECK(flow.grains == 100);
  CHECK(std::abs(flow.mass - 50.0) < 1e-9);           // kg
  CHECK(std::abs(flow.rate.value() - 200.0) < 1e-6);  // 1/s
  CHECK(std::abs(flow.pause - 0.05) < 1e-9);          // s
  CHECK(flow.pauses == 0);
  CHECK_FALSE(flow.has_stopped);
  CHECK(why_it_stopped(flow, 1.0, 200).empty());
}

TEST_CASE("a clog is told with its time and what remains; an empty silo is none") {
  const NumberTable table = flow_at(steady(38, 0.45, 0.004));
  const Outflow clogged = outflow_of(table, 1.4, 262);
  CHECK(clogged.has_stopped);
  const std::string said = why_it_stopped(clogged, 1.4, 262);
  CAPTURE(said);
  CHECK(has(said, "Nothing has left since t = 0.598 s"));
  CHECK(has(said, "262 grains remain"));
  CHECK_FALSE(outflow_of(table, 1.4, 0).has_stopped);
  CHECK_FALSE(outflow_of(table, 0.6, 262).has_stopped);  // it may go on
}

TEST_CASE("a rate is that of the time in which grains flowed: pauses do not lower it") {
  std::vector<double> times = steady(40, 0.0, 0.01);
  for (const double time : steady(40, 3.0, 0.01)) times.push_back(time);
  for (const double time : steady(40, 9.0, 0.01)) times.push_back(time);
  const Outflow flow = outflow_of(flow_at(times), 9.5, 10);
  CHECK(flow.pauses == 2);
  CHECK(std::abs(flow.paused - (3.0 - 0.39 + 9.0 - 3.39)) < 1e-9);  // s
  CHECK(std::abs(flow.rate.value() - 100.0) < 1e-6);                // 1/s
  CHECK(has(how_it_flowed(flow), "100 left a second while they flowed; 2 pauses"));
}

TEST_CASE("few grains tell a clog, but no rate; fewer tell nothing") {
  const Outflow few = outflow_of(flow_at(steady(8, 0.0, 0.01)), 1.0, 5);
  CHECK_FALSE(few.rate);
  CHECK(few.has_stopped);
  CHECK_FALSE(has(how_it_flowed(few), "a second"));
  CHECK_FALSE(outflow_of(flow_at(steady(3, 0.0, 0.01)), 1.0, 5).has_stopped);
  CHECK(how_it_flowed(outflow_of(flow_at({}), 1.0, 5)).empty());
}

TEST_CASE("grains that leave two at a time have a rate") {
  std::vector<double> times;
  for (const double time : steady(30, 0.0, 0.01)) times.insert(times.end(), 2, time);
  CHECK(std::abs(outflow_of(flow_at(times), 0.3, 5).rate.value() - 200.0) < 10.0);  // 1/s
}

}  // namespace scree::outflow_test
