#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/compare/difference.hpp"
#include "dem/compare/gas_theory.hpp"
#include "dem/compare/twins.hpp"
#include "dem/measure/measurements.hpp"
#include "dem/state.hpp"

namespace scree::compare {

/// Values of one mode at one time.
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
};

/// Both modes at the time of a step of the soft mode.
struct Moment {
  double time = 0.0;  ///< [s]
  Figures soft;
  Figures hard;
  Figures again;              ///< of a hard run whose initial velocities differ by a relative kStir
  double rms_velocity = 0.0;  ///< of the hard mode [m/s]
  Difference between;         ///< both modes
  Difference chaos;           ///< two hard runs whose initial velocities differ by a relative kNudge
};
inline constexpr double kNudge = 1e-12;
/// Large enough that the trajectories diverge as early as those of the two modes: the differences are then those of
/// chance.
inline constexpr double kStir = 1e-3;

/// Trajectories have diverged when positions differ by this fraction of the mean diameter (rms).
inline constexpr double kDiverged = 0.1;

/// Averages over the moments from first_sample on.
struct Averages {
  std::vector<RadialDistribution::Row> radial;
  std::vector<VelocityDistribution::Row> velocities;
  std::vector<Measurements::LayerRow> heights;
};

struct Comparison {
  std::vector<Moment> moments;  ///< at time 0, after every output.every, and at the end
  double contact_time = 0.0;    ///< of the soft mode, see contact_time [s]
  double mean_diameter = 0.0;   ///< [m]
  double step = 0.0;            ///< of the soft mode [s]
  std::uint64_t steps = 0;
  std::uint64_t disks = 0;
  double soft_seconds = 0.0;  ///< wall time
  double hard_seconds = 0.0;
  bool stopped = false;          ///< it was stopped before the end
  std::size_t first_sample = 0;  ///< index of the first moment that has rates and pressures; number of moments if none
  Averages soft;
  Averages hard;
  Averages again;

  /// Mean free time of a disk in hard mode, where a contact with a side counts half [s]; infinite without contacts.
  double mean_free_time() const;
  /// Index of the first moment at which the modes have diverged; number of moments if they never do.
  std::size_t diverged() const;
};

/// Called with every moment during the run.
using Watch = std::function<void(const Moment& moment, const State& soft, const State& hard)>;

/// Called every few hundred steps or events: whether to stop.
using Stop = std::function<bool()>;

/// Runs both twins to their end, side by side.
/// @param threads of the soft mode; 0: as many as there are cores
/// @param stop when it returns true, the comparison up to then is returned, at least that of time 0; empty: never stop
/// @throws InvalidScene, PhysicsError as both modes do
Comparison run(const Twins& twins, int threads, const Watch& watch, const Stop& stop = {});

/// e-folding time of the difference of two hard runs [s], by a least-squares fit of its logarithm while the difference
/// is below kDiverged; nothing if it does not grow or there are fewer than three such moments.
std::optional<double> chaos_time(const Comparison& comparison);

}  // namespace scree::compare
