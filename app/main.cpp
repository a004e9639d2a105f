#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/compare.hpp"
#include "app/diverge.hpp"
#include "app/ensemble.hpp"
#include "app/errors.hpp"
#include "app/help.hpp"
#include "app/inspect.hpp"
#include "app/new.hpp"
#include "app/pictures.hpp"
#include "app/ranks.hpp"
#include "app/replay.hpp"
#include "app/report.hpp"
#include "app/rewind.hpp"
#include "app/run.hpp"
#include "app/say.hpp"
#include "app/view.hpp"
#include "app/watch.hpp"
#include "dem/errors.hpp"
#include "dem/soft/lanes/kernels.hpp"
#include "io/pages/picture.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_schema.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"
#include "io/text/number_text.hpp"
#include "io/text/version.hpp"
#include "io/yaml/scene_error.hpp"
#include "io/yaml/yaml_value.hpp"
#include "parallel/huge_pages.hpp"

namespace {

using namespace scree::app;

const std::vector<std::string> kCommands = {"run",     "resume", "rewind",  "check",  "compare", "ensemble",
                                            "diverge", "view",   "watch",   "replay", "report",  "picture",
                                            "film",    "new",    "inspect", "schema", "help"};

/// Whatever the message holds, it does not flood a terminal, nor does that obey it.
int fail(int code, const std::string& message) {
  constexpr std::size_t kLongestLine = 2000;
  std::istringstream lines(message);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += scree::shortened(line, kLongestLine) + '\n';
  say(stderr, "scree: {}", text);
  return code;
}

/// With its place in the scene, if that is still there.
std::string invalid_scene(const scree::InvalidScene& error, const std::string& scene, const scree::Settings& settings) {
  try {
    return scree::with_place(error, scene, settings).what();
  } catch (const std::exception&) {
    return (scene.empty() ? "" : scree::shortened(scene, 200) + ": ") + error.what();
  }
}

// CLI11 asks these for what is wrong with a text, and puts the option's name before the answer.

std::string not_a_time(const std::string& text) {
  const auto time = scree::parse_number<double>(text);
  if (time && std::isfinite(*time) && *time > 0.0) return {};
  return fmt::format("is '{}', must be a number > 0 [s]", scree::shortened(text));
}

std::string not_a_number_of_threads(const std::string& text) {
  const auto threads = scree::parse_number<int>(text);
  if (threads && *threads >= 1 && *threads <= 1024) return {};
  return fmt::format("is '{}', must be a whole number from 1 to 1024", scree::shortened(text));
}

std::string not_a_number_of_runs(const std::string& text) {
  const auto runs = scree::parse_number<int>(text);
  if (runs && *runs >= 1 && *runs <= 100) return {};
  return fmt::format("is '{}', must be a whole number from 1 to 100", text);
}

std::string not_a_number_of_seeds(const std::string& text) {
  const auto runs = scree::parse_number<int>(text);
  if (runs && *runs >= 1 && *runs <= 10'000) return {};
  return fmt::format("is '{}', must be a whole number from 1 to 10000", scree::shortened(text));
}

/// The numbers > 0 of a list like 1e4,1e5 that rise; none if it is no such list.
std::vector<double> rising_numbers(const std::string& text) {
  std::vector<double> list;
  std::istringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const auto value = scree::parse_number<double>(word);
    const double least = list.empty() ? 0.0 : list.back();
    if (!value || !(*value > least && *value <= scree::kLargestNumber)) return {};
    list.push_back(*value);
  }
  return list;
}

std::string not_a_list_of_stiffnesses(const std::string& text) {
  if (rising_numbers(text).size() >= 2) return {};
  return fmt::format("is '{}', must be a list of at least two increasing numbers > 0 [N/m], like 1e4,1e5,1e6",
                     scree::shortened(text));
}

std::string not_a_list_of_times(const std::string& text) {
  if (!rising_numbers(text).empty()) return {};
  return fmt::format("is '{}', must be a list of increasing numbers > 0 [s], like 0.1,0.5,1", scree::shortened(text));
}

std::string not_a_port(const std::string& text) {
  const auto port = scree::parse_number<int>(text);
  if (port && *port >= 1 && *port <= 65535) return {};
  return fmt::format("is '{}', must be a whole number from 1 to 65535", scree::shortened(text));
}

std::string not_a_number_of_frames(const std::string& text) {
  const auto frames = scree::parse_number<std::size_t>(text);
  if (frames && *frames >= 1) return {};
  return fmt::format("is '{}', must be a whole number from 1 on", scree::shortened(text));
}

std::string not_a_width(const std::string& text) {
  const auto width = scree::parse_number<int>(text);
  if (width && *width >= 100 && *width <= 16000) return {};
  return fmt::format("is '{}', must be a whole number of pixels from 100 to 16000", scree::shortened(text));
}

std::string not_a_moment(const std::string& text) {
  const auto time = scree::parse_number<double>(text);
  if (time && std::isfinite(*time) && *time >= 0.0) return {};
  return fmt::format("is '{}', must be a number >= 0 [s]", scree::shortened(text));
}

std::string not_a_frame_rate(const std::string& text) {
  const auto rate = scree::parse_number<int>(text);
  if (rate && *rate >= 1 && *rate <= 120) return {};
  return fmt::format("is '{}', must be a whole number from 1 to 120", scree::shortened(text));
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) list.push_back(word);
  return list;
}

