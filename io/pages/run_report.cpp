#include "io/pages/run_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/pages/svg_plot.hpp"
#include "io/tables/number_table.hpp"
#include "io/tables/outflow.hpp"
#include "io/tables/progress.hpp"
#include "io/text/errors.hpp"

namespace scree {
namespace {

using Json = nlohmann::json;

std::string shown(double value) {
  return fmt::format("{:.4g}", value);
}

/// What run.json has under a key, for people; empty if there is nothing.
std::string said(const Json& info, const char* key) {
  if (!info.contains(key)) return {};
  const Json& value = info[key];
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  return value.is_number() ? shown(value.get<double>()) : std::string();
}

double number(const Json& info, const char* key) {
  return info.contains(key) && info[key].is_number() ? info[key].get<double>() : 0.0;
}

void add_row(Table& table, std::string name, std::string value) {
  if (!value.empty()) table.push_back({std::move(name), std::move(value)});
}

Table what_was_run(const Json& info) {
  const bool soft = said(info, "mode") != "hard";
  Table table = {{"", ""}};
  add_row(table, "Scene", said(info, "scene_file"));
  add_row(table, "Mode", soft ? "soft grains, time steps" : "hard grains, from collision to collision");
  add_row(table, "Status", said(info, "status"));
  add_row(table, "Simulated", fmt::format("{:.6g} s of {:.6g} s", number(info, "end_time"), number(info, "until")));
  if (soft) {
    add_row(table, "Step", shown(number(info, "step")) + " s");
    add_row(table, "Why this step", said(info, "step_reason"));
    add_row(table, "Steps", said(info, "steps"));
  } else if (info.contains("events") && info["events"].is_object()) {
    for (const auto& [kind, count] : info["events"].items()) {
      if (count.is_number_integer()) add_row(table, "Events: " + kind, fmt::format("{}", count.get<std::int64_t>()));
    }
  }
  add_row(table, "Seed", said(info, "seed"));
  add_row(table, "Broadphase", said(info, "broadphase"));
  add_row(table, "Wall time",
          duration_text(number(info, "wall_time")) + fmt::format(", {} threads", said(info, "threads")));
  add_row(table, "Version",
          fmt::format("scree {} ({}), {}", said(info, "version"), said(info, "commit"), said(info, "compiler")));
  add_row(table, "Hash of the scene", said(info, "scene_hash"));
  add_row(table, "Hash of the last state", said(info, "state_hash"));
  return table;
}

/// The value of greatest size; nothing if there is none.
std::optional<double> most_extreme(const std::vector<double>& values) {
  std::optional<double> found;
  for (const double value : values) {
    if (std::isfinite(value) && (!found || std::abs(value) > std::abs(*found))) found = value;
  }
  return found;
}

Table at_the_end(const NumberTable& series) {
  Table table = {{"", "at the beginning", "at the end", "greatest"}};
  for (std::size_t k = 1; k < series.names.size(); ++k) {
    const std::vector<double>& values = series.columns[k];
    const auto greatest = most_extreme(values);
    if (!greatest || *greatest == 0.0) continue;
    std::string name = series.names[k];
    std::ranges::replace(name, '_', ' ');
    table.push_back({name, shown(values.front()), shown(values.back()), shown(*greatest)});
  }
  return table;
}

std::vector<std::string> what_guards_saw(const Json& info, const NumberTable& series) {
  std::vector<std::string> text;
  if (const auto residual = most_extreme(series.column("energy_residual"))) {
    text.push_back(
        fmt::format("Energy balance: the error is at most {:.2g} of the energy throughput.", std::abs(*residual)));
  }
  if (const auto depth = most_extreme(series.column("max_depth_ratio")); depth && *depth > 0.0) {
    text.push_back(fmt::format(
        "Largest depth of a contact in the frames: {:.2g} of the smaller grain's diameter; a run stops at 0.2.",
        *depth));
  }
  if (info.contains("depth_percentiles") && info["depth_percentiles"].is_object()) {
    std::string list;
    for (const auto& [name, value] : info["depth_percentiles"].items()) {
      if (value.is_number()) list += fmt::format("{}{} {:.2g}", list.empty() ? "" : ", ", name, value.get<double>());
    }
    if (!list.empty()) text.push_back(fmt::format("Depths over diameters: {}.", list));
  }
  if (info.contains("warnings") && info["warnings"].is_array()) {
    for (const Json& warning : info["warnings"]) {
      if (warning.is_string()) text.push_back("Warning: " + warning.get<std::string>());
    }
  }
  return text;
}

/// How the flow went that flow.csv has, and whether it stands.
std::vector<std::string> what_left(const std::string& table, const Json& info, const NumberTable& series) {
  const std::vector<double>& times = series.column("time [s]");
  const std::vector<double>& present = series.column("particles");
  const double end = std::max(number(info, "end_time"), times.empty() ? 0.0 : times.back());
  constexpr double kMostGrains = 1e15;  // more is no count
  const double last = present.empty() ? 0.0 : present.back();
  const auto remaining = last >= 0.0 && last < kMostGrains ? static_cast<std::size_t>(last) : std::size_t{0};
  const Outflow flow = outflow_of(read_number_table(table), end, remaining);
  std::vector<std::string> text;
  for (const std::string& said : {how_it_flowed(flow), why_it_stopped(flow, end, remaining)}) {
    if (!said.empty()) text.push_back(said);
  }
  return text;
}

struct Chart {
  const char* file;
  const char* title;
  const char* unit;
  std::vector<std::pair<const char*, const char*>> columns;  // of series.csv, their names in the legend
};

const std::vector<Chart>& charts() {
  static const std::vector<Chart> kCharts = {
      {"chart_energies.svg",
       "Energies",
       "energy [J]",
       {{"kinetic_energy [J]", "kinetic"}, {"potential_energy [J]", "potential"}, {"elastic_energy [J]", "elastic"}}},
      {"chart_dissipation.svg",
       "Energy lost since the start",
       "energy [J]",
       {{"dissipated_damping [J]", "damping"},
        {"dissipated_friction [J]", "friction"},
        {"dissipated_rolling [J]", "rolling"},
        {"dissipated_law [J]", "force law"}}},
      {"chart_residual.svg",
       "Error of the energy balance",
       "share of the energy throughput",
       {{"energy_residual", "residual"}}},
      {"chart_depth.svg", "Largest depth of a contact", "share of the diameter", {{"max_depth_ratio", "depth"}}},
      {"chart_coordination.svg", "Contacts of a grain", "mean number", {{"coordination", "coordination"}}},
      {"chart_grains.svg", "Grains", "number", {{"particles", "present"}, {"particles_out", "left"}}},
      {"chart_packing.svg", "Packing fraction", "", {{"packing_fraction", "packing fraction"}}}};
  return kCharts;
}

std::vector<Drawing> charts_of(const NumberTable& series) {
  const std::vector<double>& times = series.column("time [s]");
  std::vector<Drawing> drawings;
  if (times.size() < 2) return drawings;
  for (const Chart& chart : charts()) {
    Plot plot{.title = chart.title, .x_label = "time [s]", .y_label = chart.unit, .curves = {}};
    for (const auto& [column, name] : chart.columns) {
      const std::vector<double>& values = series.column(column);
      const auto greatest = most_extreme(values);
      if (!greatest || *greatest == 0.0) continue;
      Curve curve{name, {}};
      for (std::size_t k = 0; k < values.size(); ++k) curve.points.emplace_back(times[k], values[k]);
      plot.curves.push_back(std::move(curve));
    }
    if (!plot.curves.empty()) drawings.push_back({chart.file, chart.title, svg(plot)});
  }
  return drawings;
}

}  // namespace

ReportPage report_page(const RunReport& report) {
  const Json info = Json::parse(report.info, nullptr, /*allow_exceptions=*/false);
  if (!info.is_object()) throw IoError("run.json is damaged; needed: the one that scree wrote");
  const NumberTable series = read_number_table(report.series);
  const std::string title = said(info, "title");
  ReportPage page{title.empty() ? "A run of scree" : title, {{"", {what_was_run(info)}, {}}}};
  page.sections.push_back({"Frames", {}, {}, {}, report.pictures});
  if (std::vector<Drawing> charts = charts_of(series); !charts.empty()) {
    page.sections.push_back({"Charts", {}, {}, {}, std::move(charts)});
  }
  if (std::vector<std::string> left = what_left(report.flow, info, series); !left.empty()) {
    page.sections.push_back({"What left the domain", {}, std::move(left)});
  }
  page.sections.push_back({"What the guards saw", {}, what_guards_saw(info, series)});
  if (series.rows() > 0) page.sections.push_back({"Numbers", {at_the_end(series)}, {}});
  page.sections.push_back(
      {"To cite",
       {},
       {fmt::format(
           "scree, version {} ({}): two-dimensional granular matter made of convex polygons and disks. Give the "
           "hashes of scene and state above: who runs the same scene gets the same bits.",
           said(info, "version"), said(info, "commit"))}});
  page.sections.push_back({"The scene, with every default filled in", {}, {}, said(info, "scene")});
  return page;
}

}  // namespace scree
