#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dem/compare/difference.hpp"
#include "dem/compare/ensemble.hpp"
#include "dem/compare/gas_theory.hpp"
#include "dem/compare/least_squares.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/state.hpp"

namespace scree::compare {

/// Values of one run at one time.
struct Figures {
  double kinetic_energy = 0.0;    ///< translation and rotation [J]
  double potential_energy = 0.0;  ///< in gravity [J]
  Gas gas;                        ///< temperature and other inputs of kinetic theory
  double mean_height = 0.0;       ///< of the centre of mass above the domain's lower side [m]
  double greatest_height = 0.0;   ///< of a disk's top [m]
  std::uint64_t contacts = 0;     ///< number that began so far: in hard mode collisions, and hits of sides and walls
  std::uint64_t left = 0;         ///< number of disks that left the domain so far
  double mass_left = 0.0;         ///< mass of these disks [kg]
  // As in Sample, since the previous moment; 0 before the scene starts measuring.
  double collision_rate = 0.0;            ///< [1/s]
  double pressure = 0.0;                  ///< [N/m]
  double wall_pressure = 0.0;             ///< mean over the axes that are not periodic [N/m]
  double mean_square_displacement = 0.0;  ///< [m^2]
  double temperature_ratio = 0.0;         ///< of rotation over that of translation
};

/// All runs at the time of a step of the first soft run; the other soft runs are less than one of their steps away.
struct Moment {
  double time = 0.0;  ///< [s]
  std::vector<Figures> soft;
  std::vector<Figures> hard;
  double rms_velocity = 0.0;        ///< of the first hard run [m/s]
  std::vector<Difference> between;  ///< both modes with the same disks, for each soft run
  Difference chaos;                 ///< two hard runs whose initial velocities differ by a relative kNudge
  Difference of_twins;              ///< the first two hard runs, if seeds change nothing
};
inline constexpr double kNudge = 1e-12;

/// Trajectories have diverged when positions differ by this fraction of the mean diameter (rms).
inline constexpr double kDiverged = 0.1;

/// Averages of one run over the moments from first_sample on.
struct Averages {
  std::vector<double> radial;  ///< g at Comparison::distances
  std::vector<VelocityDistribution::Row> velocities;
  std::vector<Measurements::LayerRow> heights;
};

struct Comparison {
  std::vector<Moment> moments;  ///< at time 0, after every output.every, and at the end
  double contact_time = 0.0;    ///< of the soft mode, see contact_time [s]
  double mean_diameter = 0.0;   ///< [m]
  double step = 0.0;            ///< of the first soft run [s]
  std::uint64_t steps = 0;
  std::uint64_t disks = 0;
  double soft_seconds = 0.0;  ///< wall time of the first run of the mode
  double hard_seconds = 0.0;
  bool stopped = false;           ///< it was stopped before the end
  bool reseeded = true;           ///< as in Ensemble
  std::size_t first_sample = 0;   ///< index of the first moment that has rates and pressures; number of moments if none
  std::vector<double> distances;  ///< of Averages::radial [m]; empty if it is not measured
  std::vector<Averages> soft;     ///< of each run
  std::vector<Averages> hard;

  std::size_t soft_runs() const { return moments.front().soft.size(); }
  std::size_t hard_runs() const { return moments.front().hard.size(); }
  /// Mean free time of a disk in the first hard run, where a contact with a side counts half [s]; infinite without
  /// contacts.
  double mean_free_time() const;
  /// Index of the first moment at which the modes have diverged in any run; number of moments if they never do.
  std::size_t diverged() const;
  /// Time from which the runs are independent of each other [s]: 0 if each has its own seed, else when they have
  /// diverged; nothing if they do not.
  std::optional<double> independent_from() const;
};

/// Called with every moment during the run, and the states of both modes in the first run.
using Watch = std::function<void(const Moment& moment, const State& soft, const State& hard)>;

/// Called every few hundred steps or events: whether to stop.
using Stop = std::function<bool()>;

/// Runs all twins to their end, side by side.
/// @param threads of the soft mode; 0: as many as there are cores
/// @param stop when it returns true, the comparison up to then is returned, at least that of time 0; empty: never stop
/// @throws InvalidScene, PhysicsError as both modes do; the latter names the run
Comparison run(const Ensemble& ensemble, int threads, const Watch& watch, const Stop& stop = {});

/// Growth of the difference between two hard runs.
struct Chaos {
  Slope rate;         ///< of the logarithm [1/s]
  double from = 0.0;  ///< the moments that the fit uses [s]
  double to = 0.0;
};

/// Rate at which the difference of two hard runs grows, by a least-squares fit of its logarithm where disks collide: to
/// those moments before which each disk has had a collision on average, with collisions since the moment before, until
/// the difference reaches kDiverged, or an e-th of its greatest value if it stops growing earlier. Nothing for fewer
/// than kChaosMoments of them, or if it does not grow by more than twice its error.
std::optional<Chaos> chaos(const Comparison& comparison);
inline constexpr std::size_t kChaosMoments = 4;

}  // namespace scree::compare
