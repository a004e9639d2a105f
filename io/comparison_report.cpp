#include "io/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "io/number_text.hpp"
#include "io/progress.hpp"

namespace scree {

namespace {

using compare::Comparison;
using compare::Errors;
using compare::Figures;
using compare::Limit;
using compare::Moment;
using compare::StiffnessRow;

/// Rows of cells; the first is the head.
using Table = std::vector<std::vector<std::string>>;

std::string shown(double value) {
  return number_text(value, 4);
}

struct NamedError {
  const char* name;
  double Errors::*value;
};
constexpr std::array<NamedError, 4> kErrors = {{{"position", &Errors::position},
                                                {"velocity", &Errors::velocity},
                                                {"kinetic energy", &Errors::kinetic_energy},
                                                {"contacts", &Errors::contacts}}};

Table figures_table(const Comparison& comparison) {
  const Moment& first = comparison.moments.front();
  const Moment& last = comparison.moments.back();
  const auto row = [](const char* name, double soft, double hard) {
    return std::vector<std::string>{name, shown(soft), shown(hard)};
  };
  Table table = {
      {"", "soft", "hard"},
      row("wall time [s]", comparison.soft_seconds, comparison.hard_seconds),
      {"contacts begun, collisions", std::to_string(last.soft.contacts), std::to_string(last.hard.contacts)},
      row("kinetic energy at the start [J]", first.soft.kinetic_energy, first.hard.kinetic_energy),
      row("kinetic energy at the end [J]", last.soft.kinetic_energy, last.hard.kinetic_energy),
      row("temperature at the end [J]", last.soft.temperature, last.hard.temperature),
  };
  if (first.hard.potential_energy != 0.0) {
    table.push_back(row("potential energy at the end [J]", last.soft.potential_energy, last.hard.potential_energy));
    table.push_back(row("height of the centre of mass at the end [m]", last.soft.mean_height, last.hard.mean_height));
    table.push_back(row("greatest height at the end [m]", last.soft.greatest_height, last.hard.greatest_height));
  }
  return table;
}

/// What the figures mean, in sentences.
std::vector<std::string> findings(const Comparison& comparison) {
  const Moment& last = comparison.moments.back();
  std::vector<std::string> said = {
      std::to_string(comparison.disks) + " disks, from t = 0 to " + shown(last.time) + " s. The soft mode took " +
          std::to_string(comparison.steps) + " steps of " + shown(comparison.step) + " s; two of its disks touch for " +
          shown(comparison.contact_time) + " s.",
  };
  if (last.hard.contacts > 0) {
    said.push_back("The mean free time of a disk is " + shown(comparison.mean_free_time()) + " s: soft contacts last " +
                   shown(comparison.contact_time / comparison.mean_free_time()) + " of it.");
  }
  const std::size_t parted = comparison.parted();
  const std::string share = shown(100.0 * compare::kParted) + " % of the mean diameter (rms)";
  said.push_back(parted < comparison.moments.size()
                     ? "Trajectories have parted, by " + share + ", at t = " + shown(comparison.moments[parted].time) +
                           " s. From then on only averages can be compared."
                     : "Trajectories have not parted: positions differ by less than " + share + ".");
  if (const auto time = compare::chaos_time(comparison)) {
    said.push_back("Chaos: two hard runs whose first velocities differ by 1e-12 of themselves part by a factor e in " +
                   shown(*time) + " s.");
  }
  return said;
}

Table limit_table(const Limit& limit) {
  Table table = {{"stiffness [N/m]", "contact time [s]", "contact time / mean free time", "steps", "wall time"}};
  for (const NamedError& error : kErrors) table[0].push_back(std::string("error of ") + error.name);
  for (const StiffnessRow& row : limit.rows) {
    table.push_back({shown(row.stiffness), shown(row.contact_time), shown(row.contact_time / row.mean_free_time),
                     std::to_string(row.steps), duration_text(row.soft_seconds)});
    for (const NamedError& error : kErrors) table.back().push_back(shown(row.errors.*error.value));
  }
  table.push_back({"fitted exponent", "", "", "", ""});
  for (const NamedError& error : kErrors) {
    const auto exponent = compare::slope(limit, error.value);
    table.back().push_back(exponent ? shown(*exponent) : "none");
  }
  return table;
}

std::string about_limit(const Limit& limit) {
  const std::string when =
      limit.time > 0.0 ? "of positions and velocities at t = " + shown(limit.time) +
                             " s, the last frame before trajectories part with any of these stiffnesses"
                       : "there are none of positions and velocities, since trajectories part before the first frame "
                         "(a shorter output.every helps)";
  return "Errors of the soft mode beside the hard one, as shares: " + when +
         "; of the kinetic energy averaged over time, of contacts at the end.";
}

Curve curve(const char* name, const Comparison& comparison, const auto& value) {
  Curve curve{name, {}};
  for (const Moment& moment : comparison.moments) curve.points.emplace_back(moment.time, value(moment));
  return curve;
}

Plot plot_of(const char* title, const char* y_label, const Comparison& comparison, const auto& figure) {
  return {.title = title,
          .x_label = "time [s]",
          .y_label = y_label,
          .curves = {curve("soft", comparison, [&](const Moment& m) { return figure(m.soft); }),
                     curve("hard", comparison, [&](const Moment& m) { return figure(m.hard); })}};
}

std::vector<Plot> plots_of(const Comparison& comparison) {
  std::vector<Plot> plots = {
      plot_of("Kinetic energy", "energy [J]", comparison, [](const Figures& f) { return f.kinetic_energy; }),
      plot_of("Contacts begun, collisions", "number so far", comparison,
              [](const Figures& f) { return static_cast<double>(f.contacts); })};
  if (comparison.moments.front().hard.potential_energy != 0.0) {
    plots.push_back(plot_of("Height of the centre of mass", "height [m]", comparison,
                            [](const Figures& f) { return f.mean_height; }));
  }
  plots.push_back(
      {.title = "How trajectories part",
       .x_label = "time [s]",
       .y_label = "difference of positions, rms [m]",
       .y_axis = Axis::logarithmic,
       .curves = {curve("soft and hard", comparison, [](const Moment& m) { return m.between.position_rms; }),
                  curve("two hard, 1e-12", comparison, [](const Moment& m) { return m.chaos.position_rms; })}});
  return plots;
}

Plot plot_of(const Limit& limit) {
  Plot plot{.title = "Error of the soft mode",
            .x_label = "stiffness [N/m]",
            .y_label = "error, as a share",
            .x_axis = Axis::logarithmic,
            .y_axis = Axis::logarithmic,
            .markers = true,
            .curves = {}};
  for (const NamedError& error : kErrors) {
    plot.curves.push_back({error.name, {}});
    for (const StiffnessRow& row : limit.rows) {
      plot.curves.back().points.emplace_back(row.stiffness, row.errors.*error.value);
    }
  }
  return plot;
}

std::string markdown(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) out += "| " + cell + " ";
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
    const std::string cell = row == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& text : table[row]) out += "<" + cell + ">" + escaped(text) + "</" + cell + ">";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string title_of(const ComparisonReport& report) {
  return "Soft against hard: " +
         (report.title.empty() ? std::filesystem::path(report.scene_file).filename().string() : report.title);
}

}  // namespace

