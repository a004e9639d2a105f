#include "io/pages/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "dem/scene/region.hpp"
#include "io/tables/progress.hpp"

namespace scree {

namespace {

using compare::Compared;
using compare::ComparedQuantity;
using compare::Comparison;
using compare::Contrast;
using compare::Difference;
using compare::Figures;
using compare::Limit;
using compare::Moment;
using compare::RelativeError;
using compare::StiffnessRow;

std::string shown(double value) {
  return fmt::format("{:.4g}", value);
}

/// A name of tables for people: kinetic energy.
std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// A number with its standard error, if that is known.
std::string shown(const compare::Estimate& estimate) {
  if (!estimate.error) return shown(estimate.value);
  return fmt::format("{:.4g} ± {:.2g}", estimate.value, *estimate.error);
}

std::string shown(const compare::Slope& slope, const char* unit = "") {
  return fmt::format("{:.3g} ± {:.2g}{} ({} points)", slope.value, slope.error, unit, slope.points);
}

/// A share, for people.
std::string percent(double share) {
  if (!std::isfinite(share)) return share < 0.0 ? "-all" : "all";
  if (share != 0.0 && std::abs(share) < 1e-4) return share < 0.0 ? "> -0.01 %" : "< 0.01 %";
  return fmt::format("{:.3g} %", 100.0 * share);
}

std::string percent(const Contrast& contrast) {
  if (!contrast.error || !std::isfinite(contrast.difference)) return percent(contrast.difference);
  return fmt::format("{:.3g} ± {:.2g} %", 100.0 * contrast.difference, 100.0 * *contrast.error);
}

/// How many standard errors a difference is, and whether that is within chance.
std::string multiple(const Contrast& contrast) {
  const auto errors = contrast.multiple();
  if (!errors) return contrast.error ? "none" : "unknown";
  if (!std::isfinite(*errors)) return "beyond: runs of a mode do not scatter";
  return fmt::format("{:.1f}, {}", *errors, contrast.beyond_chance() ? "beyond chance" : "by chance");
}

std::string unit_of(const std::string& label) {
  const auto bracket = label.find(" [");
  return bracket == std::string::npos ? "" : label.substr(bracket);
}

/// What stands in the first column: the quantity, what of it is compared, its unit and its caveat.
std::string row_name(const ComparedQuantity& quantity) {
  std::string name = quantity.title;
  if (quantity.over_time()) {
    name += (quantity.compared == Compared::last ? ", at the end" : ", mean") + unit_of(quantity.y_label);
  }
  return quantity.caveat.empty() ? name : fmt::format("{} ({})", name, quantity.caveat);
}

Table quantities_table(const ComparisonReport& report) {
  Table table = {{"", "soft", "hard", "difference", "by chance up to", "in standard errors"}};
  for (const ComparedQuantity& quantity : report.quantities) {
    const Contrast contrast = compare::soft_against_hard(quantity);
    std::vector<std::string> row = {
        row_name(quantity), "", "", percent(contrast), contrast.error ? percent(contrast.chance()) : "unknown",
        multiple(contrast)};
    if (quantity.over_time()) {
      row[1] = shown(value(quantity, quantity.soft));
      row[2] = shown(value(quantity, quantity.hard));
    }
    table.push_back(std::move(row));
  }
  const Comparison& run = report.comparison;
  table.push_back({"Wall time of a run [s]", shown(run.soft_seconds), shown(run.hard_seconds), "", "", ""});
  return table;
}

/// Only the head if there is no theory.
Table theory_table(const ComparisonReport& report) {
  Table table = {{"", "theory", "soft - theory", "in standard errors", "hard - theory", "in standard errors"}};
  for (const ComparedQuantity& quantity : report.quantities) {
    if (quantity.theory_name.empty()) continue;
    const Contrast soft = compare::against_theory(quantity, quantity.soft);
    const Contrast hard = compare::against_theory(quantity, quantity.hard);
    std::string theory = quantity.theory_name;
    if (quantity.over_time()) theory += ": " + shown(compare::theory_value(quantity, quantity.hard));
    theory += fmt::format(", which leaves out {}", quantity.theory_omits);
    table.push_back({row_name(quantity), theory, percent(soft), multiple(soft), percent(hard), multiple(hard)});
  }
  return table;
}

/// What the hard mode used for a pair of materials.
Table hard_mode_table(const compare::HardMode& used) {
  Table table = {{"pair of materials", "restitution", "friction", "β₀", "β₀ is"}};
  for (const compare::HardMode::Pair& pair : used.pairs) {
    const bool slides = pair.friction == 0.0;
    table.push_back({pair.first + ", " + pair.second, shown(pair.restitution), shown(pair.friction),
                     slides ? "" : shown(pair.tangential_restitution),
                     slides          ? "of no effect"
                     : pair.is_given ? "the scene's"
                                     : "that of the soft mode's springs"});
  }
  return table;
}

/// What follows the table of the hard mode's parameters.
std::vector<std::string> about_hard_mode(const ComparisonReport& report) {
  const compare::HardMode& used = report.hard_mode;
  std::vector<std::string> said;
  if (used.duration_is_given) {
    said.push_back(
        fmt::format("Contact duration: t_c = {:.4g} s, the scene's contact.duration.", used.contact_duration));
  } else {
    said.push_back(fmt::format(
        "Contact duration: t_c = {:.4g} s, the contact time of the soft mode. The scene gives no contact.duration, so "
        "this hard mode is another model than scree run of the same file with mode: hard, which has t_c = 0.",
        used.contact_duration));
  }
  const bool from_springs = !report.polygons && std::ranges::any_of(used.pairs, [](const auto& pair) {
    return pair.friction > 0.0 && !pair.is_given;
  });
  if (from_springs) {
    said.push_back(
        "β₀ of pairs whose tangential_restitution the scene does not give is that of the soft mode's springs. Also in "
        "this, scree run of the same file with mode: hard is another model: it has β₀ = 0 there.");
  }
  if (report.falls && !used.duration_is_given) {
    said.push_back(
        "In a dense bed, where contacts overlap in time, the TC model with the true contact time dissipates too "
        "little: "
        "there the modes differ by this. A contact.duration of a tenth of it helps (docs/compare.md).");
  }
  return said;
}

std::string runs_of(std::size_t runs, const char* mode) {
  return fmt::format("{} {} {}", runs, mode, runs == 1 ? "run" : "runs");
}

/// The runs, and what follows from their scatter.
std::vector<std::string> about_runs(const Comparison& comparison) {
  std::vector<std::string> said;
  const std::string count =
      fmt::format("{} and {}", runs_of(comparison.soft_runs(), "soft"), runs_of(comparison.hard_runs(), "hard"));
  const auto from = comparison.independent_from();
  if (comparison.reseeded) {
    said.push_back(count + ", each with its own seed; runs of both modes with one seed start with the same disks.");
  } else {
    std::string text = fmt::format(
        "{}. Seeds change nothing in this scene, since it draws nothing at random. So the initial velocities of the "
        "runs "
        "differ at random, by {:.4g} of the rms velocity. ",
        count, compare::kStir);
    text += from ? fmt::format(
                       "These runs are independent only from t = {:.4g} s on, when they have diverged: standard "
                       "errors of averages over the time before are too small.",
                       *from)
                 : "These runs have not diverged: they are not independent, standard errors are unknown, and "
                   "differences are those of single trajectories.";
    said.push_back(std::move(text));
  }
  std::string text =
      "± is the standard error of the mean over runs. Difference: of the soft mode from the hard one, over "
      "the latter; of curves, the area between them over the area below. ";
  text += comparison.soft_runs() < compare::kPairedRuns
              ? fmt::format(
                    "The soft runs are taken to scatter as the hard runs do; with --runs {} or more, runs with "
                    "the same disks are compared, and smaller differences are found. ",
                    compare::kPairedRuns)
              : "It is the mean difference of runs with the same disks, so it need not be that of the two columns. ";
  text += fmt::format(
      "By chance: a difference that chance alone exceeds with a probability of {:.4g} % (Student's t). "
      "Standard errors are counted from what chance gives on average, which is 0 except for areas.",
      100.0 * compare::kChance);
  said.push_back(std::move(text));
  return said;
}

constexpr const char* kAboutTheory =
    "Theory: Haff's law for the energies at the start; Enskog's collision rate and the equation of state for the "
    "temperature of each run, with Henderson's approximations. They are those of a homogeneous gas without sides, "
    "whose "
    "collisions take no time: in Haff's law each of them dissipates, also within t_c of another one. docs/compare.md "
    "says how well they hold.";

/// What the figures mean, in sentences.
std::vector<std::string> findings(const ComparisonReport& report) {
  const Comparison& comparison = report.comparison;
  const Moment& last = comparison.moments.back();
  std::vector<std::string> said;
  if (comparison.stopped) said.push_back("Interrupted: the results end at this time.");
  said.push_back(fmt::format(
      "{} {}{}, from t = 0 to {:.4g} s. The soft mode took {} steps of {:.4g} s; a contact of two disks {}lasts {:.4g} "
      "s.",
      comparison.disks, report.polygons ? "grain" : "disk", comparison.disks == 1 ? "" : "s", last.time,
      comparison.steps, comparison.step, report.polygons ? "of the grains' mean mass " : "", comparison.contact_time));
  if (last.hard.front().contacts > 0) {
    said.push_back(fmt::format("The mean free time of a disk is {:.4g} s: soft contacts last {:.4g} of it.{}",
                               comparison.mean_free_time(), comparison.contact_time / comparison.mean_free_time(),
                               report.falls
                                   ? " This is no measure of a bed at rest, where hard disks collide again and "
                                     "again, at intervals of about t_c."
                                   : ""));
  }
  if (report.polygons) {
    said.push_back(
        "Of polygons the modes agree, the stiffer they are, where impacts are smooth and elastic, central, or slide "
        "throughout. An impact off the centre that loses energy, or sticks, follows another law in each mode; edges "
        "that "
        "meet flat share their force in the soft mode and collide by a point or two in the hard one "
        "(docs/compare.md).");
  }
  if (report.falls) {
    said.push_back(
        "Where disks rest on one another, one lasting contact of the soft mode is many collisions of the hard mode: "
        "numbers of contacts and collisions do not compare the modes there.");
  }
  const std::size_t diverged = comparison.diverged();
  const std::string share = fmt::format("{:.4g} % of the mean diameter (rms)", 100.0 * compare::kDiverged);
  said.push_back(
      diverged < comparison.moments.size()
          ? fmt::format("Trajectories have diverged, by {}, at t = {:.4g} s. After that only averages can be compared.",
                        share, comparison.moments[diverged].time)
          : fmt::format("Trajectories have not diverged: positions differ by less than {}.", share));
  if (const auto found = compare::chaos(comparison)) {
    said.push_back(
        fmt::format("Chaos: the difference of two hard runs, whose initial velocities differ by a relative 1e-12, "
                    "grows by a factor "
                    "e in {:.4g} s: the rate is {}, fitted where disks collide, from t = {:.4g} to {:.4g} s.",
                    1.0 / found->rate.value, shown(found->rate, " /s"), found->from, found->to));
  } else {
    said.push_back(
        fmt::format("Chaos: no rate; disks collide at fewer than {} frames before trajectories diverge, or "
                    "differences do not grow. A shorter output.every may help.",
                    compare::kChaosMoments));
  }
  for (const std::string& warning : report.warnings) said.push_back("Warning: " + warning);
  return said;
}

std::string shown(const compare::RelativeError& error) {
  std::string text = shown(compare::Estimate{error.value, error.error});
  return beyond_chance(error) ? text : text + " (chance)";
}

/// The errors for some of the stiffnesses. @param first, last numbers of rows; the last table has the exponents
Table limit_table(const Limit& limit, std::size_t first, std::size_t last) {
  const bool ends = last == limit.rows.size();
  Table table = {
      {"stiffness [N/m]"}, {"contact time [s]"}, {"contact time / mean free time"}, {"steps"}, {"wall time"}};
  for (std::size_t error = 0; error < limit.errors.size(); ++error) {
    const std::string& caveat = limit.caveats[error];
    table.push_back({"error of " + spaced(limit.errors[error]) + (caveat.empty() ? "" : fmt::format(" ({})", caveat))});
  }
  for (std::size_t k = first; k < last; ++k) {
    const StiffnessRow& row = limit.rows[k];
    table[0].push_back(shown(row.stiffness));
    table[1].push_back(shown(row.contact_time));
    table[2].push_back(shown(row.contact_time / row.mean_free_time));
    table[3].push_back(fmt::to_string(row.steps));
    table[4].push_back(duration_text(row.soft_seconds));
    for (std::size_t error = 0; error < row.errors.size(); ++error)
      table[5 + error].push_back(shown(row.errors[error]));
  }
  if (!ends) return table;
  table[0].push_back("exponent");
  for (std::size_t row = 1; row < 5; ++row) table[row].push_back("");
  for (std::size_t error = 0; error < limit.errors.size(); ++error) {
    const auto exponent = compare::slope(limit, error);
    const auto points =
        std::ranges::count_if(limit.rows, [&](const StiffnessRow& row) { return beyond_chance(row.errors[error]); });
    const bool has_none = !limit.caveats[error].empty();
    table[5 + error].push_back(exponent   ? shown(*exponent)
                               : has_none ? "not comparable"
                                          : fmt::format("none ({} {})", points, points == 1 ? "point" : "points"));
  }
  return table;
}

/// As many stiffnesses beside each other as a page has room for.
std::vector<Table> limit_tables(const Limit& limit) {
  constexpr std::size_t kBeside = 4;
  std::vector<Table> tables;
  for (std::size_t first = 0; first < limit.rows.size(); first += kBeside) {
    tables.push_back(limit_table(limit, first, std::min(first + kBeside, limit.rows.size())));
  }
  return tables;
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
      "Relative errors of the soft mode: {}; others are the sizes of the differences above. Exponents are those of the "
      "stiffness, with standard errors, fitted to at least three errors that are beyond chance.",
      when);
}

/// The points without those at the ends of a curve where both modes are 0: layers without disks.
std::vector<compare::Point> shown_points(const ComparedQuantity& quantity) {
  std::vector<compare::Point> points = compare::points(quantity);
  if (quantity.over_time()) return points;
  const auto is_something = [](const compare::Point& p) { return p.soft.value != 0.0 || p.hard.value != 0.0; };
  const auto last = std::find_if(points.rbegin(), points.rend(), is_something).base();
  points.erase(last == points.end() ? last : last + 1, points.end());
  const auto first = std::find_if(points.begin(), points.end(), is_something);
  points.erase(points.begin(), first == points.begin() ? first : first - 1);
  return points;
}

Plot plot_of(const ComparedQuantity& quantity) {
  Plot plot{.title = quantity.title,
            .note = quantity.caveat,
            .x_label = quantity.x_label,
            .y_label = quantity.y_label,
            .curves = {{"soft", {}}, {"hard", {}}}};
  Curve theory{quantity.theory_name, {}};
  Band chance{fmt::format("soft by chance ({:.4g} %)", 100.0 * (1.0 - compare::kChance)), {}, {}, {}};
  for (const compare::Point& point : shown_points(quantity)) {
    plot.curves[0].points.emplace_back(point.x, point.soft.value);
    plot.curves[0].error.push_back(point.soft.error.value_or(0.0));
    plot.curves[1].points.emplace_back(point.x, point.hard.value);
    plot.curves[1].error.push_back(point.hard.error.value_or(0.0));
    if (point.theory) theory.points.emplace_back(point.x, *point.theory);
    if (!point.chance) continue;
    chance.x.push_back(point.x);
    chance.lo.push_back(point.centre - *point.chance);
    chance.hi.push_back(point.centre + *point.chance);
  }
  if (!theory.points.empty()) plot.curves.push_back(std::move(theory));
  if (!chance.x.empty()) plot.bands.push_back(std::move(chance));
  return plot;
}

Plot plot_of_divergence(const Comparison& comparison) {
  Curve between{"soft and hard", {}};
  Curve chaos{"two hard, 1e-12", {}};
  for (const Moment& moment : comparison.moments) {
    std::vector<double> runs;
    for (const Difference& difference : moment.between) runs.push_back(difference.position_rms);
    const compare::Estimate mean = compare::estimate(runs);
    between.points.emplace_back(moment.time, mean.value);
    between.error.push_back(mean.error.value_or(0.0));
    chaos.points.emplace_back(moment.time, moment.chaos.position_rms);
  }
  return {.title = "Divergence of trajectories",
          .x_label = "time [s]",
          .y_label = "difference of positions, rms [m]",
          .y_axis = Axis::logarithmic,
          .curves = {std::move(between), std::move(chaos)},
          .levels = {
              {"diverged: above this only averages compare", compare::kDiverged * comparison.mean_diameter, kNoCurve}}};
}

/// At most three errors in each.
std::vector<Plot> plots_of(const Limit& limit) {
  constexpr std::size_t kTogether = 3;
  std::vector<Plot> plots;
  for (std::size_t error = 0; error < limit.errors.size(); ++error) {
    if (error % kTogether == 0) {
      plots.push_back({.title = "Error of the soft mode",
                       .note = "dotted: the greatest error of the list that is within chance",
                       .x_label = "contact time / mean free time",
                       .y_label = "relative error",
                       .x_axis = Axis::logarithmic,
                       .y_axis = Axis::logarithmic,
                       .markers = true,
                       .curves = {}});
    }
    Curve curve{spaced(limit.errors[error]), {}};
    double chance = 0.0;
    for (const StiffnessRow& row : limit.rows) {
      const RelativeError& found = row.errors[error];
      curve.points.emplace_back(row.contact_time / row.mean_free_time, found.value);
      curve.error.push_back(found.error.value_or(0.0));
      chance = std::max(chance, found.chance);
    }
    plots.back().curves.push_back(std::move(curve));
    if (chance > 0.0 && error > compare::kVelocityError) {
      plots.back().levels.push_back({"", chance, error % kTogether});
    }
  }
  return plots;
}

std::string title_of(const ComparisonReport& report) {
  return "Comparison of the modes: " +
         (report.title.empty() ? std::filesystem::path(report.scene_file).filename().string() : report.title);
}

/// Columns of compare.csv that both modes have.
struct Figure {
  const char* name;
  const char* unit;
  double (*value)(const Figures&);
};
constexpr std::array<Figure, 12> kColumns = {{
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

std::string header(bool soft_errors) {
  std::string names = "time [s]";
  for (const Figure& column : kColumns) {
    names += fmt::format(",soft_{}{}", column.name, column.unit);
    if (soft_errors) names += fmt::format(",soft_{}_error{}", column.name, column.unit);
    names += fmt::format(",hard_{0}{1},hard_{0}_error{1}", column.name, column.unit);
  }
  return names +
         ",position_difference_rms [m],position_difference_largest [m],velocity_difference_rms [m/s],"
         "velocity_difference_largest [m/s],chaos_position_difference_rms [m],chaos_velocity_difference_rms [m/s]";
}

}  // namespace

ComparisonTable::ComparisonTable(std::filesystem::path file, std::size_t soft_runs)
    : csv_(std::move(file), header(soft_runs > 1), {}) {}

void ComparisonTable::add(const compare::Moment& m) {
  csv_ << m.time;
  for (const Figure& column : kColumns) {
    for (const auto* runs : {&m.soft, &m.hard}) {
      std::vector<double> values;
      for (const Figures& figures : *runs) values.push_back(column.value(figures));
      const compare::Estimate mean = compare::estimate(values);
      csv_ << mean.value;
      if (mean.error) csv_ << *mean.error;
    }
  }
  const Difference& between = m.between.front();
  csv_ << between.position_rms << between.position_largest << between.velocity_rms << between.velocity_largest
       << m.chaos.position_rms << m.chaos.velocity_rms;
  csv_.end_row();
}

void write_curves(const std::filesystem::path& directory, const std::vector<ComparedQuantity>& quantities) {
  for (const ComparedQuantity& quantity : quantities) {
    if (quantity.over_time()) continue;
    const bool errors = quantity.soft.size() > 1;
    const bool theory = !quantity.theory_name.empty();
    CsvFile csv(directory / (quantity.name + ".csv"),
                fmt::format("{},soft{},hard,hard_error,chance{}", quantity.x_label, errors ? ",soft_error" : "",
                            theory ? ",theory" : ""),
                {});
    for (const compare::Point& point : compare::points(quantity)) {
      csv << point.x << point.soft.value;
      if (errors) csv << point.soft.error.value_or(0.0);
      csv << point.hard.value << point.hard.error.value_or(0.0) << point.chance.value_or(0.0);
      if (theory) csv << point.theory.value_or(0.0);
      csv.end_row();
    }
  }
}

void write_limit_table(const std::filesystem::path& file, const Limit& limit) {
  std::string header = "stiffness [N/m],contact_time [s],mean_free_time [s],step [s],steps,soft_wall_time [s]";
  for (const std::string& name : limit.errors) header += fmt::format(",{0}_error,{0}_standard_error,{0}_chance", name);
  CsvFile csv(file, header, {});
  for (const StiffnessRow& row : limit.rows) {
    csv << row.stiffness << row.contact_time << row.mean_free_time << row.step << row.steps << row.soft_seconds;
    for (const RelativeError& error : row.errors) csv << error.value << error.error.value_or(0.0) << error.chance;
    csv.end_row();
  }
}

namespace {

/// The part of a domain that a picture shows: all of it, or of a long one that part of its length where disks are.
Region shown_part(const State& soft, const State& hard, const Domain& domain) {
  Region part{domain.lo, domain.hi};
  const Vec2 extent = domain.hi - domain.lo;
  constexpr double kLong = 2.0;
  const int along = extent.x() > extent.y() ? 0 : 1;
  if (extent[along] <= kLong * extent[1 - along]) return part;
  double lo = domain.hi[along];
  double hi = domain.lo[along];
  for (const State* state : {&soft, &hard}) {
    for (std::size_t i = 0; i < state->particles.size(); ++i) {
      const double radius = state->particles.radius[i];
      lo = std::min(lo, state->particles.position[i][along] - 2.0 * radius);
      hi = std::max(hi, state->particles.position[i][along] + 2.0 * radius);
    }
  }
  if (!(lo < hi)) return part;
  // Not shorter than the other side, so that it stays a picture of the place.
  const double missing = 0.5 * std::max(0.0, extent[1 - along] - (hi - lo));
  part.lo[along] = std::max(domain.lo[along], lo - missing);
  part.hi[along] = std::min(domain.hi[along], hi + missing);
  return part;
}

}  // namespace

DiskPicture side_by_side(const State& soft, const State& hard, const Domain& domain) {
  const Region part = shown_part(soft, hard, domain);
  DiskPicture picture{part.lo, part.hi, {}};
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

namespace {

std::vector<Drawing> drawings(const ComparisonReport& report) {
  std::vector<Drawing> all;
  for (const ComparedQuantity& quantity : report.quantities) {
    all.push_back({quantity.name + ".svg", quantity.title, svg(plot_of(quantity))});
  }
  all.push_back({"trajectories.svg", "Divergence of trajectories", svg(plot_of_divergence(report.comparison))});
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

std::vector<Section> sections(const ComparisonReport& report) {
  std::vector<Section> all = {{"", {quantities_table(report)}, about_runs(report.comparison)}};
  for (std::string& sentence : findings(report)) all[0].text.push_back(std::move(sentence));
  if (Table theory = theory_table(report); theory.size() > 1)
    all.push_back({"Theory", {std::move(theory)}, {kAboutTheory}});
  all.push_back({"What the hard mode used", {hard_mode_table(report.hard_mode)}, about_hard_mode(report)});
  if (report.limit) {
    all.push_back({"Dependence on the stiffness", limit_tables(*report.limit), {about_limit(*report.limit)}});
  }
  return all;
}

}  // namespace

ReportPage report_page(const ComparisonReport& report) {
  ReportPage page{title_of(report), sections(report)};
  page.sections.push_back({"Pictures", {}, {"In pictures of disks, colours show speeds."}, {}, drawings(report)});
  return page;
}

}  // namespace scree
