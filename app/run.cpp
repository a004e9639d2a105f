#include "app/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <istream>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "app/errors.hpp"
#include "app/frame_output.hpp"
#include "app/hashing.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/ranks.hpp"
#include "app/replay.hpp"
#include "app/reports.hpp"
#include "app/run_control.hpp"
#include "app/run_directory.hpp"
#include "app/say.hpp"
#include "app/view.hpp"
#include "dem/errors.hpp"
#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/ranks/sharing.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/byte_streams.hpp"
#include "io/files/written.hpp"
#include "io/formats/checkpoint.hpp"
#include "io/formats/run_info.hpp"
#include "io/pages/colours.hpp"
#include "io/run_description.hpp"
#include "io/scene/scene_identity.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/tables/outflow.hpp"
#include "io/tables/progress.hpp"
#include "io/tables/tables.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/warnings.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

// Unless the scene gives a time, the state is saved every second, or so seldom that it takes no more than a fiftieth
// of the time.
constexpr double kBetweenSaves = 1.0;  // s
constexpr double kSavesApart = 50.0;   // durations of one

/// A run: the scene, where its output goes, and what was spent on it before.
struct Job {
  Scene scene;
  std::string scene_yaml = to_yaml(scene);
  std::string scene_name;
  fs::path directory;
  double end;  // [s]
  Colours colours = {};
  double earlier_wall_time = 0.0;  // [s]
  std::string measured = {};       // what was saved of the measurements
  Written written = {};            // up to the state from which it continues
  bool quiet = false;
  std::optional<ViewOptions> view = {};  // none: no live view
  std::string edits = {};                // what Python changed before; the scene has it, too
};

/// Everything a run writes.
class Output {
 public:
  explicit Output(const Job& job)
      : directory_(job.directory),
        frames_(job.scene, job.directory, job.colours, job.written),
        flow_(job.directory / "flow.csv", job.written),
        measuring_(job.scene, job.directory, job.measured, job.written) {
    const auto is_driven = [](const auto& wall) { return !std::holds_alternative<std::monostate>(wall.drive); };
    const bool has_drives = std::ranges::any_of(job.scene.walls, is_driven) ||
                            std::ranges::any_of(job.scene.soft.stages, [&](const Stage& one) {
                              return std::ranges::any_of(one.motions, is_driven);
                            });
    if (has_drives) drives_.emplace(job.directory / "drives.csv", job.written);
    if (job.scene.measure && job.scene.measure->collisions) {
      collisions_.emplace(job.directory / "collisions.csv", job.written);
    }
    if (job.scene.domain.cell) cell_.emplace(job.directory / "cell.csv", job.written);
  }

  bool is_new() const { return !frames_.last_time(); }

  template <AnySimulation S>
  void write_frame(S& simulation) {
    write_events(simulation);
    if (const auto last = frames_.last_time(); last && *last >= simulation.time()) return;  // is there already
    const FrameOutput::Driven driven = frames_.write(simulation);
    for (const DriveState& drive : driven.drives) drives_->add(simulation.time(), drive);
    if (driven.cell) cell_->add(simulation.time(), *driven.cell);
  }

  /// Where a run ends, for whatever reason, unless it is there already. Nothing that belongs to the saved state: a run
  /// that goes on writes over it, and is as one that never ended here.
  template <AnySimulation S>
  void write_end(S& simulation) {
    write_frame(simulation);
    write_hashes(simulation);
  }

  template <AnySimulation S>
  void write_hashes(const S& simulation) {
    frames_.write_hashes(simulation);
  }

  /// What happened since the last time: grains left, others collided.
  template <AnySimulation S>
  void write_events(S& simulation) {
    if constexpr (std::is_same_v<S, hard::SceneSimulation>) {
      if (collisions_) collisions_->add(simulation.take_collisions());
    }
    for (const Departure& departure : simulation.take_departures()) {
      if (to_come_again_ > 0) {
        --to_come_again_;
        continue;
      }
      flow_.add(departure);
      ++since_saved_;
    }
  }

  /// Brings to the disk what a state that is saved next counts on.
  void sync() {
    frames_.sync();
    flow_.sync();
    if (collisions_) collisions_->sync();
    if (drives_) drives_->sync();
    if (cell_) cell_->sync();
    measuring_.sync();
    sync_directory(directory_);
  }

  /// The simulation as it is now was saved, its departures written.
  void note_saved() { since_saved_ = 0; }
  /// The simulation is the one that was saved last: grains that left since will leave again.
  void note_gone_back() { to_come_again_ = since_saved_; }

  Measuring& measuring() { return measuring_; }

