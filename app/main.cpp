#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/compare.hpp"
#include "app/errors.hpp"
#include "app/run.hpp"
#include "dem/errors.hpp"
#include "io/errors.hpp"
#include "io/number_text.hpp"
#include "io/scene_error.hpp"
#include "io/scene_reader.hpp"
#include "io/version.hpp"
#include "io/yaml_value.hpp"

namespace {

using namespace scree::app;

const std::vector<std::string> kCommands = {"run", "resume", "check", "compare"};

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "scree: %s\n", message.c_str());
  return code;
}

/// With its place in the scene, if that is still there.
std::string invalid_scene(const scree::InvalidScene& error, const std::string& scene) {
  try {
    return scree::with_place(error, scene).what();
  } catch (const std::exception&) {
    return (scene.empty() ? "" : scene + ": ") + error.what();
  }
}

// CLI11 asks these for what is wrong with a text, and puts the option's name before the answer.

std::string not_a_time(const std::string& text) {
  const auto time = scree::parse_number<double>(text);
  if (time && std::isfinite(*time) && *time > 0.0) return {};
  return "is '" + text + "', must be a number > 0 [s]";
}

std::string not_a_number_of_threads(const std::string& text) {
  const auto threads = scree::parse_number<int>(text);
  if (threads && *threads >= 1 && *threads <= 1024) return {};
  return "is '" + text + "', must be a whole number from 1 to 1024";
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
  return "is '" + text + "', must be a list of at least two rising numbers > 0 [N/m], like 1e4,1e5,1e6";
}

std::string not_a_list_of_times(const std::string& text) {
  if (!rising_numbers(text).empty()) return {};
  return "is '" + text + "', must be a list of rising numbers > 0 [s], like 0.1,0.5,1";
}

std::string not_a_path(const std::string& text) {
  return text.empty() ? "is empty, must be a name" : std::string();
}

template <class Options>
void add_common_options(CLI::App& command, Options& options) {
  command.add_option("--threads", options.threads, "Number of threads (default: one a core); never changes results")
      ->type_name("N")
      ->check(not_a_number_of_threads);
  command.add_flag("--quiet", options.quiet, "Say nothing but errors");
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--until", options.until, "Simulated time to stop at [s], instead of the scene's end")
      ->type_name("SECONDS")
      ->check(not_a_time);
  add_common_options(command, options);
}

CLI::Option* add_path(CLI::App& command, const std::string& name, std::string& path, const std::string& description) {
  return command.add_option(name, path, description)->type_name("")->check(not_a_path);
}

