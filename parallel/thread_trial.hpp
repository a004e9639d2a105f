#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace scree {

/// Finds out by trial whether several threads or one do a piece of work faster, which depends on the processor, on what
/// else it does, and on how much there is to do: several steps with either in turn, a few times; then the better one
/// does the work for long, until the next trial. A fact of the machine: nothing that is computed may depend on it.
class ThreadTrial {
 public:
  /// @param is_open false: several threads do all, and there are no trials
  explicit ThreadTrial(bool is_open) : is_open_(is_open) {}

  /// Whether several threads do the next steps.
  bool several() const { return !is_open_ || (is_trying() ? turn_ % 2 == 0 : !one_is_faster()); }
  /// How many steps, before this is to be asked again.
  std::uint64_t steps() const {
    if (!is_open_) return std::numeric_limits<std::uint64_t>::max();
    return (is_trying() ? kTried : kKept) - done_;
  }
  /// So many of them are done. @param seconds that they took
  void took(std::uint64_t steps, double seconds) {
    if (!is_open_) return;
    done_ += steps;
    seconds_ += seconds;
    if (done_ < (is_trying() ? kTried : kKept)) return;
    if (is_trying()) {
      double& least = turn_ % 2 == 0 ? least_of_several_ : least_of_one_;
      least = std::min(least, seconds_ / static_cast<double>(done_));
      ++turn_;
    } else {
      turn_ = 0;
      least_of_several_ = least_of_one_ = std::numeric_limits<double>::infinity();
    }
    done_ = 0;
    seconds_ = 0.0;
  }
  /// Whether one thread was the faster in the last trial that is over.
  bool one_is_faster() const { return !is_trying() && least_of_one_ < least_of_several_; }

 private:
  static constexpr std::uint64_t kTried = 64;     // steps of a turn
  static constexpr std::uint64_t kTurns = 8;      // of a trial
  static constexpr std::uint64_t kKept = 20'000;  // steps between two trials: these cost some percent of them at most

  bool is_trying() const { return turn_ < kTurns; }

  bool is_open_;
  std::uint64_t turn_ = 0;
  std::uint64_t done_ = 0;                                             // steps of the turn, or since the trial
  double seconds_ = 0.0;                                               // that these took
  double least_of_several_ = std::numeric_limits<double>::infinity();  // [s] a step
  double least_of_one_ = std::numeric_limits<double>::infinity();
};

}  // namespace scree