  Written written() const {
    Written written = frames_.written();
    flow_.add_to(written);
    if (collisions_) collisions_->add_to(written);
    if (drives_) drives_->add_to(written);
    if (cell_) cell_->add_to(written);
    measuring_.add_to(written);
    return written;
  }

 private:
  fs::path directory_;
  FrameOutput frames_;
  FlowTable flow_;
  std::optional<CollisionTable> collisions_;
  std::optional<DriveTable> drives_;
  std::optional<CellTable> cell_;
  Measuring measuring_;
  std::uint64_t since_saved_ = 0;  // departures written since the state was saved
  std::uint64_t to_come_again_ = 0;
};

template <AnySimulation S>
void save(const Job& job, const S& simulation, const std::string& measured, const Written& written) {
  write_checkpoint(job.directory / kStateFile,
                   {job.scene_name, job.scene_yaml, {}, state_hash(simulation), measured, written, job.edits},
                   [&](std::ostream& out) { simulation.save(out); });
}

/// To before the step in which something went wrong: from the last state that was saved, by the same steps.
template <AnySimulation S>
void go_back(const Job& job, S& simulation, Output& output) {
  const std::uint64_t bad = simulation.steps();
  const Checkpoint saved = read_checkpoint(job.directory / kStateFile);
  ByteView state(saved.state);
  std::istream in(&state);
  simulation.load(in);
  output.note_gone_back();
  simulation.advance_to(std::numeric_limits<double>::infinity(), bad - 1 - simulation.steps());
}

template <AnySimulation S>
void load(const Checkpoint& checkpoint, const Scene& scene, const fs::path& file, S& simulation) {
  ByteView bytes(checkpoint.state);
  std::istream state(&bytes);
  const auto refuse = [&](const std::string& why) {
    throw IoError(fmt::format("cannot resume from {}: {}", file.string(), why));
  };
  try {
    simulation.load(state);
    Measuring::require_sound(scene, checkpoint.measurements, simulation.transfers());
  } catch (const InvalidState& error) {  // the file itself is whole, by its checksum
    refuse(error.what());
  }
  if (state.peek() != std::istringstream::traits_type::eof()) refuse("it goes on behind its end");
  if (state_hash(simulation) != checkpoint.state_hash)
    refuse("its values are not those that this version of scree saves");
}

/// Throws IoError if this program reads another scene in a saved state than the one that saved it, or if the directory
/// is that of another scene.
void require_same_scene(const Checkpoint& checkpoint, const Job& job, const EarlierRun& earlier) {
  const auto refuse_if = [&](const std::optional<SceneDifference>& difference, const std::string& other,
                             const std::string& allowed) {
    if (!difference) return;
    throw IoError(fmt::format(
        "cannot resume {}: {} is {} in {}, but {} {}; allowed: {}, or scree run --force to begin again",
        job.directory.string(), difference->key, difference->first, kStateFile, difference->second, other, allowed));
  };
  if (job.scene_yaml != checkpoint.scene_yaml) {
    refuse_if(first_difference(checkpoint.scene_yaml, job.scene_yaml), "for this version of scree",
              "the scree that saved it");
  }
  if (earlier.scene_hash.empty() || earlier.scene_hash == scene_hash(job.scene)) return;
  refuse_if(first_difference(checkpoint.scene_yaml, earlier.scene_yaml), fmt::format("in {}", kInfoFile),
            "the saved state of this run");
}

template <AnySimulation S>
RunInfo describe(const Job& job, const S& simulation, double wall_time, const std::string& status) {
  RunInfo info = describe(job.scene, whole_of(simulation));
  info.scene_file = job.scene_name;
  info.wall_time = job.earlier_wall_time + wall_time;
  info.until = job.end;
  info.status = status;
  info.edits = job.edits;
  return info;
}

