#include "io/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "io/progress.hpp"

namespace scree {

namespace {

using compare::Compared;
using compare::ComparedQuantity;
using compare::Comparison;
using compare::Figures;
using compare::Limit;
using compare::Moment;
using compare::StiffnessRow;

/// Rows of cells; the first is the head.
using Table = std::vector<std::vector<std::string>>;

std::string shown(double value) {
  return fmt::format("{:.4g}", value);
}

/// A name of tables for people: kinetic energy.
std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// A share, for people.
std::string percent(double share) {
  if (!std::isfinite(share)) return "all";
  if (share > 0.0 && share < 1e-4) return "< 0.01 %";
  return fmt::format("{:.3g} %", 100.0 * share);
}

std::string unit_of(const std::string& label) {
  const auto bracket = label.find(" [");
  return bracket == std::string::npos ? "" : label.substr(bracket);
}

Table quantities_table(const ComparisonReport& report) {
  Table table = {{"", "soft", "hard", "difference", "by chance"}};
  for (const ComparedQuantity& quantity : report.quantities) {
    std::vector<std::string> row = {quantity.title, "", "", percent(difference(quantity, quantity.soft)),
                                    percent(by_chance(quantity, report.comparison))};
    if (quantity.over_time()) {
      row[0] += (quantity.compared == Compared::last ? ", at the end" : ", mean") + unit_of(quantity.y_label);
      row[1] = shown(value(quantity, quantity.soft));
      row[2] = shown(value(quantity, quantity.hard));
    }
    table.push_back(std::move(row));
  }
  const Comparison& run = report.comparison;
  table.push_back({"Wall time [s]", shown(run.soft_seconds), shown(run.hard_seconds), "", ""});
  return table;
}

constexpr const char* kAboutQuantities =
    "Difference: relative difference of the soft mode from the hard mode; for curves, the area between them over the "
    "area below. By chance: the same between two hard runs whose initial velocities differ by 0.1 %, after "
    "trajectories have diverged. It is a single sample: differences of this size do not distinguish the modes.";

/// What the figures mean, in sentences.
std::vector<std::string> findings(const Comparison& comparison) {
  const Moment& last = comparison.moments.back();
  std::vector<std::string> said;
  if (comparison.stopped) said.push_back("Interrupted: the results end at this time.");
  said.push_back(fmt::format(
      "{} {}, from t = 0 to {:.4g} s. The soft mode took {} steps of {:.4g} s; a contact of two disks lasts {:.4g} s.",
      comparison.disks, comparison.disks == 1 ? "disk" : "disks", last.time, comparison.steps, comparison.step,
      comparison.contact_time));
  if (last.hard.contacts > 0) {
    said.push_back(fmt::format("The mean free time of a disk is {:.4g} s: soft contacts last {:.4g} of it.",
                               comparison.mean_free_time(), comparison.contact_time / comparison.mean_free_time()));
  }
  const std::size_t diverged = comparison.diverged();
  const std::string share = fmt::format("{:.4g} % of the mean diameter (rms)", 100.0 * compare::kDiverged);
  said.push_back(
      diverged < comparison.moments.size()
          ? fmt::format("Trajectories have diverged, by {}, at t = {:.4g} s. After that only averages can be compared.",
                        share, comparison.moments[diverged].time)
          : fmt::format("Trajectories have not diverged: positions differ by less than {}.", share));
  if (const auto time = compare::chaos_time(comparison)) {
    said.push_back(
        fmt::format("Chaos: the difference of two hard runs, whose initial velocities differ by a relative 1e-12, "
                    "grows by a factor e in {:.4g} s.",
                    *time));
  }
  return said;
}

Table limit_table(const Limit& limit) {
  Table table = {{"stiffness [N/m]", "contact time [s]", "contact time / mean free time", "steps", "wall time"}};
  for (const std::string& error : limit.errors) table[0].push_back("error of " + spaced(error));
  for (const StiffnessRow& row : limit.rows) {
    table.push_back({shown(row.stiffness), shown(row.contact_time), shown(row.contact_time / row.mean_free_time),
                     fmt::to_string(row.steps), duration_text(row.soft_seconds)});
    for (const double error : row.errors) table.back().push_back(shown(error));
  }
  table.push_back({"by chance", "", "", "", ""});
  for (const double error : limit.chance) table.back().push_back(shown(error));
  table.push_back({"fitted exponent", "", "", "", ""});
  for (std::size_t error = 0; error < limit.errors.size(); ++error) {
    const auto exponent = compare::slope(limit, error);
    table.back().push_back(exponent ? shown(*exponent) : "none");
  }
  return table;
}

std::string about_limit(const Limit& limit) {
  const std::string when =
      limit.time > 0.0
          ? fmt::format(
                "of positions and velocities at t = {:.4g} s, the last frame before trajectories "
                "diverge with any of these stiffnesses",
                limit.time)
          : "there are none of positions and velocities, since trajectories diverge before the first frame "
            "(a shorter output.every helps)";
  return fmt::format(
      "Relative errors of the soft mode: {}; others as above. Exponents are those of the "
      "stiffness, fitted to errors that are greater than chance.",
      when);
}

Curve curve(const char* name, const Comparison& comparison, const auto& value) {
  Curve curve{name, {}};
  for (const Moment& moment : comparison.moments) curve.points.emplace_back(moment.time, value(moment));
  return curve;
}

Plot plot_of(const ComparedQuantity& quantity) {
  Plot plot{.title = quantity.title, .x_label = quantity.x_label, .y_label = quantity.y_label, .curves = {}};
  const auto add = [&](const std::string& name, const std::vector<double>& run) {
    Curve curve{.name = name, .points = {}};
    for (std::size_t k = 0; k < run.size(); ++k) curve.points.emplace_back(quantity.x[k], run[k]);
    plot.curves.push_back(std::move(curve));
  };
  add("soft", quantity.soft);
  add("hard", quantity.hard);
  add("hard, again", quantity.again);
  plot.curves.back().faint = true;
  if (!quantity.theory.empty()) add(quantity.theory_name, quantity.theory);
  return plot;
}

Plot plot_of_parting(const Comparison& comparison) {
  return {.title = "Divergence of trajectories",
          .x_label = "time [s]",
          .y_label = "difference of positions, rms [m]",
          .y_axis = Axis::logarithmic,
          .curves = {curve("soft and hard", comparison, [](const Moment& m) { return m.between.position_rms; }),
                     curve("two hard, 1e-12", comparison, [](const Moment& m) { return m.chaos.position_rms; })}};
}

/// At most four errors in each.
std::vector<Plot> plots_of(const Limit& limit) {
  std::vector<Plot> plots;
  for (std::size_t error = 0; error < limit.errors.size(); ++error) {
    if (error % 4 == 0) {
      plots.push_back({.title = "Error of the soft mode",
                       .x_label = "contact time / mean free time",
                       .y_label = "relative error",
                       .x_axis = Axis::logarithmic,
                       .y_axis = Axis::logarithmic,
                       .markers = true,
                       .curves = {}});
    }
    Curve curve{spaced(limit.errors[error]), {}};
    for (const StiffnessRow& row : limit.rows) {
      curve.points.emplace_back(row.contact_time / row.mean_free_time, row.errors[error]);
    }
    plots.back().curves.push_back(std::move(curve));
  }
  return plots;
}

std::string markdown(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) out += fmt::format("| {} ", cell);
    out += "|\n";
    if (row > 0) continue;
    for (std::size_t column = 0; column < table[0].size(); ++column) out += "|---";
    out += "|\n";
  }
  return out + "\n";
}

