#include "app/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <type_traits>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/hashing.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/reports.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "dem/errors.hpp"
#include "io/atomic_file.hpp"
#include "io/checkpoint.hpp"
#include "io/colours.hpp"
#include "io/errors.hpp"
#include "io/hash_table.hpp"
#include "io/number_text.hpp"
#include "io/progress.hpp"
#include "io/run_info.hpp"
#include "io/scene_reader.hpp"
#include "io/scene_writer.hpp"
#include "io/tables.hpp"
#include "io/version.hpp"
#include "io/view_script.hpp"
#include "io/vtk_writer.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

// The state is saved every second, or so seldom that it takes no more than a fiftieth of the time.
constexpr double kBetweenSaves = 1.0;  // s
constexpr double kSavesApart = 50.0;   // durations of one

/// A run: the scene, where its output goes, and what was spent on it before.
struct Job {
  Scene scene;
  std::string scene_name;
  fs::path directory;
  double end;  // [s]
  Colours colours = {};
  double earlier_wall_time = 0.0;  // [s]
  std::string measured = {};       // what was saved of the measurements
  bool quiet = false;
};

/// Everything a run writes.
class Output {
 public:
  /// @param from  the state that a resumed run goes on from
  Output(const Job& job, const std::optional<Summary>& from)
      : colours_(job.colours),
        frames_(job.directory, from ? read_frames(job.directory, from->time) : std::vector<Frame>{}),
        series_(job.directory / "series.csv", from ? std::optional(from->time) : std::nullopt),
        flow_(job.directory / "flow.csv", from ? std::optional(from->particles_out) : std::nullopt),
        hashes_(job.directory / kHashFile, job.scene.mode, from ? std::optional(from->time) : std::nullopt),
        measuring_(job.scene, job.directory, job.measured, from ? std::optional(from->time) : std::nullopt) {
    write_view_script(job.directory, job.scene.title);
  }

  template <AnySimulation S>
  void write_frame(S& simulation) {
    write_departures(simulation);
    if (!frames_.frames().empty() && frames_.frames().back().time >= simulation.time()) return;  // is there already
    State state = simulation.state();
    colours_.paint(state.particles);
    frames_.write(state);
    series_.add(simulation.summary());
    if constexpr (!std::is_same_v<S, soft::Simulation>) write_hashes(simulation);
  }

  template <AnySimulation S>
  void write_hashes(const S& simulation) {
    hashes_.add(hashes_now(simulation));
  }

  template <AnySimulation S>
  void write_departures(S& simulation) {
    for (const Departure& departure : simulation.take_departures()) {
      if (to_come_again_ > 0) {
        --to_come_again_;
        continue;
      }
      flow_.add(departure);
      ++since_saved_;
    }
  }

  /// The simulation as it is now was saved, its departures written.
  void note_saved() { since_saved_ = 0; }
  /// The simulation is the one that was saved last: who left since will leave again.
  void note_gone_back() { to_come_again_ = since_saved_; }

  Measuring& measuring() { return measuring_; }

 private:
  Colours colours_;
  VtkSeries frames_;
  SeriesTable series_;
  FlowTable flow_;
  HashTable hashes_;
  Measuring measuring_;
  std::uint64_t since_saved_ = 0;  // departures written since the state was saved
  std::uint64_t to_come_again_ = 0;
};

template <AnySimulation S>
std::string state_of(const S& simulation) {
  std::ostringstream state;
  simulation.save(state);
  return std::move(state).str();
}

void save(const Job& job, const std::string& state, const Measuring& measuring, double wall_time) {
  write_checkpoint(job.directory / kStateFile,
                   {job.scene_name, to_yaml(job.scene), job.earlier_wall_time + wall_time, state, measuring.save()});
  measuring.write_averages();
}

/// To before the step in which something went wrong: from the last state that was saved, by the same steps.
void go_back(soft::Simulation& simulation, const std::string& saved, Output& output) {
  const std::uint64_t bad = simulation.steps();
  std::istringstream in(saved);
  simulation.load(in);
  output.note_gone_back();
  simulation.advance_to(std::numeric_limits<double>::infinity(), bad - 1 - simulation.steps());
}

template <AnySimulation S>
void load(const Checkpoint& checkpoint, const fs::path& file, S& simulation) {
  std::istringstream state(checkpoint.state);
  const auto refuse = [&] {
    throw IoError(fmt::format("cannot resume from {}: not a state saved by this version of scree", file.string()));
  };
  try {
    simulation.load(state);
  } catch (const std::runtime_error&) {  // it ends too early: the file itself is whole, as its checksum says
    refuse();
  }
  if (state.peek() != std::istringstream::traits_type::eof()) refuse();
}