template <AnySimulation S>
void report(const Job& job, const S& simulation, double wall_time, std::uint64_t work) {
  if (job.quiet) return;
  const Summary summary = simulation.summary();
  say("{} at t = {:.6g} s, after {} of computing ({} {}/s)\n",
      simulation.is_over() || simulation.has_reached(job.end) ? "finished" : "interrupted", summary.time,
      duration_text(wall_time), count_text(static_cast<double>(work) / std::max(wall_time, 1e-9)), kWork<S>);
  say("{} particles, kinetic energy {:.3g} J\n", summary.particles, summary.kinetic_energy);
  print_details(job.scene, whole_of(simulation));
  print_ranks(simulation);
  say("energy balance: closed to within {:.1g} of the energy throughput (energy_residual)\n",
      std::abs(summary.energy_residual));
  if (summary.particles_out > 0) {
    say("{} particles left the domain (flow.csv)\n", summary.particles_out);
    const NumberTable left = read_number_table(read_file(job.directory / "flow.csv"));
    const std::string stands =
        why_it_stopped(outflow_of(left, summary.time, summary.particles), summary.time, summary.particles);
    if (!stands.empty()) say("{}\n", stands);
  }
  if (summary.particles_owed > 0) {
    say("placed {} of {} grains: {} are due but have no free position yet; try a larger pour.region or a lower rate\n",
        summary.particles_in, summary.particles_in + summary.particles_owed, summary.particles_owed);
  }
  say("search for neighbours (broadphase): {}\n", simulation.broadphase_reason());
  const std::string directory = job.directory.string();
  if (job.scene.output_replay) {
    say("written to {}; to look at it, open {}/replay.html in a browser\n", directory, directory);
  } else {
    say("written to {}; to look at it in a browser: scree replay {}\n", directory, directory);
  }
}

/// When the state, or run.json, ought to be written.
class SaveClock {
 public:
  /// @param every as the scene has it [s]
  explicit SaveClock(const std::optional<double>& every) : every_(every) {}
  bool due(double now) const { return now - last_ > every_.value_or(std::max(kBetweenSaves, kSavesApart * duration_)); }
  void saved(double from, double to) {
    last_ = to;
    duration_ = to - from;
  }

