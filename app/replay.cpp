#include "app/replay.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/exit_code.hpp"
#include "app/say.hpp"
#include "app/written_run.hpp"
#include "io/files/atomic_file.hpp"
#include "io/pages/picture.hpp"
#include "io/replay/replay.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

/// So many poses fit into a page that a browser opens in some seconds.
constexpr std::size_t kMostPoses = 20'000'000;

/// The last one is among them.
std::vector<WrittenFrame> evenly_chosen(const std::vector<WrittenFrame>& frames, std::size_t most) {
  if (frames.size() <= most) return frames;
  std::vector<WrittenFrame> chosen;
  for (std::size_t k = 0; k < most; ++k) {
    chosen.push_back(frames[most == 1 ? frames.size() - 1 : k * (frames.size() - 1) / (most - 1)]);
  }
  return chosen;
}

std::string size_text(std::size_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.3g} kB", 1e-3 * static_cast<double>(bytes))
                           : fmt::format("{:.3g} MB", 1e-6 * static_cast<double>(bytes));
}

}  // namespace

int replay(const fs::path& directory, const ReplayCommand& command) {
  const WrittenRun run = open_run(directory);
  std::size_t grains = 1;
  for (const std::size_t k : {std::size_t{0}, run.frames.size() / 2, run.frames.size() - 1}) {
    grains = std::max(grains, read_frame(directory, run.frames[k], *run.scene).particles.size());
  }
  const std::size_t fit = std::max<std::size_t>(2, kMostPoses / grains);
  const std::vector<WrittenFrame> frames = evenly_chosen(run.frames, command.frames.value_or(fit));

  std::vector<std::string> arrays = command.arrays;
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  if (has(grain_arrays(), command.colour) && !has(arrays, command.colour)) arrays.push_back(command.colour);
  Replay replay(*run.scene, {.arrays = arrays, .colour = command.colour, .chains = !command.no_chains});
  for (const WrittenFrame& frame : frames) {
    try {
      replay.add(read_frame(directory, frame, *run.scene));
    } catch (const IoError& error) {
      throw IoError(fmt::format("cannot show {}: {}", directory.string(), error.what()));
    }
  }
  std::map<std::string, std::string> tables;
  for (const char* table : {"series.csv", "flow.csv"}) {
    if (fs::is_regular_file(directory / table)) tables[table] = read_file(directory / table);
  }
  ReplayReport report;
  const std::string page = replay.page(run.info, tables, report);
  const fs::path output = command.output.value_or(directory / "replay.html");
  write_file_atomically(output, page);
  if (command.quiet) return kOk;
  say("{}: {} of {} frames, {} grains, {}\n", output.string(), report.frames, run.frames.size(), report.grains,
      size_text(page.size()));
  for (const auto& [name, size] : report.sizes) say("  {:<18} {}\n", name, size_text(size));
  say("poses have the hash {:08x}; open the file in a browser\n", report.hash);
  return kOk;
}

}  // namespace scree::app
