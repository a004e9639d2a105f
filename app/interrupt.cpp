#include "app/interrupt.hpp"

namespace scree::app {

namespace {

volatile std::sig_atomic_t asked = 0;

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

bool interrupted() {
  return asked != 0;
}

}  // namespace scree::app
