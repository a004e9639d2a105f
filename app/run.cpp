#include "app/run.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <sstream>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "io/atomic_file.hpp"
#include "io/checkpoint.hpp"
#include "io/errors.hpp"
#include "io/progress.hpp"
#include "io/run_info.hpp"
#include "io/scene_error.hpp"
#include "io/scene_reader.hpp"
#include "io/scene_writer.hpp"
#include "io/tables.hpp"
#include "io/version.hpp"
#include "io/view_script.hpp"
#include "io/vtk_writer.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "state.scree";
constexpr const char* kInfoFile = "run.json";

volatile std::sig_atomic_t interrupted = 0;

/// The first Ctrl-C ends the run in order, the second at once.
extern "C" void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
  }
  ~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// A run: the scene, where its output goes, and what was spent on it before.
struct Job {
  Scene scene;
  std::string scene_name;
  fs::path directory;
  double earlier_wall_time = 0.0;  // [s]
  bool quiet = false;
};

/// Everything a run writes.
class Output {
 public:
  /// @param resume_at time of the state that a resumed run goes on from [s]
  Output(const Job& job, std::optional<double> resume_at)
      : frames_(job.directory, resume_at ? read_frames(job.directory, *resume_at) : std::vector<Frame>{}),
        series_(job.directory / "series.csv", resume_at),
        flow_(job.directory / "flow.csv", resume_at) {
    write_view_script(job.directory, job.scene.title);
  }

  template <AnySimulation S>
  void write_frame(S& simulation) {
    write_departures(simulation);
    if (!frames_.frames().empty() && frames_.frames().back().time >= simulation.time()) return;  // is there already
    frames_.write(simulation.state());
    series_.add(simulation.summary());
  }

  template <AnySimulation S>
  void write_departures(S& simulation) {
    for (const Departure& departure : simulation.take_departures()) flow_.add(departure);
  }

 private:
  VtkSeries frames_;
  SeriesTable series_;
  FlowTable flow_;
};

void save(const Job& job, const soft::Simulation& simulation, double wall_time) {
  std::ostringstream state;
  simulation.save(state);
  write_checkpoint(job.directory / kStateFile,
                   {job.scene_name, to_yaml(job.scene), job.earlier_wall_time + wall_time, std::move(state).str()});
}

RunInfo describe(const Job& job, const soft::Simulation& simulation, double wall_time, const std::string& status) {
  RunInfo info;
  info.version = version();
  info.commit = commit();
  info.compiler = compiler();
  info.scene_file = job.scene_name;
  info.title = job.scene.title;
  info.scene_yaml = to_yaml(job.scene);
  info.seed = job.scene.seed;
  info.threads = simulation.threads();
  info.step = simulation.dt();
  info.step_reason = simulation.step_reason();
  info.wall_time = job.earlier_wall_time + wall_time;
  info.end_time = simulation.time();
  info.steps = simulation.steps();
  info.particle_steps = simulation.particle_steps();
  info.status = status;
  info.state_hash = state_hash(simulation);
  const auto present = simulation.present_depths();
  for (const int p : {50, 95, 99}) {
    info.depth_percentiles["impacts p" + std::to_string(p)] = simulation.impact_depths().percentile(p);
    info.depth_percentiles["now p" + std::to_string(p)] = present.percentile(p);
  }
  return info;
}

void report(const Job& job, const soft::Simulation& simulation, double wall_time, std::uint64_t particle_steps) {
  if (job.quiet) return;
  const Summary summary = simulation.summary();
  const auto percent = [](const soft::DepthHistogram& depths, double p) { return 100.0 * depths.percentile(p); };
  const auto& impacts = simulation.impact_depths();
  const auto present = simulation.present_depths();
  std::printf("t = %.6g s: %llu particles, %llu contacts, coordination number %.2f, kinetic energy %.3g J\n",
              summary.time, static_cast<unsigned long long>(summary.particles),
              static_cast<unsigned long long>(summary.contacts), summary.coordination, summary.kinetic_energy);
  std::printf(
      "depth over the smaller grain's diameter, 50 / 95 / 99 %% of the contacts below:\n"
      "  now %.2f / %.2f / %.2f %%, in impacts %.2f / %.2f / %.2f %%\n",
      percent(present, 50), percent(present, 95), percent(present, 99), percent(impacts, 50), percent(impacts, 95),
      percent(impacts, 99));
  if (summary.particles_out > 0) {
    std::printf("%llu particles left the domain (flow.csv)\n", static_cast<unsigned long long>(summary.particles_out));
  }
  if (summary.particles_owed > 0) {
    std::printf(
        "shortfall: %llu grains are due and found no free place yet; try a larger pour.region or a lower rate\n",
        static_cast<unsigned long long>(summary.particles_owed));
  }
  std::printf("%s on %d threads, %s particle-steps/s\n", duration_text(wall_time).c_str(), simulation.threads(),
              count_text(static_cast<double>(particle_steps) / std::max(wall_time, 1e-9)).c_str());
  std::printf("written to %s; to watch: paraview --script=%s\n", job.directory.c_str(),
              (job.directory / "view.py").c_str());
}

