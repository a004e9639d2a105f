#include "app/report.hpp"

#include <fmt/format.h>

#include "app/run.hpp"
#include "app/say.hpp"
#include "app/written_run.hpp"
#include "io/files/atomic_file.hpp"
#include "io/pages/run_report.hpp"
#include "io/pages/svg_plot.hpp"

namespace scree::app {

namespace fs = std::filesystem;

int report_run(const fs::path& directory, bool quiet) {
  const WrittenRun run = open_run(directory);
  const PictureScales scales = scales_of(run);
  const auto table = [&](const char* name) {
    return fs::is_regular_file(directory / name) ? read_file(directory / name) : std::string();
  };
  RunReport report{run.info, table("series.csv"), table("flow.csv"), {}};
  const auto add = [&](const char* file, const WrittenFrame& frame) {
    const Picture drawn =
        picture_of(read_frame(directory, frame, *run.scene), *run.scene, scales, {.width = 620.0, .letters = 0.85});
    report.pictures.push_back({file, fmt::format("t = {:.4g} s", frame.time), svg(drawn)});
  };
  add("frame_first.svg", run.frames.front());
  if (run.frames.size() > 2) add("frame_middle.svg", run.frames[run.frames.size() / 2]);
  if (run.frames.size() > 1) add("frame_last.svg", run.frames.back());
  const ReportPage page = report_page(report);
  for (const Drawing& drawing : drawings(page)) write_file_atomically(directory / drawing.file, drawing.svg);
  write_file_atomically(directory / "report.md", to_markdown(page));
  write_file_atomically(directory / "report.html", to_html(page));
  if (!quiet) say("{}\n{}\n", (directory / "report.html").string(), (directory / "report.md").string());
  return kOk;
}

}  // namespace scree::app