std::string html(const Table& table) {
  std::string out = "<table>\n";
  for (std::size_t row = 0; row < table.size(); ++row) {
    const char* cell = row == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& text : table[row]) out += fmt::format("<{0}>{1}</{0}>", cell, escaped(text));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

constexpr const char* kStyleSheet =
    "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; }\n"
    "th, td { border-bottom: 1px solid #ccc; padding: 0.3em 0.8em; text-align: right; }\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    "svg { width: 620px; max-width: 100%; display: block; margin: 1em 0; }\n";

std::string title_of(const ComparisonReport& report) {
  return "Comparison of the modes: " +
         (report.title.empty() ? std::filesystem::path(report.scene_file).filename().string() : report.title);
}

/// Columns of compare.csv that both modes have.
struct Column {
  const char* name;
  const char* unit;
  double (*value)(const Figures&);
};
constexpr std::array<Column, 12> kColumns = {{
    {"kinetic_energy", " [J]", [](const Figures& f) { return f.kinetic_energy; }},
    {"potential_energy", " [J]", [](const Figures& f) { return f.potential_energy; }},
    {"temperature", " [J]", [](const Figures& f) { return f.gas.temperature; }},
    {"contacts", "", [](const Figures& f) { return static_cast<double>(f.contacts); }},
    {"mean_height", " [m]", [](const Figures& f) { return f.mean_height; }},
    {"greatest_height", " [m]", [](const Figures& f) { return f.greatest_height; }},
    {"collision_rate", " [1/s]", [](const Figures& f) { return f.collision_rate; }},
    {"pressure", " [N/m]", [](const Figures& f) { return f.pressure; }},
    {"wall_pressure", " [N/m]", [](const Figures& f) { return f.wall_pressure; }},
    {"mean_square_displacement", " [m^2]", [](const Figures& f) { return f.mean_square_displacement; }},
    {"left", "", [](const Figures& f) { return static_cast<double>(f.left); }},
    {"mass_left", " [kg]", [](const Figures& f) { return f.mass_left; }},
}};

std::string header() {
  std::string names = "time [s]";
  for (const Column& column : kColumns) {
    for (const char* mode : {"soft", "hard"}) names += fmt::format(",{}_{}{}", mode, column.name, column.unit);
  }
  return names +
         ",position_difference_rms [m],position_difference_largest [m],velocity_difference_rms [m/s],"
         "velocity_difference_largest [m/s],chaos_position_difference_rms [m],chaos_velocity_difference_rms [m/s]";
}

}  // namespace

