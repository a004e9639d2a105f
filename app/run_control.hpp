#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace scree::app {

/// What viewers ask of a run. It decides when the run computes, never what.
class RunControl {
 public:
  void pause();
  void go_on();
  void step();  ///< on to the next frame, and a pause there
  void stop();  ///< an end in order, as Ctrl-C asks for
  bool is_paused() const;

  /// The run calls this between its pieces: it returns at once, or after a pause. An end that is asked for ends a
  /// pause.
  /// @param waiting  is called again and again while it waits, with how long it has since the last call [s]
  void wait_while_paused(const std::function<void(double)>& waiting);
  /// The run has written a frame.
  void note_frame();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_paused_ = false;
  bool pauses_at_frame_ = false;
};

}  // namespace scree::app