std::string not_a_list_of_arrays(const std::string& text) {
  const std::vector<std::string>& known = scree::grain_arrays();
  for (const std::string& word : words(text)) {
    if (std::ranges::find(known, word) != known.end()) continue;
    return fmt::format("has '{}'{}, must be a list of {}, with commas between them", scree::shortened(word),
                       scree::did_you_mean(word, known), scree::one_of_text(known));
  }
  return {};
}

std::string not_a_colour(const std::string& text) {
  const std::vector<std::string>& known = scree::grain_colours();
  if (std::ranges::find(known, text) != known.end()) return {};
  return fmt::format("is '{}'{}, must be {}", scree::shortened(text), scree::did_you_mean(text, known),
                     scree::one_of_text(known));
}

std::string not_a_path(const std::string& text) {
  if (text.empty()) return "is empty, must be a name";
  const bool has_controls = std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  return has_controls ? fmt::format("is '{}', must be a name without control characters", scree::shortened(text))
                      : std::string();
}

template <class Options>
void add_common_options(CLI::App& command, Options& options) {
  command
      .add_option(
          "--threads", options.threads,
          "Number of threads (default: one per core, or one alone where that is faster; in hard mode, one); never "
          "changes results")
      ->type_name("N")
      ->check(not_a_number_of_threads);
  command.add_flag("--quiet", options.quiet, "Print errors and warnings only");
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--until", options.until, "Simulated time to stop at [s], instead of the scene's end")
      ->type_name("SECONDS")
      ->check(not_a_time);
  add_common_options(command, options);
}

CLI::Option* add_port(CLI::App& command, std::optional<int>& port) {
  return command
      .add_option("--port", port, "Port of the address of the view (default, and if it is taken: any that is free)")
      ->type_name("N")
      ->check(not_a_port);
}

/// The options of the live view.
void add_view_options(CLI::App& command, bool& has_view, std::optional<int>& port) {
  command.add_flag("--view", has_view,
                   "Serve a page that shows the run in a browser on this machine, and can pause and stop it; never "
                   "changes results (docs/showing.md)");
  add_port(command, port);
}

CLI::Option* add_path(CLI::App& command, const std::string& name, std::string& path, const std::string& description) {
  return command.add_option(name, path, description)->type_name("")->check(not_a_path);
}

/// Each time it is given it has one value, and all of them count.
void make_repeatable(CLI::Option* option) {
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
}

void add_settings(CLI::App& command, scree::Settings& settings) {
  make_repeatable(
      command
          .add_option("--set", settings,
                      "Value instead of the scene's, as often as you like: --set materials.stone.friction=0.3, or of "
                      "one of its parameters: --set radius=0.01")
          ->type_name("KEY=VALUE"));
}