ComparisonTable::ComparisonTable(std::filesystem::path file)
    : csv_(std::move(file),
           "time [s],soft_kinetic_energy [J],hard_kinetic_energy [J],soft_potential_energy [J],hard_potential_energy "
           "[J],"
           "soft_temperature [J],hard_temperature [J],soft_contacts,hard_contacts,soft_mean_height [m],"
           "hard_mean_height [m],soft_greatest_height [m],hard_greatest_height [m],position_difference_rms [m],"
           "position_difference_largest [m],velocity_difference_rms [m/s],velocity_difference_largest [m/s],"
           "chaos_position_difference_rms [m],chaos_velocity_difference_rms [m/s]",
           {}) {}

void ComparisonTable::add(const compare::Moment& m) {
  csv_ << m.time << m.soft.kinetic_energy << m.hard.kinetic_energy << m.soft.potential_energy << m.hard.potential_energy
       << m.soft.temperature << m.hard.temperature << m.soft.contacts << m.hard.contacts << m.soft.mean_height
       << m.hard.mean_height << m.soft.greatest_height << m.hard.greatest_height << m.between.position_rms
       << m.between.position_largest << m.between.velocity_rms << m.between.velocity_largest << m.chaos.position_rms
       << m.chaos.velocity_rms;
  csv_.end_row();
}

void write_limit_table(const std::filesystem::path& file, const Limit& limit) {
  CsvFile csv(file,
              "stiffness [N/m],contact_time [s],mean_free_time [s],step [s],steps,soft_wall_time [s],position_error,"
              "velocity_error,kinetic_energy_error,contacts_error",
              {});
  for (const StiffnessRow& row : limit.rows) {
    csv << row.stiffness << row.contact_time << row.mean_free_time << row.step << row.steps << row.soft_seconds;
    for (const NamedError& error : kErrors) csv << row.errors.*error.value;
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
        std::string(name) + ", t = " + shown(state.time) + " s", state.particles.position, state.particles.radius, {}};
    for (const Vec2& velocity : state.particles.velocity) {
      panel.colour.push_back(fastest > 0.0 ? velocity.norm() / fastest : 0.0);
    }
    picture.panels.push_back(std::move(panel));
  };
  add("soft", soft);
  add("hard", hard);
  return picture;
}

std::string to_markdown(const ComparisonReport& report) {
  std::string out = "# " + title_of(report) + "\n\n" + markdown(figures_table(report.comparison));
  for (const std::string& sentence : findings(report.comparison)) out += sentence + "\n\n";
  out += "All moments: `compare.csv`. Pictures: `report.html`.\n";
  if (report.limit) {
    out += "\n## Against stiffness\n\n" + markdown(limit_table(*report.limit)) + about_limit(*report.limit) +
           "\n\nAs numbers: `stiffness.csv`.\n";
  }
  return out;
}

std::string to_html(const ComparisonReport& report) {
  const std::string title = escaped(title_of(report));
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + title +
      "</title>\n<style>\nbody { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
      "table { border-collapse: collapse; margin: 1em 0; }\n"
      "th, td { border-bottom: 1px solid #ccc; padding: 0.3em 0.8em; text-align: right; }\n"
      "th:first-child, td:first-child { text-align: left; }\n"
      "svg { width: 620px; max-width: 100%; display: block; margin: 1em 0; }\n</style>\n</head>\n<body>\n<h1>" +
      title + "</h1>\n" + html(figures_table(report.comparison));
  for (const std::string& sentence : findings(report.comparison)) out += "<p>" + escaped(sentence) + "</p>\n";
  if (report.limit) {
    out += "<h2>Against stiffness</h2>\n" + html(limit_table(*report.limit)) + "<p>" +
           escaped(about_limit(*report.limit)) + "</p>\n" + svg(plot_of(*report.limit));
  }
  out += "<h2>Over time</h2>\n";
  for (const Plot& plot : plots_of(report.comparison)) out += svg(plot);
  if (!report.pictures.empty()) out += "<h2>Side by side</h2>\n<p>Colours are speeds.</p>\n";
  for (const DiskPicture& picture : report.pictures) out += svg(picture);
  return out + "</body>\n</html>\n";
}

}  // namespace scree
