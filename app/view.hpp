#pragma once

#include <filesystem>
#include <optional>
#include <sys/types.h>

#include "app/live_run.hpp"
#include "app/live_server.hpp"
#include "app/run_control.hpp"

namespace scree::app {

struct ViewOptions {
  std::optional<int> port;  ///< of the address; none, or one that is taken: any that is free
};

/// A run that can be looked at in a browser while this lives: its address is printed, and from a terminal a browser is
/// started. At its end it waits a moment until all viewers have the end.
class View {
 public:
  enum class May { watch, control };

  /// Throws IoError, UsageError as LiveServer.
  View(const std::filesystem::path& directory, May may, const ViewOptions& options);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  RunControl& control() { return control_; }

 private:
  RunControl control_;
  LiveRun run_;
  LiveServer server_;
  pid_t browser_ = -1;  // or what has started it
};

/// Serves the page of the run in a directory, which may go on or be over, until Ctrl-C. Returns the exit code.
/// Throws IoError if there is no run with frames.
int view(const std::filesystem::path& directory, const ViewOptions& options);

}  // namespace scree::app
