#pragma once

#include <cmath>
#include <cstdint>

#include "dem/archive.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/tolerances.hpp"

namespace scree::soft {

/// Time in the soft mode: a number of ticks. A step is the longest one of the run, halved some times; a tick is the
/// shortest possible one. A step that the scene gives is never halved: it is a tick.
class StepClock {
 public:
  explicit StepClock(const TimeStep& step) : longest_(step.dt), most_halvings_(step.is_automatic ? kMostHalvings : 0) {}

  double dt() const { return std::ldexp(longest_, -halvings_); }           ///< of the next step [s]
  double longest() const { return longest_; }                              ///< [s]
  double time() const { return at(ticks_); }                               ///< [s]
  double time_after_step() const { return at(ticks_ + ticks_in_step()); }  ///< [s]
  std::uint64_t ticks() const { return ticks_; }
  std::uint64_t steps() const { return steps_; }
  int halvings() const { return halvings_; }
  int most_halvings() const { return most_halvings_; }

  /// Within 1e-9 of a step.
  bool has_reached(double t) const {
    return static_cast<double>(ticks_) >= (t - origin_) / tick() - kSameTime * static_cast<double>(ticks_in_step());
  }

  /// From now on with another longest step; ticks count from now on, if it is another one.
  void go_on_with(const TimeStep& step) {
    if (step.dt == longest_) return;
    origin_ = time();
    longest_ = step.dt;
    ticks_ = 0;
    halvings_ = 0;
  }

  void advance() {
    ticks_ += ticks_in_step();
    ++steps_;
  }

  /// @param halvings from 0 to most_halvings
  void halve(int halvings) { halvings_ = halvings; }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.longest_, self.halvings_, self.ticks_, self.steps_, self.origin_);
  }

  /// After loading. @throws InvalidState
  void require_sound() const {
    require_state(std::isfinite(longest_) && longest_ > 0.0, "the step");
    require_state(std::isfinite(origin_) && origin_ >= 0.0, "when the step was chosen");
    require_state(0 <= halvings_ && halvings_ <= most_halvings_, "how often the step is halved");
  }

 private:
  static constexpr int kMostHalvings = 8;

  double at(std::uint64_t ticks) const { return origin_ + tick() * static_cast<double>(ticks); }
  double tick() const { return std::ldexp(longest_, -most_halvings_); }
  std::uint64_t ticks_in_step() const { return std::uint64_t{1} << (most_halvings_ - halvings_); }

  double longest_;
  int most_halvings_;
  int halvings_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t steps_ = 0;
  double origin_ = 0.0;  // time of tick 0 [s]
};

}  // namespace scree::soft
