#pragma once

#include <csignal>

namespace scree::app {

/// While it lives, the first Ctrl-C or termination signal asks for an end in order, the second one ends the program at
/// once. SIGUSR1 is one of them: mpirun passes it on and waits, while after others it ends its processes itself, a
/// second later. What was ignored, as under nohup, stays so.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
};

/// Asks for an end in order, as the first Ctrl-C does.
void ask_for_end();

/// Whether an end was asked for since the guard was made.
bool interrupted();

}  // namespace scree::app