ComparisonTable::ComparisonTable(std::filesystem::path file) : csv_(std::move(file), header(), {}) {}

void ComparisonTable::add(const compare::Moment& m) {
  csv_ << m.time;
  for (const Column& column : kColumns) csv_ << column.value(m.soft) << column.value(m.hard);
  csv_ << m.between.position_rms << m.between.position_largest << m.between.velocity_rms << m.between.velocity_largest
       << m.chaos.position_rms << m.chaos.velocity_rms;
  csv_.end_row();
}

void write_curves(const std::filesystem::path& directory, const std::vector<ComparedQuantity>& quantities) {
  for (const ComparedQuantity& quantity : quantities) {
    if (quantity.over_time()) continue;
    const std::string theory = quantity.theory.empty() ? "" : ",theory";
    CsvFile csv(directory / (quantity.name + ".csv"),
                fmt::format("{},soft,hard,hard_again{}", quantity.x_label, theory), {});
    for (std::size_t k = 0; k < quantity.x.size(); ++k) {
      csv << quantity.x[k] << quantity.soft[k] << quantity.hard[k] << quantity.again[k];
      if (!quantity.theory.empty()) csv << quantity.theory[k];
      csv.end_row();
    }
  }
}

void write_limit_table(const std::filesystem::path& file, const Limit& limit) {
  std::string header = "stiffness [N/m],contact_time [s],mean_free_time [s],step [s],steps,soft_wall_time [s]";
  for (const std::string& error : limit.errors) header += fmt::format(",{}_error", error);
  CsvFile csv(file, header, {});
  for (const StiffnessRow& row : limit.rows) {
    csv << row.stiffness << row.contact_time << row.mean_free_time << row.step << row.steps << row.soft_seconds;
    for (const double error : row.errors) csv << error;
    csv.end_row();
  }
}

