#include "app/rewind.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/frame_output.hpp"
#include "app/hashing.hpp"
#include "app/interrupt.hpp"
#include "app/reports.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/written.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/run_info.hpp"
#include "io/pages/colours.hpp"
#include "io/run_description.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/tables/hash_table.hpp"
#include "io/tables/progress.hpp"
#include "io/text/errors.hpp"
#include "io/text/number_text.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using hard::SceneSimulation;

/// One way back.
struct Way {
  Scene scene;
  std::string scene_name;
  fs::path directory;
  double turned;                   // when it began to go back, maybe in an earlier call [s]
  double from;                     // of this call [s]
  double to;                       // [s]
  double earlier_wall_time = 0.0;  // [s]
  Colours colours = {};
  Written written = {};
  bool quiet = false;
};

[[noreturn]] void refuse(const fs::path& directory, const std::string& why) {
  throw IoError(fmt::format("cannot rewind {}: {}", directory.string(), why));
}

void save(const Way& way, const SceneSimulation& simulation, const Written& written) {
  std::ostringstream state;
  simulation.save(state);
  write_checkpoint(
      way.directory / kStateFile,
      {way.scene_name, to_yaml(way.scene), std::move(state).str(), state_hash(simulation), {}, written, {}});
}

/// @param wall_time of this call [s]
void note(const Way& way, const SceneSimulation& simulation, double wall_time, const std::string& status) {
  RunInfo info = describe(way.scene, simulation);
  info.scene_file = way.scene_name;
  info.wall_time = way.earlier_wall_time + wall_time;
  info.until = way.to;
  info.turned = way.turned;
  info.status = status;
  write_run_info(way.directory / kInfoFile, info);
  sync_directory(way.directory);
}

/// The time of the next frame on the way back [s].
double next_frame(const SceneSimulation& simulation, double every) {
  double frame = std::ceil(simulation.time() / every);
  while (simulation.is_back_at(frame * every)) --frame;
  return frame * every;
}

/// Back to the next frame, and so on, until the time that is asked for or Ctrl-C.
void go_back_and_write(const Way& way, SceneSimulation& simulation, Progress& progress) {
  constexpr std::uint64_t kEvents = 1 << 15;  // between checks for Ctrl-C: some 0.1 s
  constexpr int kPieces = 64;                 // between saved states
  FrameOutput output(way.scene, way.directory, way.colours, way.written);
  const auto save_now = [&] {
    output.sync();
    sync_directory(way.directory);
    save(way, simulation, output.written());
  };
  const auto work = [&] { return work_of(simulation); };
  const std::uint64_t before = work();  // counts down in whole numbers
  if (!output.last_time()) output.write(simulation);
  for (int piece = 1; !interrupted() && !simulation.is_back_at(way.to); ++piece) {
    const double frame = std::max(next_frame(simulation, way.scene.output_every), way.to);
    simulation.go_back_to(frame, kEvents);
    progress.show({simulation.time(), simulation.particles(), std::max(before, work()) - std::min(before, work())});
    if (simulation.is_back_at(frame) && simulation.time() < output.last_time()) output.write(simulation);
    if (piece % kPieces != 0) continue;
    save_now();
    note(way, simulation, progress.seconds(), "running");
  }
  save_now();
}

/// How far floats are from the state that they were in then, which a run from the beginning finds again.
void print_error(const Way& way, const SceneSimulation& simulation) {
  SceneSimulation again(way.scene);
  again.advance_to(simulation.time());
  const ParticleState was = again.state().particles;
  const ParticleState is = simulation.state().particles;
  const Vec2 period = way.scene.domain.hi - way.scene.domain.lo;
  double of_positions = 0.0;
  double of_velocities = 0.0;
  for (std::size_t i = 0; i < is.size(); ++i) {
    Vec2 way_off = is.position[i] - was.position[i];
    for (const int axis : {0, 1}) {
      if (!is.image.empty()) way_off[axis] += (is.image[i][axis] - was.image[i][axis]) * period[axis];
    }
    of_positions = std::max(of_positions, way_off.norm());
    of_velocities = std::max(of_velocities, (is.velocity[i] - was.velocity[i]).norm());
  }
  say("restored to {:.2g} m and {:.2g} m/s, the largest error of a disk, by comparison with a run from the beginning\n",
      of_positions, of_velocities);
}

/// Whether the run had the same state at the same time, if it kept its hash then.
void print_hash(const SceneSimulation& simulation, const fs::path& run) {
  const HashRow now = hashes_now(simulation);
  if (!fs::is_regular_file(run / kHashFile)) return;
  const std::vector<HashRow> rows = read_hash_table(run / kHashFile).rows;
  const auto then = std::ranges::find(rows, now.time, &HashRow::time);
  if (then == rows.end()) return;
  say("{} to the last bit as it was at this time\n",
      then->hashes == now.hashes ? "every disk is" : "NOT every disk is");
}

