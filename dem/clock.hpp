#pragma once

#include <cmath>

namespace scree {

/// A clock that can be rebased, that is, set back to 0, so that its times stay small and keep their precision in a long
/// run. The sum of the rebased times is kept in two parts, with about 32 digits. A clock that is never rebased shows
/// the time itself.
class Clock {
 public:
  /// What the clock shows at a time [s].
  double at(double time) const { return (time - epoch_) - rest_; }
  /// Time at which the clock shows 0 [s].
  double epoch() const { return epoch_; }
  void set_back(double by);
  /// Displacement, when the clock shows 0, of a point that moves with a constant velocity from time 0 on.
  double way(double speed) const { return speed * epoch_ + speed * rest_; }
  /// Fractional part of the number of turns made by then at a rate [1/s], accurate to rounding.
  double fraction_of_turns(double rate) const {
    const double turns = rate * epoch_;
    return (turns - std::floor(turns)) + (std::fma(rate, epoch_, -turns) + rate * rest_);
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.epoch_, self.rest_);
  }

 private:
  double epoch_ = 0.0;
  double rest_ = 0.0;  // the value is epoch_ + rest_
};

inline void Clock::set_back(double by) {  // Knuth's sum of two numbers with its rounding error
  const double add = by + rest_;
  const double sum = epoch_ + add;
  const double added = sum - epoch_;
  rest_ = (epoch_ - (sum - added)) + (add - added);
  epoch_ = sum;
}

}  // namespace scree