template <AnySimulation S>
RunInfo describe(const Job& job, const S& simulation, double wall_time, const std::string& status) {
  RunInfo info;
  info.version = version();
  info.commit = commit();
  info.compiler = compiler();
  info.scene_file = job.scene_name;
  info.title = job.scene.title;
  info.scene_yaml = to_yaml(job.scene);
  info.seed = job.scene.seed;
  info.broadphase = simulation.broadphase_reason();
  info.wall_time = job.earlier_wall_time + wall_time;
  info.end_time = simulation.time();
  info.status = status;
  info.state_hash = state_hash(simulation);
  add_details(simulation, info);
  return info;
}

template <AnySimulation S>
void report(const Job& job, const S& simulation, double wall_time, std::uint64_t work) {
  if (job.quiet) return;
  const Summary summary = simulation.summary();
  say("t = {:.6g} s: {} particles, kinetic energy {:.3g} J\n", summary.time, summary.particles, summary.kinetic_energy);
  print_details(simulation);
  if (summary.particles_out > 0) {
    say("{} particles left the domain (flow.csv)\n", summary.particles_out);
  }
  if (summary.particles_owed > 0) {
    say("shortfall: {} grains are due but have no free position yet; try a larger pour.region or a lower rate\n",
        summary.particles_owed);
  }
  say("{}, {} {}/s\n", duration_text(wall_time), count_text(static_cast<double>(work) / std::max(wall_time, 1e-9)),
      kWork<S>);
  say("broadphase: {}\n", simulation.broadphase_reason());
  say("written to {}; to watch: paraview --script={}\n", job.directory.string(), (job.directory / "view.py").string());
}

/// When the state ought to be saved.
class SaveClock {
 public:
  bool due(double now) const { return now - last_ > std::max(kBetweenSaves, kSavesApart * duration_); }
  void saved(double from, double to) {
    last_ = to;
    duration_ = to - from;
  }

 private:
  double last_ = 0.0;      // [s]
  double duration_ = 0.0;  // [s]
};

/// The time of the next frame [s].
template <AnySimulation S>
double next_frame(const S& simulation, double every) {
  double frame = std::floor(simulation.time() / every);
  while (simulation.has_reached(frame * every)) ++frame;
  return frame * every;
}

/// The output loop: advance to the next frame, write it, from time to time save the state; until the end or Ctrl-C.
template <AnySimulation S>
void advance_and_write(const Job& job, S& simulation, Output& output, Progress& progress, bool resumed) {
  const std::uint64_t earlier_work = work_of(simulation);
  const double every = job.scene.output_every;
  SaveClock clock;
  std::string saved = state_of(simulation);
  const auto save_now = [&] {
    const double from = progress.seconds();
    output.write_departures(simulation);
    saved = state_of(simulation);
    save(job, saved, output.measuring(), from);
    output.note_saved();
    clock.saved(from, progress.seconds());
  };
  const auto take_samples = [&] {
    if (simulation.has_reached(output.measuring().next())) output.measuring().take(simulation);
  };
  output.write_hashes(simulation);
  if (!resumed) {
    output.write_frame(simulation);
    take_samples();
    save_now();
  }
  std::uint64_t chunk = 16;  // steps or events between looks at the clock and for Ctrl-C: some 0.1 s
  while (!interrupted() && !simulation.has_reached(job.end)) {
    const double frame = std::min(next_frame(simulation, every), job.end);
    const double target = std::min(frame, output.measuring().next());
    const double before = progress.seconds();
    constexpr bool kSoft = std::is_same_v<S, soft::Simulation>;
    const std::uint64_t piece = std::min(chunk, steps_to_hashes(simulation));
    try {
      simulation.advance_to(target, piece);
      if constexpr (kSoft) {
        if (simulation.has_reached(job.end)) simulation.check_all();
      }
    } catch (const PhysicsError&) {
      if constexpr (kSoft) go_back(simulation, saved, output);
      output.write_frame(simulation);  // so that what led to it can be looked at
      if (kSoft) save_now();
      throw;
    }
    const double spent = progress.seconds() - before;
    if (spent < 0.05 && piece == chunk && !simulation.has_reached(target)) chunk *= 2;
    if (spent > 0.2 && chunk > 1) chunk /= 2;
    if (hashes_are_due(simulation)) output.write_hashes(simulation);
    progress.show({simulation.time(), simulation.particles(), work_of(simulation) - earlier_work});
    take_samples();
    if (interrupted() || simulation.has_reached(frame)) output.write_frame(simulation);
    if (clock.due(progress.seconds())) save_now();
  }
  output.write_hashes(simulation);
  save_now();
}