int go_back(const Way& way, SceneSimulation& simulation, const fs::path& run) {
  const InterruptGuard guard;
  const hard::Counters before = simulation.counters();
  const auto no_plan = [](double) { return std::numeric_limits<double>::max(); };
  Progress progress({way.from, way.to}, {no_plan, no_plan}, kWork<SceneSimulation>, way.quiet);
  note(way, simulation, progress.seconds(), "running");
  try {
    go_back_and_write(way, simulation, progress);
  } catch (const InvalidState& error) {  // found out on the way
    progress.finish();
    note(way, simulation, progress.seconds(), std::string("stopped: ") + error.what());
    refuse(way.directory, error.what());
  }
  progress.finish();
  const bool is_there = simulation.is_back_at(way.to);
  note(way, simulation, progress.seconds(), is_there ? "finished" : "interrupted");
  if (!is_there) {
    if (!way.quiet) {
      say(stderr, "interrupted at t = {:.9g} s; to continue: scree rewind {} --to {}\n", simulation.time(),
          way.directory.string(), number_text(way.to));
    }
    return kInterrupted;
  }
  if (way.quiet) return kOk;
  const hard::Counters after = simulation.counters();
  const auto undone = static_cast<std::int64_t>(after.collisions) - static_cast<std::int64_t>(before.collisions);
  say("back from t = {:.9g} s at t = {:.9g} s, {} collisions undone\n", way.from, simulation.time(), std::abs(undone));
  if (const auto* exact = simulation.in_whole_numbers()) {
    if (!run.empty()) print_hash(simulation, run);
    if (exact->tally().losses > 0) {
      say("of {} collisions that lost energy {} bytes are kept still\n", exact->tally().losses, exact->kept_bits() / 8);
    }
  } else {
    print_error(way, simulation);
  }
  say("written to {}; to look at it in a browser: scree replay {}\n", way.directory.string(), way.directory.string());
  return kOk;
}

Checkpoint saved_in(const fs::path& directory) {
  require_saved_state(directory);
  return read_last_checkpoint(directory / kStateFile,
                              [](const std::string& warning) { say(stderr, "scree: {}\n", warning); });
}

void load(const Checkpoint& checkpoint, const fs::path& directory, SceneSimulation& simulation) {
  std::istringstream state(checkpoint.state);
  try {
    simulation.load(state);
  } catch (const InvalidState& error) {
    refuse(directory, error.what());
  }
  if (state_hash(simulation) == checkpoint.state_hash) return;
  refuse(directory, "the values of its state are not those that this version of scree saves");
}

void require_earlier(double to, double now, const fs::path& directory) {
  if (to < now) return;
  throw UsageError(fmt::format("--to: is {}, must be a number >= 0 and < {} [s], where the run in {} is",
                               number_text(to), number_text(now), directory.string()));
}

/// A directory beside the run's: without a slash at its end, with _rewind.
fs::path beside(const fs::path& directory) {
  const fs::path name = directory.has_filename() ? directory : directory.parent_path();
  return name.parent_path() / (name.filename().string() + "_rewind");
}

}  // namespace

int rewind(const fs::path& directory, const RewindOptions& options) {
  std::optional<DirectoryLock> lock;
  const Checkpoint checkpoint = saved_in(directory);
  Way way{.scene = parse_scene(checkpoint.scene_yaml, checkpoint.scene_name),
          .scene_name = checkpoint.scene_name,
          .directory = directory,
          .turned = 0.0,
          .from = 0.0,
          .to = options.to,
          .quiet = options.quiet};
  if (!checkpoint.edits.empty()) {
    throw UsageError(fmt::format("cannot rewind {}: its disks were changed from Python on the way, which is not undone",
                                 directory.string()));
  }
  try {
    hard::require_way_back(way.scene);
  } catch (const InvalidScene& error) {
    throw UsageError(fmt::format("cannot rewind {}: {}", directory.string(), error.what()));
  }
  SceneSimulation simulation(way.scene);
  way.colours = Colours(way.scene, simulation.state().particles);
  load(checkpoint, directory, simulation);
  way.turned = way.from = simulation.time();
  require_earlier(way.to, way.from, directory);
  if (simulation.runs_backward()) {  // it goes on
    if (options.output || options.every) {
      throw UsageError(fmt::format("{}: is given, but the run in {} goes back already; allowed: leave it out",
                                   options.output ? "--output" : "--every", directory.string()));
    }
    lock.emplace(directory);
    way.written = checkpoint.written;
    const EarlierRun earlier = read_run_info(directory / kInfoFile);
    way.turned = earlier.turned.value_or(way.from);
    way.earlier_wall_time = earlier.wall_time;
    require_all_written(directory, way.written);
    remove_unfinished(directory);
    return go_back(way, simulation, {});
  }
  way.directory = options.output ? fs::path(*options.output) : beside(directory);
  if (options.every) way.scene.output_every = *options.every;
  constexpr double kMostFrames = 1e6;
  if (way.from - way.to > kMostFrames * way.scene.output_every) {
    throw UsageError("--every: is too short, must give at most a million frames");
  }
  const auto overwrite = options.force ? Overwrite::an_earlier_one : Overwrite::never;
  require_room_for(Kind::run, way.directory, overwrite);
  make_directory(way.directory);
  lock.emplace(way.directory);
  require_room_for(Kind::run, way.directory, overwrite);
  if (fs::equivalent(directory, way.directory))
    throw UsageError("--output: is the run's own directory, must be another");
  remove(Kind::run, way.directory);
  simulation.turn_back();
  save(way, simulation, {});
  return go_back(way, simulation, directory);
}

}  // namespace scree::app