/// The output loop: advance to the next frame, write it, from time to time save the state.
int advance_and_write(const Job& job, soft::Simulation& simulation, std::optional<double> resume_at) {
  const InterruptGuard guard;
  const Scene& scene = job.scene;
  const std::uint64_t earlier_particle_steps = simulation.particle_steps();
  Progress progress(simulation.time(), scene.end, job.quiet);
  Output output(job, resume_at);
  const auto finish = [&](const std::string& status) {
    progress.finish();
    write_run_info(job.directory / kInfoFile, describe(job, simulation, progress.seconds(), status));
  };
  finish("running");
  double saved_at = 0.0;
  std::uint64_t chunk = 16;  // steps between looks at the clock and for Ctrl-C: some 0.1 s
  try {
    if (!resume_at) output.write_frame(simulation);
    while (!interrupted && simulation.time() < scene.end - 1e-9 * simulation.dt()) {
      const double frame = std::floor(simulation.time() / scene.output_every + 1e-9) + 1.0;
      const double target = std::min(frame * scene.output_every, scene.end);
      while (!interrupted && simulation.time() < target - 1e-9 * simulation.dt()) {
        const double before = progress.seconds();
        simulation.advance_to(target, chunk);
        const double spent = progress.seconds() - before;
        if (spent < 0.05) chunk *= 2;
        if (spent > 0.2 && chunk > 1) chunk /= 2;
        progress.show(
            {simulation.time(), simulation.particles(), simulation.particle_steps() - earlier_particle_steps});
      }
      output.write_frame(simulation);
      if (constexpr double kBetweenSaves = 5.0; progress.seconds() - saved_at > kBetweenSaves) {  // s
        save(job, simulation, progress.seconds());
        saved_at = progress.seconds();
      }
    }
  } catch (const PhysicsError& error) {
    output.write_frame(simulation);  // so that what went wrong can be looked at
    finish(std::string("stopped: ") + error.what());
    throw;
  }
  save(job, simulation, progress.seconds());
  finish(interrupted ? "interrupted" : "finished");
  report(job, simulation, progress.seconds(), simulation.particle_steps() - earlier_particle_steps);
  if (!interrupted) return kOk;
  std::fprintf(stderr, "interrupted; go on with: scree resume %s\n", job.directory.c_str());
  return kInterrupted;
}

bool holds_a_run(const fs::path& directory) {
  return fs::exists(directory / kInfoFile) || fs::exists(directory / kStateFile) ||
         fs::exists(directory / "series.csv");
}

/// An earlier run's files go; nothing else in the directory does.
void remove_run(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    const std::string extension = entry.path().extension();
    if (name == kStateFile || name == kInfoFile || name == "series.csv" || name == "flow.csv" || extension == ".pvd" ||
        extension == ".vtp") {
      fs::remove(entry.path());
    }
  }
}

void announce(const Job& job, const soft::Simulation& simulation) {
  if (job.quiet) return;
  if (!job.scene.title.empty()) std::printf("%s\n", job.scene.title.c_str());
  std::printf("%s\n", simulation.step_reason().c_str());
  std::fflush(stdout);
}

}  // namespace

int run(const fs::path& file, const RunOptions& options) {
  Job job{.scene = read_scene(file), .scene_name = file.filename(), .directory = {}, .quiet = options.quiet};
  if (options.until) job.scene.end = *options.until;
  if (options.output) job.scene.output_directory = *options.output;
  job.directory = job.scene.output_directory;
  soft::Simulation simulation(job.scene, {.threads = options.threads});
  if (fs::exists(job.directory) && !(fs::is_directory(job.directory) && fs::is_empty(job.directory))) {
    if (!options.force) {
      throw IoError(job.directory.string() +
                    " exists already and is not overwritten; allowed: --force, another --output, or scree resume");
    }
    if (!fs::is_directory(job.directory) || !holds_a_run(job.directory)) {
      throw IoError(job.directory.string() + " exists and holds no run of scree: not overwritten even with --force");
    }
    remove_run(job.directory);
  }
  make_directory(job.directory);
  announce(job, simulation);
  return advance_and_write(job, simulation, {});
}

int resume(const fs::path& directory, const RunOptions& options) {
  const Checkpoint checkpoint = read_checkpoint(directory / kStateFile);
  Job job{.scene = parse_scene(checkpoint.scene_yaml, checkpoint.scene_name),
          .scene_name = checkpoint.scene_name,
          .directory = directory,
          .earlier_wall_time = checkpoint.wall_time,
          .quiet = options.quiet};
  if (options.until) job.scene.end = *options.until;
  soft::Simulation simulation(job.scene, {.threads = options.threads});
  std::istringstream state(checkpoint.state);
  simulation.load(state);
  if (simulation.time() >= job.scene.end - 1e-9 * simulation.dt()) {
    throw InvalidScene("--until", "the run in " + directory.string() + " has reached t = " +
                                      std::to_string(simulation.time()) + " s already; allowed: a later time");
  }
  announce(job, simulation);
  return advance_and_write(job, simulation, simulation.time());
}

}  // namespace scree::app