void add_colour(CLI::App& command, std::string& colour) {
  command
      .add_option("--colour", colour,
                  "What colours grains: " + scree::one_of_text(scree::grain_colours()) +
                      " (default: scene if it gives colours, else speed)")
      ->type_name("NAME")
      ->check(not_a_colour);
}

/// How pictures and films look.
void add_look_options(CLI::App& command, scree::PictureOptions& look, bool& no_chains, bool& no_words) {
  command.add_option("--width", look.width, "Width in pixels (default: 1200); the height follows")
      ->type_name("N")
      ->check(not_a_width);
  command.add_flag("--no-chains", no_chains, "Leave out the forces between grains");
  command.add_flag("--no-words", no_words, "Leave out title, time and scales");
}

/// What the command line got wrong and what is allowed, for people.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  const bool has_command = !app.get_subcommands().empty();
  const CLI::App& command = has_command ? *app.get_subcommands().front() : app;
  const std::string name = has_command ? "scree " + command.get_name() : "scree";
  const std::string help = fmt::format("\n{} --help says more", name);

  const std::vector<std::string> rest = app.remaining(true);
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& word : option->get_lnames()) options.push_back("--" + word);
  }
  const auto dashed =
      std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (dashed != rest.end()) {
    const std::string option = scree::shortened(dashed->substr(0, dashed->find('=')));
    if (std::find(options.begin(), options.end(), option) != options.end()) {
      return fmt::format("{}: is before {}, must be after it{}", option, command.get_name(), help);
    }
    return fmt::format("{}: is not an option of {}{}, must be {}{}", option, name, scree::did_you_mean(option, options),
                       scree::one_of_text(options), help);
  }
  if (!has_command) {
    const std::string problem = rest.empty() ? "the command is missing"
                                             : fmt::format("'{}' is not a command{}", scree::shortened(rest.front()),
                                                           scree::did_you_mean(rest.front(), kCommands));
    return fmt::format("{}, must be {}{}", problem, scree::one_of_text(kCommands), help);
  }
  if (!rest.empty()) {
    return fmt::format("'{}' is one argument too many for {}{}", scree::shortened(rest.front()), name, help);
  }
  const std::string problem = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    return fmt::format("{}: must be given once, with a value{}", problem.substr(0, problem.find(':')), help);
  }
  return problem + help;
}

/// A stream that is closed would lend its number to the next file that is opened, and what we print would go there.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    while (fcntl(stream, F_GETFD) == -1) {
      if (open("/dev/null", O_RDWR) == -1) return;
    }
  }
}

/// Whether all that was printed has arrived.
int printed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return fail(kInputOutput, "cannot write to the standard output");
}

