#include "app/run_control.hpp"

#include "app/interrupt.hpp"

namespace scree::app {

namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenInterruptChecks = 50ms;  // at Ctrl-C, which does not wake the condition variable

}  // namespace

void RunControl::pause() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = true;
}

void RunControl::go_on() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = pauses_at_frame_ = false;
  changed_.notify_all();
}

void RunControl::step() {
  const std::scoped_lock lock(mutex_);
  is_paused_ = false;
  pauses_at_frame_ = true;
  changed_.notify_all();
}

void RunControl::stop() {
  ask_for_end();
  changed_.notify_all();
}

bool RunControl::is_paused() const {
  const std::scoped_lock lock(mutex_);
  return is_paused_;
}

void RunControl::wait_while_paused(const std::function<void(double)>& waiting) {
  std::unique_lock lock(mutex_);
  while (is_paused_ && !interrupted()) {
    const auto before = std::chrono::steady_clock::now();
    changed_.wait_for(lock, kBetweenInterruptChecks);
    lock.unlock();
    waiting(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    lock.lock();
  }
}

void RunControl::note_frame() {
  const std::scoped_lock lock(mutex_);
  if (pauses_at_frame_) is_paused_ = true;
  pauses_at_frame_ = false;
}

}  // namespace scree::app