 private:
  std::optional<double> every_;
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
/// @param note_running writes run.json
/// @param control of the live view; null: there is none
template <AnySimulation S, class Note>
void advance_and_write(const Job& job, S& simulation, Output& output, Progress& progress, RunControl* control,
                       const Note& note_running) {
  constexpr bool kSoft = !std::is_same_v<S, hard::SceneSimulation>;
  const std::uint64_t earlier_work = work_of(simulation);
  const double every = job.scene.output_every;
  SaveClock state_clock(job.scene.checkpoint_every);
  SaveClock info_clock({});
  const auto save_now = [&] {
    output.write_events(simulation);
    output.sync();
    save(job, simulation, output.measuring().save(), output.written());
    output.note_saved();
    output.measuring().write_averages();
  };
  const auto when_due = [&](SaveClock& clock, const auto& write) {
    const double from = progress.seconds();
    if (!clock.due(from)) return;
    write();
    clock.saved(from, progress.seconds());
  };
  const auto take_samples = [&] {
    if (simulation.has_reached(output.measuring().next())) output.measuring().take(simulation);
  };
  if (output.is_new()) {
    output.write_hashes(simulation);
    output.write_frame(simulation);
    take_samples();
  }
  std::uint64_t chunk = 16;  // steps or events between checks of the clock and for Ctrl-C: some 0.1 s
  const auto is_over = [&] { return simulation.is_over() || simulation.has_reached(job.end); };
  const auto wait_while_paused = [&] {
    if (control == nullptr) return;
    control->wait_while_paused([&](double seconds) {
      progress.leave_out(seconds);
      progress.show({simulation.time(), simulation.particles(), work_of(simulation) - earlier_work, "paused"});
    });
  };
  while (wait_while_paused(), !interrupted() && !is_over()) {
    const double frame = next_frame(simulation, every);
    const double target = std::min({frame, job.end, output.measuring().next()});
    const double before = progress.seconds();
    const std::uint64_t piece = std::min(chunk, steps_to_hashes(simulation));
    try {
      simulation.advance_to(target, piece);
      if constexpr (kSoft) {
        if (is_over()) simulation.check_all();
      }
    } catch (const PhysicsError&) {
      if constexpr (kSoft) {
        go_back(job, simulation, output);
        save_now();
      }
      output.write_end(simulation);  // so that what led to it can be seen
      throw;
    }
    output.write_events(simulation);  // before there are too many for the memory
    const double spent = progress.seconds() - before;
    if (spent < 0.05 && piece == chunk && !simulation.has_reached(target)) chunk *= 2;
    if (spent > 0.2 && chunk > 1) chunk /= 2;
    if (hashes_are_due(simulation)) output.write_hashes(simulation);
    progress.show({simulation.time(), simulation.particles(), work_of(simulation) - earlier_work,
                   stage_of(job.scene, simulation)});
    take_samples();
    if (simulation.has_reached(frame)) {
      output.write_frame(simulation);
      if (control != nullptr) control->note_frame();
    }
    when_due(state_clock, save_now);
    when_due(info_clock, note_running);
  }
  save_now();
  output.write_end(simulation);
  output.sync();
}

/// How long a grain that is poured falls to the lower side of the domain [s]; 0 in hard mode, where it is not known
/// what a disk in a bed costs.
double falling_time(const Scene& scene, const Pour& pour) {
  const double gravity = scene.gravity.norm();
  if (gravity == 0.0 || scene.mode == Mode::hard) return 0.0;
  const Vec2 down = scene.gravity / gravity;
  const Vec2 lowest = (down.array() > 0.0).select(scene.domain.hi, scene.domain.lo);
  const double height = std::max(down.dot(lowest - 0.5 * (pour.region.lo + pour.region.hi)), 0.0);
  const double speed = down.dot(pour.velocity);
  return (std::sqrt(speed * speed + 2.0 * gravity * height) - speed) / gravity;
}

/// When a scene's particles arrive. @param scene is kept
Arrivals arrivals(const Scene& scene, const Summary& now) {
  const auto poured = [&scene](double time, double falling) {
    double sum = 0.0;
    for (const ParticleGroup& group : scene.particles) {
      const auto* pour = std::get_if<Pour>(&group.how);
      if (pour != nullptr) sum += static_cast<double>(due(*pour, time - falling * falling_time(scene, *pour)));
    }
    return sum;
  };
  const double at_the_start = static_cast<double>(now.particles_in + now.particles_owed) - poured(now.time, 0.0);
  return {.due = [poured, at_the_start](double time) { return at_the_start + poured(time, 0.0); },
          .settled = [poured, at_the_start](double time) { return at_the_start + poured(time, 1.0); },
          .walls = static_cast<double>(scene.walls.size())};
}

/// Everything from a simulation at its start to files at its end.
template <AnySimulation S>
int carry_out(const Job& job, S& simulation) {
  const InterruptGuard guard;
  const std::uint64_t earlier_work = work_of(simulation);
  Progress progress({0.0, job.end}, arrivals(job.scene, simulation.summary()), kWork<S>, job.quiet);
  const auto note = [&](const std::string& status) {
    const RunInfo info = describe(job, simulation, progress.seconds(), status);
    write_run_info(job.directory / kInfoFile, info);
    sync_directory(job.directory);
    return info.warnings;
  };
  std::optional<View> view;
  if (job.view) view.emplace(job.directory, View::May::control, *job.view);
  note("running");
  try {
    Output output(job);
    advance_and_write(job, simulation, output, progress, view ? &view->control() : nullptr, [&] { note("running"); });
  } catch (const PhysicsError& error) {
    progress.finish();
    note(std::string("stopped: ") + error.what());
    throw;
  } catch (const std::exception&) {
    progress.finish();
    try {
      note("stopped: input or output failed");
    } catch (const IoError&) {  // the disk is still full; the first error is reported
    }
    throw;
  }
  progress.finish();
  const bool early = !simulation.is_over() && !simulation.has_reached(job.end);
  const std::vector<std::string> warnings = note(early ? "interrupted" : "finished");
  if (job.scene.output_replay) {
    ReplayCommand command;
    command.quiet = true;
    replay(job.directory, command);
  }
  report(job, simulation, progress.seconds(), work_of(simulation) - earlier_work);
  for (const std::string& warning : warnings) say(stderr, "scree: warning: {}\n", warning);
  if (!early) return kOk;
  if (!job.quiet) say(stderr, "interrupted; to continue: scree resume {}\n", job.directory.string());
  return kInterrupted;
}

template <AnySimulation S>
void announce(const Job& job, const S& simulation) {
  if (job.quiet) return;
  if (!job.scene.title.empty()) say("{}\n", shortened(job.scene.title, 200));
  say("{}; {:.6g} s are simulated\n{}\n", mode_of(simulation), job.end, pace_of(simulation));
  say("{}", idle_threads_of(simulation));
  if (simulation.time() > 0.0) say("continues from t = {:.6g} s\n", simulation.time());
  std::fflush(stdout);
  if (job.scene.mode == Mode::hard || simulation.time() > 0.0) return;
  if (const auto too_deep = too_deep_impacts(job.scene)) say(stderr, "scree: warning: {}\n", *too_deep);
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

/// @param start of the scene
template <AnySimulation S>
Colours colours_of(const Scene& scene, const S& start) {
  return {scene, Colours::follow_from_start(scene) ? start.state().particles : ParticleState{}};
}

/// Calls go_on with the simulation of a scene in the scene's mode, at time 0.
/// @param crew null: it is alone
template <class Do>
int with_simulation(const Job& job, const RunOptions& options, MadeFor made_for, Crew* crew, const Do& go_on) {
  const Scene& scene = job.scene;
  if (crew != nullptr) {
    soft::require_shareable(scene);
    crew->begin(scene, job.scene_name);
    soft::RankedSimulation simulation(scene, {.threads = threads_of_rank(options.threads), .made_for = made_for},
                                      crew->ranks());
    return go_on(simulation);
  }
  if (scene.mode == Mode::hard) {
    constexpr int kUnlessAsked = 1;  // more pay for many disks only
    hard::SceneSimulation simulation(scene, {}, options.threads == 0 ? kUnlessAsked : options.threads, made_for);
    return go_on(simulation);
  }
  soft::Simulation simulation(scene, {.threads = options.threads, .made_for = made_for});
  return go_on(simulation);
}

}  // namespace

int run(const fs::path& file, const RunOptions& options, Crew* crew) {
  if (options.view) require_live_server();
  Job job{.scene = read_scene(file, {}, options.settings),
          .scene_name = file.filename(),
          .directory = {},
          .end = 0.0,
          .quiet = options.quiet,
          .view = options.view};
  job.end = end_of(job.scene, options);
  job.directory = options.output.value_or(job.scene.output_directory);
  const auto overwrite = options.force ? Overwrite::an_earlier_one : Overwrite::never;
  require_room_for(Kind::run, job.directory, overwrite);
  return with_simulation(job, options, MadeFor::start, crew, [&](auto& simulation) {
    job.colours = colours_of(job.scene, simulation);
    make_directory(job.directory);
    const DirectoryLock lock(job.directory);
    require_room_for(Kind::run, job.directory, overwrite);  // still: no other run has begun in it
    remove(Kind::run, job.directory);
    // First of all, so that a run that is killed can be resumed from then on.
    save(job, simulation, {}, {});
    announce(job, simulation);
    return carry_out(job, simulation);
  });
}

int resume(const fs::path& directory, const RunOptions& options, Crew* crew) {
  if (options.view) require_live_server();
  require_saved_state(directory);
  const DirectoryLock lock(directory);
  const Checkpoint checkpoint = read_last_checkpoint(
      directory / kStateFile, [](const std::string& warning) { say(stderr, "scree: {}\n", warning); });
  const EarlierRun earlier = read_run_info(directory / kInfoFile);
  Job job{.scene = parse_saved_scene(checkpoint.scene_yaml, checkpoint.scene_name),
          .scene_name = checkpoint.scene_name,
          .directory = directory,
          .end = 0.0,
          .earlier_wall_time = earlier.wall_time,
          .measured = checkpoint.measurements,
          .written = checkpoint.written,
          .quiet = options.quiet,
          .view = options.view,
          .edits = checkpoint.edits};
  require_same_scene(checkpoint, job, earlier);
  job.end = end_of(job.scene, options);
  // A scene that was changed on the way need not be one that can start; grains that are loaded need not be made.
  const bool must_start = job.scene.mode == Mode::hard || Colours::follow_from_start(job.scene);
  const MadeFor made_for = job.edits.empty() && must_start ? MadeFor::start : MadeFor::load;
  return with_simulation(job, options, made_for, crew, [&](auto& simulation) {
    if (made_for == MadeFor::start) job.colours = colours_of(job.scene, simulation);
    load(checkpoint, job.scene, directory / kStateFile, simulation);
    if (made_for == MadeFor::load) job.colours = colours_of(job.scene, simulation);
    if constexpr (std::is_same_v<decltype(simulation), hard::SceneSimulation&>) {
      if (simulation.runs_backward()) {
        throw UsageError(fmt::format("the run in {} goes back in time; allowed: scree rewind with --to, to go on back",
                                     directory.string()));
      }
    }
    // A run that was cut off behind its last save has its last files to write.
    const bool lacks_its_end = !options.until && earlier.status != "finished";
    if (simulation.is_over() && earlier.status == "finished") {
      throw UsageError(fmt::format(
          "the run in {} is over since t = {:.9g} s: {}; allowed: another run that begins with it "
          "(start.from)",
          directory.string(), simulation.time(),
          job.scene.soft.stages.empty() ? "the grains are at rest (time.until)" : "the last of its stages has ended"));
    }
    if (simulation.has_reached(job.end) && !lacks_its_end) {
      throw UsageError(
          options.until
              ? fmt::format("--until: is {}, must be a number > {} [s], which the run in {} has reached already",
                            number_text(job.end), number_text(simulation.time()), directory.string())
              : fmt::format("the run in {} has reached its end, t = {:.9g} s, already; allowed: --until with a later "
                            "time [s]",
                            directory.string(), simulation.time()));
    }
    require_all_written(directory, job.written);
    remove_unfinished(directory);
    announce(job, simulation);
    return carry_out(job, simulation);
  });
}

}  // namespace scree::app
