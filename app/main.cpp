#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "app/run.hpp"
#include "dem/errors.hpp"
#include "io/errors.hpp"
#include "io/scene_error.hpp"
#include "io/version.hpp"

namespace {

using namespace scree::app;

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("--until", options.until, "Simulated time to stop at [s], instead of the scene's end")
      ->check(CLI::PositiveNumber);
  command.add_option("--threads", options.threads, "Number of threads (default: one a core); never changes results")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--quiet", options.quiet, "Say nothing but errors");
}

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "scree: %s\n", message.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"scree: granular matter made of convex polygons and disks, in two dimensions"};
  app.name("scree");
  app.set_version_flag("--version", std::string("scree ") + scree::version() + " (" + scree::commit() + ")");
  app.require_subcommand(1);
  app.footer(
      "A scene is a YAML file; docs/scene.md describes it. First steps:\n"
      "  scree check examples/heap.yaml\n"
      "  scree run examples/heap.yaml\n"
      "  paraview --script=out/heap/view.py\n"
      "Exit status: 0 ok, 2 bad input or usage, 3 the physics went wrong (NaN, overlap too deep),\n"
      "4 input/output, 130 interrupted (Ctrl-C; everything is saved, scree resume goes on).");

  RunOptions options;
  std::string scene;
  std::string directory;

  CLI::App* run_command = app.add_subcommand("run", "Simulate a scene from its beginning");
  run_command->add_option("SCENE", scene, "Scene file (YAML)")->required();
  run_command->add_option("--output", options.output, "Directory to write to, instead of the scene's");
  run_command->add_flag("--force", options.force, "Replace an earlier run in the output directory");
  add_run_options(*run_command, options);

  CLI::App* resume_command = app.add_subcommand(
      "resume", "Go on with an interrupted or finished run, to the last bit as if it had not stopped");
  resume_command->add_option("DIR", directory, "Output directory of the run")->required();
  add_run_options(*resume_command, options);

  CLI::App* check_command =
      app.add_subcommand("check", "Validate a scene and print what would be simulated; writes nothing");
  check_command->add_option("SCENE", scene, "Scene file (YAML)")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kBadInput;
  }

  try {
    if (*run_command) return run(scene, options);
    if (*resume_command) return resume(directory, options);
    return check(scene);
  } catch (const scree::SceneError& error) {
    return fail(kBadInput, error.what());
  } catch (const scree::InvalidScene& error) {
    return fail(kBadInput, (scene.empty() ? "" : scene + ": ") + error.what());
  } catch (const scree::PhysicsError& error) {
    return fail(kPhysics, error.what());
  } catch (const std::exception& error) {  // IoError, and what the system throws: no memory, no such directory
    return fail(kInputOutput, error.what());
  }
}
