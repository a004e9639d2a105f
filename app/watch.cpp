#include "app/watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "app/interrupt.hpp"
#include "app/run.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "io/files/atomic_file.hpp"
#include "io/formats/run_info.hpp"
#include "io/tables/number_table.hpp"
#include "io/tables/progress.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 500ms;

/// One line: how far the run is.
std::string progress_text(const fs::path& directory, const EarlierRun& info, bool goes_on) {
  const fs::path file = directory / "series.csv";
  const NumberTable series = read_number_table(fs::is_regular_file(file) ? read_file(file) : "");
  const auto last = [&](const char* name) {
    const std::vector<double>& values = series.column(name);
    return values.empty() ? 0.0 : values.back();
  };
  const double share = info.progress();
  const std::string way = info.turned ? fmt::format("s, back from {:.4g} to {:.4g} s", *info.turned, info.until)
                                      : fmt::format("of {:.4g} s", info.until);
  std::string text = fmt::format("t = {:.4g} {}, {:.0f} %, {} frames, {} grains", info.end_time, way, 100.0 * share,
                                 series.rows(), last("particles"));
  if (info.status != "running") return text + ", " + info.status;
  if (!goes_on)
    return text + ", not running: it was killed; scree " + (info.turned ? "rewind" : "resume") + " continues it";
  if (share > 0.0) text += ", about " + duration_text(info.wall_time * (1.0 - share) / share) + " left";
  return text;
}

}  // namespace

int watch(const fs::path& directory, bool once) {
  const InterruptGuard guard;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  std::string last;
  while (!interrupted()) {
    const bool goes_on = is_alive(directory);
    const EarlierRun info = read_run_info(directory / kInfoFile);
    if (info.status.empty()) {
      throw IoError(fmt::format("cannot watch {}: it holds no {}; needed: the output directory of a run",
                                directory.string(), kInfoFile));
    }
    if (is_terminal && !once && last.empty()) say("in a browser: scree view {}\n", directory.string());
    const std::string text = progress_text(directory, info, goes_on);
    const bool ends = once || info.status != "running" || !goes_on;
    if (text != last || ends) {
      const std::size_t blank = last.size() > text.size() ? last.size() - text.size() : 0;
      if (is_terminal) {
        say("\r{}{}{}", text, std::string(blank, ' '), ends ? "\n" : "");
      } else {
        say("{}\n", text);
      }
      std::fflush(stdout);
      last = text;
    }
    if (ends) return kOk;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return kInterrupted;
}

}  // namespace scree::app
