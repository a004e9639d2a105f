#pragma once

#include <deque>
#include <functional>

namespace scree {

/// Estimates how long a run will take yet: as long for a particle and simulated second as lately, with as many
/// particles as are expected. Of those that are due to be poured, the share comes in that came lately, less those that
/// left.
class Outlook {
 public:
  /// @param end simulated time at which the run ends [s]
  /// @param due how many particles are due to have come into the scene at a simulated time [s], by plan
  Outlook(double end, std::function<double(double)> due);

  /// @param elapsed wall time since the run began [s]  @param time simulated [s]  @param particles present now
  void add(double elapsed, double time, double particles);

  /// [s]; infinite if nothing is known yet.
  double remaining() const;

 private:
  struct Moment {
    double elapsed;
    double time;
    double particles;
    double load;  ///< particles summed over time, plus kFixedCost of them [s]
  };
  double expected_particles(double time) const;

  double end_;
  std::function<double(double)> due_;
  std::deque<Moment> lately_;  // the last quarter of the wall time
};

}  // namespace scree
