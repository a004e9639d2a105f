#include "app/view.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "app/exit_code.hpp"
#include "app/interrupt.hpp"
#include "app/say.hpp"
#include "app/written_run.hpp"

extern char** environ;

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Asks the desktop to show an address, in a session of its own, which Ctrl-C does not reach.
/// @return the process, or -1 if there is no terminal, no display or nothing that opens addresses
pid_t open_browser(std::string address) {
  if (isatty(STDOUT_FILENO) != 1 || !(is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))) return -1;
  posix_spawnattr_t how;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&how);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "xdg-open";
  char* const arguments[] = {program.data(), address.data(), nullptr};
  pid_t process = -1;
  const bool is_started = posix_spawnp(&process, program.c_str(), &files, &how, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return is_started ? process : -1;
}

}  // namespace

View::View(const fs::path& directory, May may, const ViewOptions& options)
    : run_(directory, may == May::control ? &control_ : nullptr), server_(run_, options.port) {
  if (options.port && *options.port != server_.port()) {
    say(stderr, "scree: port {} is taken, or not for everyone; another one is used\n", *options.port);
  }
  say("to look at it in a browser on this machine: {}\n", server_.address());
  std::fflush(stdout);
  browser_ = open_browser(server_.address());
}

View::~View() {
  try {
    run_.see_off(browser_ > 0 && !interrupted());
  } catch (const std::exception&) {  // viewers do without the end
  }
  if (browser_ > 0) waitpid(browser_, nullptr, WNOHANG);
}

int view(const fs::path& directory, const ViewOptions& options) {
  const InterruptGuard guard;
  require_live_server();
  open_run(directory);
  const View view(directory, View::May::watch, options);
  say("Ctrl-C ends it\n");
  std::fflush(stdout);
  while (!interrupted()) std::this_thread::sleep_for(50ms);
  return kOk;
}

}  // namespace scree::app
