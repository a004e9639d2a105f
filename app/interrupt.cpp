#include "app/interrupt.hpp"

#include <atomic>

namespace scree::app {

namespace {

std::atomic<int> asked = 0;  // also by threads
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals may set it");

extern "C" void on_interrupt(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  asked = 0;
  for (const int signal : kSignals) {
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup scree run ...
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void ask_for_end() {
  asked = 1;
}

bool interrupted() {
  return asked != 0;
}

}  // namespace scree::app
