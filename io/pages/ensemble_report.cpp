#include "io/pages/ensemble_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "io/pages/svg_plot.hpp"
#include "io/tables/number_table.hpp"
#include "io/text/number_text.hpp"
#include "io/text/version.hpp"
#include "io/text/words.hpp"

namespace scree {

namespace {

constexpr std::size_t kMostCurves = 4;  // that can be distinguished

std::string text(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? number_text(*value) : "nan";
}

bool has_name(const EnsembleNumber& number) {
  return !parse_number<int>(number.name);
}

std::string shown(const compare::Estimate& mean) {
  return mean.error ? fmt::format("{:.5g} ± {:.2g}", mean.value, *mean.error) : fmt::format("{:.5g}", mean.value);
}

/// The key whose values a chart has along x: the first whose values are numbers, and more than one.
std::optional<std::size_t> key_along_x(const EnsembleReport& report) {
  for (std::size_t key = 0; key < report.keys.size(); ++key) {
    const auto value_of = [&](const EnsembleVariation& each) { return parse_number<double>(each.values[key]); };
    const bool are_numbers =
        std::ranges::all_of(report.variations, [&](const auto& each) { return value_of(each).has_value(); });
    const auto first = report.variations.empty() ? std::nullopt : value_of(report.variations.front());
    const bool differ =
        std::ranges::any_of(report.variations, [&](const auto& each) { return value_of(each) != first; });
    if (are_numbers && differ) return key;
  }
  return {};
}

template <class Value>
std::vector<Value> without(std::vector<Value> values, std::size_t k) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(k));
  return values;
}

/// Against one key, with a curve for each combination of the others; nothing if no key has numbers.
std::optional<Drawing> chart_of(const EnsembleReport& report, const EnsembleNumber& number) {
  const auto key = key_along_x(report);
  if (!key) return {};
  struct Point {
    double x;
    compare::Estimate y;
  };
  std::vector<std::pair<std::string, std::vector<Point>>> curves;
  for (std::size_t k = 0; k < report.variations.size(); ++k) {
    if (number.values[k].runs == 0) continue;
    const std::vector<std::string>& values = report.variations[k].values;
    const std::string name = variation_text(without(report.keys, *key), without(values, *key));
    auto found = std::ranges::find(curves, name, [](const auto& curve) { return curve.first; });
    if (found == curves.end()) found = curves.insert(curves.end(), {name, {}});
    found->second.push_back({parse_number<double>(values[*key]).value_or(0.0), number.values[k].mean});
  }
  if (curves.empty()) return {};
  Plot plot{.title = has_name(number) ? number.name : std::string(),
            .note = number.expression,
            .x_label = report.keys[*key],
            .y_label = "mean over runs",
            .markers = true,
            .curves = {}};
  for (auto& [name, points] : curves) {
    if (plot.curves.size() == kMostCurves) break;
    std::ranges::sort(points, {}, &Point::x);
    Curve curve{name.empty() ? "mean ± standard error" : name, {}, {}};
    for (const Point& point : points) {
      curve.points.emplace_back(point.x, point.y.value);
      curve.error.push_back(point.y.error.value_or(0.0));
    }
    plot.curves.push_back(std::move(curve));
  }
  return Drawing{fmt::format("table_{}.svg", number.name), number.expression, svg(plot)};
}

Table table_of(const EnsembleReport& report, const EnsembleNumber& number) {
  Table table = {report.keys};
  table[0].insert(table[0].end(), {"mean ± standard error", "runs"});
  for (std::size_t k = 0; k < report.variations.size(); ++k) {
    table.push_back(report.variations[k].values);
    const EnsembleNumber::Value& value = number.values[k];
    table.back().insert(table.back().end(), {value.runs > 0 ? shown(value.mean) : "none", fmt::to_string(value.runs)});
  }
  return table;
}