/// What the command line got wrong and what is allowed, for people.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  const bool has_command = !app.get_subcommands().empty();
  const CLI::App& command = has_command ? *app.get_subcommands().front() : app;
  const std::string name = has_command ? "scree " + command.get_name() : "scree";
  const std::string help = "\n" + name + " --help says more";

  const std::vector<std::string> rest = app.remaining(true);
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& word : option->get_lnames()) options.push_back("--" + word);
  }
  const auto dashed =
      std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (dashed != rest.end()) {
    const std::string option = dashed->substr(0, dashed->find('='));
    if (std::find(options.begin(), options.end(), option) != options.end()) {
      return option + ": stands before " + command.get_name() + ", must stand behind it" + help;
    }
    return option + ": is no option of " + name + scree::did_you_mean(option, options) + ", must be " +
           scree::one_of_text(options) + help;
  }
  if (!has_command) {
    const std::string commands = scree::one_of_text(kCommands);
    return (rest.empty() ? "the command is missing"
                         : "'" + rest.front() + "' is no command" + scree::did_you_mean(rest.front(), kCommands)) +
           ", must be " + commands + help;
  }
  if (!rest.empty()) return "'" + rest.front() + "' is one argument too many for " + name + help;
  const std::string problem = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    return problem.substr(0, problem.find(':')) + ": must be given once, with a value" + help;
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

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // scree run ... | head is no reason to stop
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error to be told

  CLI::App app{"scree: granular matter made of convex polygons and disks, in two dimensions"};
  app.name("scree");
  app.set_version_flag("--version", std::string("scree ") + scree::version() + " (" + scree::commit() + ")");
  app.require_subcommand(1);
  app.footer(
      "A scene is a YAML file; docs/scene.md describes it. Its key mode says whether grains are soft (steps in time)\n"
      "or hard disks (from collision to collision). First steps:\n"
      "  scree check examples/heap.yaml\n"
      "  scree run examples/heap.yaml\n"
      "  paraview --script=out/heap/view.py\n"
      "Ctrl-C ends a run in order: everything is saved, and scree resume goes on. Again, and it ends at once.\n"
      "Exit status: 0 ok; 2 bad input or usage, nothing was written; 3 the physics went wrong (NaN, overlap too\n"
      "deep, infinitely many collisions in no time); 4 input/output; 130 interrupted in order.");

  RunOptions options;
  std::string scene;
  std::string directory;
  std::string output;

  CLI::App* run_command = app.add_subcommand("run", "Simulate a scene from its beginning");
  add_path(*run_command, "SCENE", scene, "Scene file (YAML)")->required();
  const CLI::Option* output_option =
      add_path(*run_command, "--output", output, "Directory to write to, instead of the scene's")->type_name("DIR");
  run_command->add_flag("--force", options.force, "Replace an earlier run in the output directory");
  add_run_options(*run_command, options);

  CLI::App* resume_command = app.add_subcommand(
      "resume", "Go on with an interrupted or finished run, to the last bit as if it had not stopped");
  add_path(*resume_command, "DIR", directory, "Output directory of the run")->required();
  add_run_options(*resume_command, options);

  CLI::App* check_command =
      app.add_subcommand("check", "Validate a scene and print what would be simulated; writes nothing");
  add_path(*check_command, "SCENE", scene, "Scene file (YAML)")->required();

  CompareOptions compare_options;
  std::string stiffnesses;
  std::string at;
  CLI::App* compare_command = app.add_subcommand(
      "compare", "Run a scene of disks in both modes, soft and hard, and report how they differ (docs/compare.md)");
  add_path(*compare_command, "SCENE", scene, "Scene file (YAML)")->required();
  const CLI::Option* compare_output_option =
      add_path(*compare_command, "--output", output, "Directory to write to (default: the scene's, with _compare)")
          ->type_name("DIR");
  compare_command
      ->add_option("--stiffness", stiffnesses, "Stiffnesses to run with as well [N/m], rising, like 1e4,1e5,1e6")
      ->type_name("LIST")
      ->check(not_a_list_of_stiffnesses);
  compare_command
      ->add_option("--at", at, "Times at which the disks are drawn [s], rising (default: half-way and the end)")
      ->type_name("LIST")
      ->check(not_a_list_of_times);
  compare_command->add_flag("--force", compare_options.force, "Replace an earlier comparison in the output directory");
  add_common_options(*compare_command, compare_options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return printed(app.exit(error));  // --help, --version
    return fail(kBadInput, usage_problem(app, error));
  }
  if (*output_option) options.output = output;
  if (*compare_output_option) compare_options.output = output;
  compare_options.stiffnesses = rising_numbers(stiffnesses);
  compare_options.at = rising_numbers(at);

  try {
    if (*run_command) return run(scene, options);
    if (*resume_command) return resume(directory, options);
    if (*compare_command) return printed(compare(scene, compare_options));
    return printed(check(scene));
  } catch (const UsageError& error) {
    return fail(kBadInput, error.what());
  } catch (const scree::SceneError& error) {
    return fail(kBadInput, error.what());
  } catch (const scree::InvalidScene& error) {
    return fail(kBadInput, invalid_scene(error, scene));
  } catch (const scree::PhysicsError& error) {
    return fail(kPhysics, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInputOutput, "the memory is not enough; fewer grains need less");
  } catch (const std::exception& error) {  // IoError, and what the system throws: no space, no permission
    return fail(kInputOutput, error.what());
  }
}