/// Everything from a simulation at its start to files at its end.
template <AnySimulation S>
int carry_out(const Job& job, S& simulation, const std::optional<Summary>& from) {
  const InterruptGuard guard;
  const std::uint64_t earlier_work = work_of(simulation);
  Progress progress(simulation.time(), job.end, kWork<S>, job.quiet);
  const auto note = [&](const std::string& status) {
    const RunInfo info = describe(job, simulation, progress.seconds(), status);
    write_run_info(job.directory / kInfoFile, info);
    return info.warnings;
  };
  note("running");
  try {
    Output output(job, from);
    advance_and_write(job, simulation, output, progress, from.has_value());
  } catch (const PhysicsError& error) {
    progress.finish();
    note(std::string("stopped: ") + error.what());
    throw;
  } catch (const std::exception&) {
    progress.finish();
    try {
      note("stopped: input or output failed");
    } catch (const IoError&) {  // the disk is still full; what failed first is told
    }
    throw;
  }
  progress.finish();
  const bool early = !simulation.has_reached(job.end);
  const std::vector<std::string> warnings = note(early ? "interrupted" : "finished");
  report(job, simulation, progress.seconds(), work_of(simulation) - earlier_work);
  for (const std::string& warning : warnings) say(stderr, "scree: warning: {}\n", warning);
  if (!early) return kOk;
  if (!job.quiet) say(stderr, "interrupted; to continue: scree resume {}\n", job.directory.string());
  return kInterrupted;
}

template <AnySimulation S>
void announce(const Job& job, const S& simulation) {
  if (job.quiet) return;
  if (!job.scene.title.empty()) say("{}\n", job.scene.title);
  say("{}\n", pace_of(simulation));
  if (simulation.time() > 0.0) say("continues from t = {:.6g} s\n", simulation.time());
  std::fflush(stdout);
}

/// When a run is to end: --until or the scene's end.
double end_of(const Scene& scene, const RunOptions& options) {
  const double end = options.until.value_or(scene.end);
  constexpr double kMostFrames = 1e6;
  if (end > kMostFrames * scene.output_every) {
    throw UsageError(
        fmt::format("--until: is {}, must be a number <= {} [s] (at most a million frames, one every output.every)",
                    number_text(end), number_text(kMostFrames * scene.output_every)));
  }
  return end;
}

/// Calls go_on with the simulation of a scene in the scene's mode, at time 0.
template <class Do>
int with_simulation(const Scene& scene, const RunOptions& options, const Do& go_on) {
  if (scene.mode == Mode::hard) {
    hard::SceneSimulation simulation(scene);
    return go_on(simulation);
  }
  soft::Simulation simulation(scene, {.threads = options.threads});
  return go_on(simulation);
}

}  // namespace

int run(const fs::path& file, const RunOptions& options) {
  Job job{
      .scene = read_scene(file), .scene_name = file.filename(), .directory = {}, .end = 0.0, .quiet = options.quiet};
  job.end = end_of(job.scene, options);
  job.directory = options.output.value_or(job.scene.output_directory);
  const auto overwrite = options.force ? Overwrite::an_earlier_one : Overwrite::never;
  require_room_for(Kind::run, job.directory, overwrite);
  return with_simulation(job.scene, options, [&](auto& simulation) {
    job.colours = Colours(job.scene, simulation.state().particles);
    make_directory(job.directory);
    const DirectoryLock lock(job.directory);
    require_room_for(Kind::run, job.directory, overwrite);  // still: nobody came in between
    remove(Kind::run, job.directory);
    announce(job, simulation);
    return carry_out(job, simulation, {});
  });
}

int resume(const fs::path& directory, const RunOptions& options) {
  require_saved_state(directory);
  const DirectoryLock lock(directory);
  const Checkpoint checkpoint = read_checkpoint(directory / kStateFile);
  Job job{.scene = parse_scene(checkpoint.scene_yaml, checkpoint.scene_name),
          .scene_name = checkpoint.scene_name,
          .directory = directory,
          .end = 0.0,
          .earlier_wall_time = checkpoint.wall_time,
          .measured = checkpoint.measurements,
          .quiet = options.quiet};
  job.end = end_of(job.scene, options);
  return with_simulation(job.scene, options, [&](auto& simulation) {
    job.colours = Colours(job.scene, simulation.state().particles);
    load(checkpoint, directory / kStateFile, simulation);
    if (simulation.has_reached(job.end)) {
      throw UsageError(
          options.until
              ? fmt::format("--until: is {}, must be a number > {} [s], which the run in {} has reached already",
                            number_text(job.end), number_text(simulation.time()), directory.string())
              : fmt::format("the run in {} has reached its end, t = {:.9g} s, already; allowed: --until with a later "
                            "time [s]",
                            directory.string(), simulation.time()));
    }
    announce(job, simulation);
    return carry_out(job, simulation, simulation.summary());
  });
}

}  // namespace scree::app