/// @throws UsageError if SCREE_LANES is not a number of lanes
void require_lanes() {
  try {
    scree::soft::lanes::kernels();
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

int print_schema() {
  say("{}", scree::scene_schema());
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  scree::give_large_arrays_their_own_pages();
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // scree run ... | head is no reason to stop
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error like others

  CLI::App app{"scree: granular matter made of convex polygons and disks, in two dimensions"};
  app.name("scree");
  app.set_version_flag("--version", fmt::format("scree {} ({})", scree::version(), scree::commit()));
  app.require_subcommand(1);
  app.footer(
      "A scene is a YAML file; docs/scene.md describes it. Its key mode chooses soft grains (time steps) or hard\n"
      "grains (event-driven). First steps:\n"
      "  scree check examples/heap.yaml\n"
      "  scree run examples/heap.yaml\n"
      "  scree replay out/heap          and open out/heap/replay.html in a browser\n"
      "scree new writes a commented scene to begin with, scree inspect says what a file holds.\n"
      "scree help answers questions of physics and numerics. docs/tutorial.md goes from an empty file to a figure.\n"
      "Ctrl-C saves the state and stops a run; scree resume continues it. A second Ctrl-C stops it at once.\n"
      "Exit status: 0 ok; 1 two runs differ (diverge); 2 bad input or usage, nothing was written; 3 numerical\n"
      "failure (NaN, overlap too deep, infinitely many collisions in a finite time); 4 input/output; 130 interrupted,\n"
      "state saved.");

  RunOptions options;
  std::string scene;
  scree::Settings settings;
  std::string directory;
  std::string output;

  CLI::App* run_command = app.add_subcommand("run", "Simulate a scene from its beginning");
  run_command->footer(
      "Example: scree run examples/heap.yaml --until 0.5; Ctrl-C saves the state, scree resume continues");
  add_path(*run_command, "SCENE", scene, "Scene file (YAML)")->required();
  const CLI::Option* output_option =
      add_path(*run_command, "--output", output, "Directory to write to, instead of the scene's")->type_name("DIR");
  add_settings(*run_command, settings);
  run_command->add_flag("--force", options.force, "Replace an earlier run in the output directory");
  add_run_options(*run_command, options);
  bool has_view = false;
  std::optional<int> port;
  add_view_options(*run_command, has_view, port);

  CLI::App* resume_command = app.add_subcommand(
      "resume", "Continue an interrupted or finished run, with the same bits as an uninterrupted one");
  resume_command->footer("Example: scree resume out/heap --until 2");
  add_path(*resume_command, "DIR", directory, "Output directory of the run")->required();
  add_run_options(*resume_command, options);
  add_view_options(*resume_command, has_view, port);

  RewindOptions rewind_options;
  CLI::App* rewind_command = app.add_subcommand(
      "rewind", "Go back in time from where a run of hard disks is, and write the way back (docs/reversible.md)");
  rewind_command->footer(
      "Example: scree rewind out/unmixing --to 42 --every 0.01; then scree replay out/unmixing_rewind");
  add_path(*rewind_command, "DIR", directory, "Output directory of a run, or of a rewind to be continued")->required();
  rewind_command->add_option("--to", rewind_options.to, "Simulated time to go back to [s], from 0")
      ->type_name("SECONDS")
      ->required()
      ->check(not_a_moment);
  const CLI::Option* rewind_output_option =
      add_path(*rewind_command, "--output", output, "Directory to write to (default: DIR_rewind)")->type_name("DIR");
  rewind_command->add_option("--every", rewind_options.every, "Time between frames [s], instead of the scene's")
      ->type_name("SECONDS")
      ->check(not_a_time);
  rewind_command->add_flag("--force", rewind_options.force, "Replace an earlier run in the output directory");
  rewind_command->add_flag("--quiet", rewind_options.quiet, "Print errors only");

  CLI::App* check_command =
      app.add_subcommand("check", "Validate a scene and estimate the cost of its run; writes nothing");
  check_command->footer("Example: scree check examples/heap.yaml");
  add_path(*check_command, "SCENE", scene, "Scene file (YAML)")->required();
  add_settings(*check_command, settings);

  CLI::App* schema_command =
      app.add_subcommand("schema", "Print the JSON Schema of scenes, for editors (docs/scene.md)");
  schema_command->footer("Example: scree schema > scene.schema.json");

  CompareOptions compare_options;
  std::string stiffnesses;
  std::string at;
  CLI::App* compare_command = app.add_subcommand(
      "compare", "Run a scene of disks in both modes, soft and hard, and report the differences (docs/compare.md)");
  compare_command->footer(
      "Example: scree compare examples/cooling_gas.yaml; then open out/cooling_gas_compare/report.html");
  add_path(*compare_command, "SCENE", scene, "Scene file (YAML)")->required();
  const CLI::Option* compare_output_option =
      add_path(*compare_command, "--output", output, "Directory to write to (default: the scene's, with _compare)")
          ->type_name("DIR");
  compare_command
      ->add_option("--runs", compare_options.runs,
                   "Number of runs in soft mode, each with its own seed (default: 1; in hard mode always 8 at least)")
      ->type_name("N")
      ->check(not_a_number_of_runs);
  compare_command->add_option("--stiffness", stiffnesses, "Additional stiffnesses [N/m], increasing, like 1e4,1e5,1e6")
      ->type_name("LIST")
      ->check(not_a_list_of_stiffnesses);
  compare_command
      ->add_option("--at", at, "Times at which the disks are drawn [s], increasing (default: half time and the end)")
      ->type_name("LIST")
      ->check(not_a_list_of_times);
  add_settings(*compare_command, settings);
  compare_command->add_flag("--force", compare_options.force, "Replace an earlier comparison in the output directory");
  add_common_options(*compare_command, compare_options);

  EnsembleOptions ensemble_options;
  CLI::App* ensemble_command = app.add_subcommand(
      "ensemble", "Run a scene with several seeds and values, and write means with errors (docs/ensembles.md)");
  ensemble_command->footer(
      "The same command again goes on with what is missing. The report is in out/openings_ensemble/report.html.\n"
      "Example: scree ensemble examples/openings.yaml --vary half=0.02,0.03 --table 'series.particles_out@end'");
  add_path(*ensemble_command, "SCENE", scene, "Scene file (YAML)")->required();
  const CLI::Option* ensemble_output_option =
      add_path(*ensemble_command, "-o,--output", output, "Directory to write to (default: the scene's, with _ensemble)")
          ->type_name("DIR");
  ensemble_command
      ->add_option("--runs", ensemble_options.runs,
                   "Number of runs of each variation, with the scene's seed and those after it (default: 16)")
      ->type_name("N")
      ->check(not_a_number_of_seeds);
  make_repeatable(ensemble_command
                      ->add_option("--vary", ensemble_options.vary,
                                   "Values of a key or parameter, as often as you like; all combinations are run: "
                                   "--vary materials.stone.friction=0.1,0.3,0.5")
                      ->type_name("KEY=LIST"));
  make_repeatable(ensemble_command
                      ->add_option("--table", ensemble_options.tables,
                                   "Number of each run to average, as often as you like: TABLE.COLUMN with @end, @TIME "
                                   "or @mean(FROM,TO), combined by + - * / ( ); NAME=EXPRESSION names its file")
                      ->type_name("EXPRESSION"));
  ensemble_command->add_option("--jobs", ensemble_options.jobs, "Number of runs at the same time (default: 1)")
      ->type_name("N")
      ->check(not_a_number_of_threads);
  ensemble_command
      ->add_option("--until", ensemble_options.until, "Simulated time to stop at [s], instead of the scene's end")
      ->type_name("SECONDS")
      ->check(not_a_time);
  add_settings(*ensemble_command, settings);
  ensemble_command->add_flag("--discard", ensemble_options.discard,
                             "Keep only the tables and run.json of runs that are finished");
  ensemble_command
      ->add_option("--threads", ensemble_options.threads,
                   "Number of threads of each run (default: one if --jobs is more than 1); never changes results")
      ->type_name("N")
      ->check(not_a_number_of_threads);
  ensemble_command->add_flag("--quiet", ensemble_options.quiet, "Print errors and warnings only");

  DivergeOptions diverge_options;
  std::string other_directory;
  bool no_repeat = false;
  CLI::App* diverge_command = app.add_subcommand(
      "diverge", "Find the first step at which two runs that should be alike differ, with the bodies and quantities");
  diverge_command->footer("Example: scree diverge out/one out/other");
  add_path(*diverge_command, "DIR1", directory, "Output directory of a run")->required();
  add_path(*diverge_command, "DIR2", other_directory, "Output directory of the other run")->required();
  diverge_command->add_flag(
      "--no-repeat", no_repeat,
      "Only compare the hashes of both: fast, but says only between which steps the runs begin to "
      "differ (default: repeat both up to there, and name the step)");
  diverge_command
      ->add_option("--threads", diverge_options.threads, "Number of threads (default: as many as each run had)")
      ->type_name("N")
      ->check(not_a_number_of_threads);
  diverge_command->add_flag("--quiet", diverge_options.quiet, "Say nothing but the result and errors");

  ReplayCommand replay_options;
  std::string arrays = "speed";
  CLI::App* replay_command = app.add_subcommand(
      "replay", "Write one web page that plays a run, without a network; also of a run that goes on (docs/showing.md)");
  replay_command->footer("Example: scree replay out/heap; then open out/heap/replay.html in a browser");
  add_path(*replay_command, "DIR", directory, "Output directory of a run")->required();
  const CLI::Option* replay_output_option =
      add_path(*replay_command, "-o,--output", output, "File to write (default: DIR/replay.html)")->type_name("FILE");
  replay_command
      ->add_option("--arrays", arrays,
                   "Values of grains to carry: speed, coordination, angular_velocity, force, torque (default: speed)")
      ->type_name("LIST")
      ->check(not_a_list_of_arrays);
  add_colour(*replay_command, replay_options.colour);
  replay_command->add_flag("--no-chains", replay_options.no_chains, "Leave out the forces between grains");
  replay_command
      ->add_option("--frames", replay_options.frames, "At most so many frames, evenly chosen (default: all that fit)")
      ->type_name("N")
      ->check(not_a_number_of_frames);
  replay_command->add_flag("--quiet", replay_options.quiet, "Print errors only");

  bool no_chains = false;
  bool no_words = false;
  bool quiet = false;
  bool once = false;
  CLI::App* report_command = app.add_subcommand(
      "report", "Write a report of a run, HTML and Markdown: what, why, pictures, charts, what the guards saw");
  report_command->footer("Example: scree report out/heap; then open out/heap/report.html in a browser");
  add_path(*report_command, "DIR", directory, "Output directory of a run")->required();
  report_command->add_flag("--quiet", quiet, "Print errors only");

  PictureCommand picture_options;
  CLI::App* picture_command = app.add_subcommand("picture", "Draw a frame of a run, as SVG or PNG");
  picture_command->footer("Example: scree picture out/heap --time 1.5 -o heap.png");
  add_path(*picture_command, "DIR", directory, "Output directory of a run")->required();
  add_path(*picture_command, "-o,--output", output, "File to write, .svg or .png")->type_name("FILE")->required();
  picture_command
      ->add_option("--time", picture_options.time, "The frame nearest to this time [s] (default: the last frame)")
      ->type_name("SECONDS")
      ->check(not_a_moment);
  add_colour(*picture_command, picture_options.colour);
  add_look_options(*picture_command, picture_options.look, no_chains, no_words);
  picture_command->add_flag("--quiet", picture_options.quiet, "Print errors only");

  FilmCommand film_options;
  CLI::App* film_command = app.add_subcommand("film", "Make a film of a run, MP4 or GIF, with ffmpeg");
  film_command->footer("Example: scree film out/heap -o heap.mp4");
  add_path(*film_command, "DIR", directory, "Output directory of a run")->required();
  add_path(*film_command, "-o,--output", output, "File to write, .mp4 or .gif")->type_name("FILE")->required();
  film_command->add_option("--rate", film_options.frames_per_second, "Frames a second (default: 25)")
      ->type_name("N")
      ->check(not_a_frame_rate);
  add_colour(*film_command, film_options.colour);
  add_look_options(*film_command, film_options.look, no_chains, no_words);
  film_command->add_flag("--quiet", film_options.quiet, "Print errors only");

  CLI::App* view_command = app.add_subcommand(
      "view", "Show a run in a browser on this machine, while it goes on or when it is over, until Ctrl-C");
  view_command->footer("Example: scree view out/heap; scree run --view shows a run that can be paused there");
  add_path(*view_command, "DIR", directory, "Output directory of a run")->required();
  add_port(*view_command, port);

  CLI::App* watch_command =
      app.add_subcommand("watch", "Print the progress of a run that goes on in another terminal, until it ends");
  watch_command->footer("Example: scree watch out/heap; in a browser: scree view out/heap");
  add_path(*watch_command, "DIR", directory, "Output directory of a run")->required();
  watch_command->add_flag("--once", once, "Print one line and end");

  std::string kind;
  CLI::App* new_command = app.add_subcommand("new", "Write a commented scene to begin with");
  new_command->footer("Example: scree new heap heap.yaml");
  new_command->add_option("KIND", kind, "One of: " + scree::listed(kinds_of_scenes()))->type_name("")->required();
  add_path(*new_command, "FILE", scene, "File to write; one that is there stays")->required();

  CLI::App* inspect_command =
      app.add_subcommand("inspect", "Say what a file holds: a scene, a state, a frame, a table, run.json or billiards");
  inspect_command->footer("Example: scree inspect out/heap/state.scree");
  add_path(*inspect_command, "FILE", scene, "File, or output directory of a run")->required();

  std::string topic;
  CLI::App* help_command = app.add_subcommand("help", "Answer a question of physics or numerics, or list the topics");
  help_command->footer("Example: scree help stiffness");
  help_command->add_option("TOPIC", topic, "One of the list")->type_name("");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return printed(app.exit(error));  // --help, --version
    return fail(kBadInput, usage_problem(app, error));
  }
  if (*output_option) options.output = output;
  if (*replay_output_option) replay_options.output = output;
  replay_options.arrays = words(arrays);
  picture_options.output = film_options.output = output;
  picture_options.look.chains = film_options.look.chains = !no_chains;
  picture_options.look.words = film_options.look.words = !no_words;
  if (*rewind_output_option) rewind_options.output = output;
  diverge_options.repeat = !no_repeat;
  if (*compare_output_option) compare_options.output = output;
  compare_options.stiffnesses = rising_numbers(stiffnesses);
  compare_options.at = rising_numbers(at);
  if (*ensemble_output_option) ensemble_options.output = output;
  if (has_view) options.view = ViewOptions{port};
  options.settings = compare_options.settings = ensemble_options.settings = settings;

  try {
    require_lanes();
    if (port && !has_view && !*view_command) {
      throw UsageError("--port: is for the address of a view; allowed: together with --view");
    }
    if (*run_command || *resume_command) {
      const std::unique_ptr<scree::Ranks> ranks = ranks_of_this_run();
      if (ranks != nullptr && !have_same_arguments(*ranks, std::span(argv + 1, argv + argc))) return kBadInput;
      if (ranks != nullptr && ranks->rank() > 0) return serve(*ranks, options.threads);
      std::optional<Crew> crew;
      if (ranks != nullptr) crew.emplace(*ranks);
      Crew* const others = crew ? &*crew : nullptr;
      return *run_command ? run(scene, options, others) : resume(directory, options, others);
    }
    if (is_one_too_many()) return kBadInput;
    if (*rewind_command) return printed(rewind(directory, rewind_options));
    if (*compare_command) return printed(compare(scene, compare_options));
    if (*ensemble_command) return printed(ensemble(scene, ensemble_options));
    if (*diverge_command) return printed(diverge(directory, other_directory, diverge_options));
    if (*replay_command) return printed(replay(directory, replay_options));
    if (*report_command) return printed(report_run(directory, quiet));
    if (*picture_command) return printed(picture(directory, picture_options));
    if (*film_command) return printed(film(directory, film_options));
    if (*view_command) return printed(view(directory, {port}));
    if (*watch_command) return printed(watch(directory, once));
    if (*help_command) return printed(help(topic));
    if (*new_command) return printed(write_new_scene(kind, scene));
    if (*inspect_command) return printed(inspect(scene));
    if (*schema_command) return printed(print_schema());
    return printed(check(scene, settings));
  } catch (const UsageError& error) {
    return fail(kBadInput, error.what());
  } catch (const scree::SceneError& error) {
    return fail(kBadInput, error.what());
  } catch (const scree::InvalidScene& error) {
    return fail(kBadInput, invalid_scene(error, scene, settings));
  } catch (const scree::PhysicsError& error) {
    return fail(kPhysics, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInputOutput, "out of memory; try fewer grains");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(kInputOutput, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {  // IoError, and what the system throws: no space, no permission
    return fail(kInputOutput, error.what());
  }
}