DiskPicture side_by_side(const State& soft, const State& hard, const Domain& domain) {
  DiskPicture picture{domain.lo, domain.hi, {}};
  double fastest = 0.0;
  for (const State* state : {&soft, &hard}) {
    for (const Vec2& velocity : state->particles.velocity) fastest = std::max(fastest, velocity.norm());
  }
  const auto add = [&](const char* name, const State& state) {
    DiskPanel panel{
        fmt::format("{}, t = {:.4g} s", name, state.time), state.particles.position, state.particles.radius, {}};
    for (const Vec2& velocity : state.particles.velocity) {
      panel.colour.push_back(fastest > 0.0 ? velocity.norm() / fastest : 0.0);
    }
    picture.panels.push_back(std::move(panel));
  };
  add("soft", soft);
  add("hard", hard);
  const Outlines& outlines = hard.walls.outlines;
  for (DiskPanel& panel : picture.panels) {
    for (std::size_t wall = 0; wall + 1 < outlines.first.size(); ++wall) {
      panel.walls.emplace_back(outlines.vertices.begin() + outlines.first[wall],
                               outlines.vertices.begin() + outlines.first[wall + 1]);
    }
  }
  return picture;
}

std::vector<Drawing> drawings(const ComparisonReport& report) {
  std::vector<Drawing> all;
  for (const ComparedQuantity& quantity : report.quantities) {
    all.push_back({quantity.name + ".svg", quantity.title, svg(plot_of(quantity))});
  }
  all.push_back({"trajectories.svg", "Divergence of trajectories", svg(plot_of_parting(report.comparison))});
  for (std::size_t k = 0; k < report.pictures.size(); ++k) {
    all.push_back(
        {fmt::format("disks_{}.svg", k + 1), "Disks of both modes; colours show speeds", svg(report.pictures[k])});
  }
  if (!report.limit) return all;
  const std::vector<Plot> plots = plots_of(*report.limit);
  for (std::size_t k = 0; k < plots.size(); ++k) {
    all.push_back({fmt::format("errors_{}.svg", k + 1), plots[k].title, svg(plots[k])});
  }
  return all;
}

std::string to_text(const ComparisonReport& report) {
  std::string out =
      fmt::format("# {}\n\n{}{}\n\n", title_of(report), markdown(quantities_table(report)), kAboutQuantities);
  for (const std::string& sentence : findings(report.comparison)) out += sentence + "\n\n";
  if (report.limit) {
    out += fmt::format("## Dependence on the stiffness\n\n{}{}\n\n", markdown(limit_table(*report.limit)),
                       about_limit(*report.limit));
  }
  return out;
}

std::string to_markdown(const ComparisonReport& report) {
  std::string out = to_text(report) + "## Pictures\n\n";
  for (const Drawing& drawing : drawings(report)) out += fmt::format("![{}]({})\n\n", drawing.title, drawing.file);
  return out +
         "The numbers are in the tables (.csv) in this directory; report.html has the whole report in one file.\n";
}

std::string to_html(const ComparisonReport& report) {
  const std::string title = escaped(title_of(report));
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}<p>{3}</p>\n",
      title, kStyleSheet, html(quantities_table(report)), kAboutQuantities);
  for (const std::string& sentence : findings(report.comparison)) out += fmt::format("<p>{}</p>\n", escaped(sentence));
  if (report.limit) {
    out += fmt::format("<h2>Dependence on the stiffness</h2>\n{}<p>{}</p>\n", html(limit_table(*report.limit)),
                       escaped(about_limit(*report.limit)));
  }
  out += "<h2>Pictures</h2>\n<p>In pictures of disks, colours show speeds.</p>\n";
  for (const Drawing& drawing : drawings(report)) out += drawing.svg;
  return out + "</body>\n</html>\n";
}

}  // namespace scree
