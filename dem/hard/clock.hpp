#pragma once

#include <cmath>

namespace scree::hard {

/// A clock that is set back to 0 now and then, so that the times on it are small numbers and do not lose their last
/// digits as time goes on. What was set back is kept in two parts, some 32 digits.
class Clock {
 public:
  /// What the clock shows at a time [s].
  double at(double time) const { return (time - epoch_) - rest_; }
  /// Time at which the clock shows 0 [s].
  double epoch() const { return epoch_; }
  void set_back(double by);
  /// How far something has come at a speed when the clock shows 0.
  double way(double speed) const { return speed * epoch_ + speed * rest_; }
  /// Of how many turns, at a rate [1/s], it has done then: what is left beside whole ones, to rounding.
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
  double rest_ = 0.0;  // epoch_ + rest_ is meant
};

inline void Clock::set_back(double by) {  // Knuth's sum of two numbers with its rounding error
  const double add = by + rest_;
  const double sum = epoch_ + add;
  const double added = sum - epoch_;
  rest_ = (epoch_ - (sum - added)) + (add - added);
  epoch_ = sum;
}

}  // namespace scree::hard
