#include "app/compare.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/errors.hpp"
#include "app/interrupt.hpp"
#include "app/run.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "dem/compare/comparison.hpp"
#include "dem/compare/ensemble.hpp"
#include "dem/compare/stiffness_limit.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/measure/aliasing.hpp"
#include "dem/scene.hpp"
#include "dem/tolerances.hpp"
#include "io/files/atomic_file.hpp"
#include "io/pages/colours.hpp"
#include "io/pages/comparison_report.hpp"
#include "io/replay/replay.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/tables/progress.hpp"
#include "io/text/number_text.hpp"
#include "io/text/version.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

/// A page that plays both modes beside one another.
class BothModes {
 public:
  explicit BothModes(const compare::Twins& twins)
      : twins_(twins),
        shift_(1.1 * (twins.hard.domain.hi.x() - twins.hard.domain.lo.x()), 0.0),
        replay_(twins.hard, {.panels = {{"soft", Vec2::Zero()}, {"hard", shift_}}}) {}

  /// The first states are those at time 0.
  void add(State soft, State hard) {
    if (!soft_colours_) soft_colours_.emplace(twins_.soft, soft.particles);
    if (!hard_colours_) hard_colours_.emplace(twins_.hard, hard.particles);
    soft_colours_->paint(soft.particles);
    hard_colours_->paint(hard.particles);
    replay_.add(beside(soft, hard, shift_));
  }

  /// Writes replay.html, with charts of the table.
  void write(const fs::path& directory) const {
    const Scene& scene = twins_.hard;
    const nlohmann::json info = {
        {"version", version()}, {"commit", commit()}, {"seed", scene.seed}, {"scene", to_yaml(scene)}};
    ReplayReport report;
    const std::string page =
        replay_.page(info.dump(), {{kComparisonFile, read_file(directory / kComparisonFile)}}, report);
    write_file_atomically(directory / "replay.html", page);
  }

 private:
  const compare::Twins& twins_;
  std::optional<Colours> soft_colours_;
  std::optional<Colours> hard_colours_;
  Vec2 shift_;
  Replay replay_;
};

/// Both modes from the scene's beginning to its end: fills in the report and writes compare.csv and replay.html.
void run_both(const compare::Ensemble& ensemble, const fs::path& directory, const CompareOptions& options,
              ComparisonReport& report) {
  ComparisonTable table(directory / kComparisonFile, options.runs);
  const Scene& scene = ensemble.twins.front().hard;
  const double end = scene.end;
  const auto no_plan = [](double) { return std::numeric_limits<double>::max(); };
  Progress progress({0.0, end}, {no_plan, no_plan}, "frames", options.quiet);
  std::vector<double> due = options.at.empty() ? std::vector{0.5 * end, end} : options.at;
  std::uint64_t frame = 0;
  BothModes replay(ensemble.twins.front());
  const auto watch = [&](const compare::Moment& moment, const State& soft, const State& hard) {
    table.add(moment);
    replay.add(soft, hard);
    progress.show({moment.time, soft.particles.size(), frame++});
    const auto later = std::ranges::find_if(due, [&](double at) { return at * (1.0 - kSameTime) > moment.time; });
    if (later != due.begin()) report.pictures.push_back(side_by_side(soft, hard, scene.domain));
    due.erase(due.begin(), later);
  };
  report.comparison = compare::run(ensemble, options.threads, watch, interrupted);
  progress.finish();
  replay.write(directory);
}

compare::Limit run_stiffnesses(const compare::Ensemble& ensemble, const CompareOptions& options) {
  const auto watch = [&](const compare::StiffnessRow& row) {
    if (options.quiet) return;
    say("stiffness {:.4g} N/m: contacts of {:.4g} s, {} steps, {}\n", row.stiffness, row.contact_time, row.steps,
        duration_text(row.soft_seconds));
    std::fflush(stdout);
  };
  return compare::limit(ensemble, options.stiffnesses, options.threads, watch, interrupted);
}

void write(const ComparisonReport& report, const fs::path& directory) {
  write_curves(directory, report.quantities);
  if (report.limit) write_limit_table(directory / "stiffness.csv", *report.limit);
  const ReportPage page = report_page(report);
  for (const Drawing& drawing : drawings(page)) write_file_atomically(directory / drawing.file, drawing.svg);
  write_file_atomically(directory / "report.md", to_markdown(page));
  write_file_atomically(directory / "report.html", to_html(page));
}

}  // namespace

int compare(const fs::path& file, const CompareOptions& options) {
  read_scene(file, Mode::hard, options.settings);  // refuses with line and column what that mode has not
  const Scene scene = read_scene(file, Mode::soft, options.settings);
  const compare::Ensemble ensemble = compare::ensemble(scene, options.runs);
  const compare::Twins& twins = ensemble.twins.front();
  if (!options.at.empty() && options.at.back() > scene.end) {
    throw UsageError(fmt::format("--at: is {}, must be at most {} [s], the scene's end", number_text(options.at.back()),
                                 number_text(scene.end)));
  }
  const fs::path directory = options.output.value_or(scene.output_directory + "_compare");
  const auto overwrite = options.force ? Overwrite::an_earlier_one : Overwrite::never;
  require_room_for(Kind::comparison, directory, overwrite);
  make_directory(directory);
  const DirectoryLock lock(directory);
  require_room_for(Kind::comparison, directory, overwrite);  // still: no other run has begun in it
  remove(Kind::comparison, directory);
  const InterruptGuard guard;

  ComparisonReport report;
  report.title = scene.title;
  report.scene_file = file.string();
  report.falls = !scene.gravity.isZero(0.0);
  report.polygons = hard::has_polygons(twins.hard);
  report.hard_mode = compare::hard_mode(twins);
  for (const Aliasing& found : aliasing(twins.hard)) report.warnings.push_back(text(found) + ".");
  run_both(ensemble, directory, options, report);
  report.quantities = compare::quantities(report.comparison, twins.hard);
  if (!options.stiffnesses.empty() && !interrupted()) {
    report.limit = run_stiffnesses(ensemble, options);
    if (report.limit->rows.empty()) report.limit.reset();
  }
  write(report, directory);
  if (!options.quiet) say("{}\nwritten to {}\n", to_text(report_page(report)), directory.string());
  if (!interrupted()) return kOk;
  if (!options.quiet) say(stderr, "interrupted; the report ends at this time\n");
  return kInterrupted;
}

}  // namespace scree::app
