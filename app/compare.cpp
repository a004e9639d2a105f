#include "app/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "app/errors.hpp"
#include "app/run.hpp"
#include "app/run_directory.hpp"
#include "dem/compare/comparison.hpp"
#include "io/atomic_file.hpp"
#include "io/comparison_report.hpp"
#include "io/number_text.hpp"
#include "io/progress.hpp"
#include "io/scene_reader.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

/// Both modes from the scene's beginning to its end: fills in the report and writes compare.csv.
void run_both(const compare::Twins& twins, const fs::path& directory, const CompareOptions& options,
              ComparisonReport& report) {
  ComparisonTable table(directory / "compare.csv");
  Progress progress(0.0, twins.soft.end, "frames", options.quiet);
  const auto frames = static_cast<std::uint64_t>(std::ceil(twins.soft.end / twins.soft.output_every - 1e-9));
  std::uint64_t frame = 0;
  report.comparison =
      compare::run(twins, options.threads, [&](const compare::Moment& moment, const State& soft, const State& hard) {
        table.add(moment);
        progress.show({moment.time, soft.particles.size(), frame});
        if (frame == frames / 2 || frame == frames) {
          report.pictures.push_back(side_by_side(soft, hard, twins.hard.domain));
        }
        ++frame;
      });
  progress.finish();
}

compare::Limit run_stiffnesses(const compare::Twins& twins, const CompareOptions& options) {
  return compare::limit(twins, options.stiffnesses, options.threads, [&](const compare::StiffnessRow& row) {
    if (options.quiet) return;
    std::printf("stiffness %s N/m: contacts of %s s, %llu steps, %s\n", number_text(row.stiffness, 4).c_str(),
                number_text(row.contact_time, 4).c_str(), static_cast<unsigned long long>(row.steps),
                duration_text(row.soft_seconds).c_str());
    std::fflush(stdout);
  });
}

}  // namespace

int compare(const fs::path& file, const CompareOptions& options) {
  read_scene(file, Mode::hard);  // says with line and column what that mode refuses
  const Scene scene = read_scene(file, Mode::soft);
  const compare::Twins twins = compare::twins(scene);
  const fs::path directory = options.output.value_or(scene.output_directory + "_compare");
  require_room_for_run(directory, Overwrite::never);
  make_directory(directory);
  const DirectoryLock lock(directory);

  ComparisonReport report;
  report.title = scene.title;
  report.scene_file = file.string();
  run_both(twins, directory, options, report);
  report.quantities = compare::quantities(report.comparison, twins.hard);
  write_curves(directory, report.quantities);
  if (!options.stiffnesses.empty()) {
    report.limit = run_stiffnesses(twins, options);
    write_limit_table(directory / "stiffness.csv", *report.limit);
  }
  const std::string text = to_markdown(report);
  write_file_atomically(directory / "report.md", text);
  write_file_atomically(directory / "report.html", to_html(report));
  if (!options.quiet) std::printf("%s\nwritten to %s\n", text.c_str(), directory.c_str());
  return kOk;
}

}  // namespace scree::app
