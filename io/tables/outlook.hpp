#pragma once

#include <deque>
#include <functional>

namespace scree {

/// Particles by simulated time [s], as a scene plans them, and walls.
struct Arrivals {
  std::function<double(double)> due;      ///< how many are due to have come in
  std::function<double(double)> settled;  ///< of these, how many have had the time to fall into the bed
  double walls = 0.0;
};

/// Estimates how long a run will take yet: as long for a particle and simulated second as lately, with as many
/// particles as are expected. Of those that are due to be poured, the share comes in that came lately, less those that
/// left. One in the bed takes longer than one that falls.
class Outlook {
 public:
  /// @param end simulated time at which the run ends [s]
  Outlook(double end, Arrivals arrivals);

  /// @param elapsed wall time since the run began [s]  @param time simulated [s]  @param particles present now
  void add(double elapsed, double time, double particles);

  /// [s]; infinite if nothing is known yet.
  double remaining() const;

 private:
  struct Moment {
    double elapsed;
    double time;
    double particles;
    double load;  ///< cost() summed over time [s]
  };
  double expected_particles(double time) const;
  /// Work of a simulated second, in particles that fall.
  double cost(double particles, double time) const;

  double end_;
  Arrivals arrivals_;
  std::deque<Moment> lately_;  // the last quarter of the wall time
};

}  // namespace scree