/// Means over time, of some columns of series.csv.
std::vector<Drawing> charts_over_time(const EnsembleReport& report) {
  struct Column {
    const char* file;
    const char* title;
    const char* name;
    const char* error;
  };
  constexpr Column kColumns[] = {
      {"chart_energies.svg", "Kinetic energy [J]", "kinetic_energy [J]", "kinetic_energy_error [J]"},
      {"chart_coordination.svg", "Contacts of a grain", "coordination", "coordination_error"},
      {"chart_grains.svg", "Grains that left", "particles_out", "particles_out_error"},
      {"chart_packing.svg", "Packing fraction", "packing_fraction", "packing_fraction_error"}};
  std::vector<NumberTable> tables;
  for (const EnsembleVariation& each : report.variations) {
    tables.push_back(read_number_table(each.series));
    if (tables.size() == kMostCurves) break;
  }
  std::vector<Drawing> drawings;
  for (const Column& column : kColumns) {
    Plot plot{.title = column.title, .x_label = "time [s]", .y_label = "mean over runs", .curves = {}};
    for (std::size_t k = 0; k < tables.size(); ++k) {
      const std::vector<double>& times = tables[k].column("time [s]");
      const std::vector<double>& values = tables[k].column(column.name);
      if (times.size() < 2 || values.size() != times.size()) continue;
      if (std::ranges::none_of(values, [](double value) { return std::isfinite(value) && value != 0.0; })) continue;
      const std::string name = variation_text(report.keys, report.variations[k].values);
      Curve curve{name.empty() ? "all runs" : name, {}, tables[k].column(column.error)};
      for (std::size_t row = 0; row < times.size(); ++row) curve.points.emplace_back(times[row], values[row]);
      plot.curves.push_back(std::move(curve));
    }
    if (!plot.curves.empty()) drawings.push_back({column.file, column.title, svg(plot)});
  }
  return drawings;
}

Table what_was_run(const EnsembleReport& report) {
  std::size_t finished = 0;
  std::size_t failed = 0;
  for (const EnsembleVariation& each : report.variations) {
    finished += each.finished;
    failed += each.failed;
  }
  Table table = {{"", ""}, {"Scene", report.scene_file}};
  if (!report.settings.empty()) table.push_back({"Settings", listed(report.settings)});
  for (std::size_t key = 0; key < report.keys.size(); ++key) {
    std::vector<std::string> values;
    for (const EnsembleVariation& each : report.variations) {
      if (std::ranges::find(values, each.values[key]) == values.end()) values.push_back(each.values[key]);
    }
    table.push_back({report.keys[key], listed(values)});
  }
  table.push_back({"Seeds", fmt::format("{} to {}", report.first_seed, report.first_seed + report.runs - 1)});
  table.push_back({"Runs", fmt::format("{} finished, {} failed", finished, failed)});
  table.push_back({"Version", fmt::format("scree {} ({})", version(), commit())});
  return table;
}

}  // namespace

std::string variation_text(const std::vector<std::string>& keys, const std::vector<std::string>& values,
                           const std::string& separator) {
  std::string text;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    text += fmt::format("{}{}={}", k > 0 ? separator : "", keys[k].substr(keys[k].rfind('.') + 1), values[k]);
  }
  return text;
}

std::string heading(const EnsembleNumber& number) {
  return has_name(number) ? fmt::format("{} = {}", number.name, number.expression) : number.expression;
}

std::string csv_cell(const std::string& text) {
  return text.find(',') == std::string::npos ? text : fmt::format("\"{}\"", text);
}

std::string number_csv(const EnsembleReport& report, const EnsembleNumber& number) {
  std::string out;
  for (const std::string& key : report.keys) out += csv_cell(key) + ',';
  out += "mean,error,runs\n";
  for (std::size_t k = 0; k < report.variations.size(); ++k) {
    for (const std::string& value : report.variations[k].values) out += csv_cell(value) + ',';
    const EnsembleNumber::Value& value = number.values[k];
    out += value.runs > 0 ? fmt::format("{},{},{}\n", text(value.mean.value), text(value.mean.error), value.runs)
                          : "nan,nan,0\n";
  }
  return out;
}

ReportPage report_page(const EnsembleReport& report) {
  const std::string title = report.title.empty() ? report.scene_file : report.title;
  ReportPage page{fmt::format("{}: an ensemble", title), {{"", {what_was_run(report)}, report.notes}}};
  for (const EnsembleNumber& number : report.numbers) {
    Section section{heading(number), {table_of(report, number)}, {}};
    if (auto chart = chart_of(report, number)) section.drawings.push_back(std::move(*chart));
    page.sections.push_back(std::move(section));
  }
  if (std::vector<Drawing> charts = charts_over_time(report); !charts.empty()) {
    page.sections.push_back({"Means over time, with standard errors", {}, {}, {}, std::move(charts)});
  }
  if (!report.failures.empty()) page.sections.push_back({"Runs that failed", {}, report.failures});
  page.sections.push_back({"The scene, with every default filled in", {}, {}, report.scene});
  return page;
}

}  // namespace scree
