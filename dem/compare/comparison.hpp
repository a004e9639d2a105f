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

/// What is asked of the state of one mode.
struct Figures {
  double kinetic_energy = 0.0;    ///< translation and rotation [J]
  double potential_energy = 0.0;  ///< in gravity [J]
  Gas gas;                        ///< temperature and what else kinetic theory asks for
  double mean_height = 0.0;       ///< of the centre of mass above the domain's lower side [m]
  double greatest_height = 0.0;   ///< of a disk's top [m]
  std::uint64_t contacts = 0;     ///< begun so far: in hard mode collisions, and hits of sides and walls
  std::uint64_t left = 0;         ///< disks that left the domain so far
  double mass_left = 0.0;         ///< theirs [kg]
  // As a Sample has them, since the moment before; 0 as long as the scene does not measure yet.
  double collision_rate = 0.0;            ///< [1/s]
  double pressure = 0.0;                  ///< [N/m]
  double wall_pressure = 0.0;             ///< mean over the axes that are not periodic [N/m]
  double mean_square_displacement = 0.0;  ///< [m^2]
};

/// Both modes at one time, that of the soft mode's step.
struct Moment {
  double time = 0.0;  ///< [s]
  Figures soft;
  Figures hard;
  Figures again;              ///< of a hard run whose first velocities differ by kStir of themselves
  double rms_velocity = 0.0;  ///< of the hard mode [m/s]
  Difference between;         ///< both modes
  Difference chaos;           ///< two hard runs whose first velocities differ by kNudge of themselves
};
inline constexpr double kNudge = 1e-12;
/// So large that trajectories part as early as those of the modes: what then differs does so by chance.
inline constexpr double kStir = 1e-3;

/// Trajectories have parted when positions differ by this share of the mean diameter (rms).
inline constexpr double kParted = 0.1;

/// What is averaged over the moments from first_sample on.
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
  bool stopped = false;          ///< before the end
  std::size_t first_sample = 0;  ///< number of the first moment that has rates and pressures; that of moments if none
  Averages soft;
  Averages hard;
  Averages again;

  /// Of a disk in the hard mode, a contact with a side counted half [s]; infinite without contacts.
  double mean_free_time() const;
  /// Number of the first moment at which the modes have parted; that of moments if they never do.
  std::size_t parted() const;
};

/// Looks at every moment while both go on.
using Watch = std::function<void(const Moment& moment, const State& soft, const State& hard)>;

/// Asked now and then, some hundreds of steps or events apart: whether to stop.
using Stop = std::function<bool()>;

/// Runs both twins to their end, one beside the other.
/// @param threads of the soft mode; 0: as many as there are cores
/// @param stop    once it says so, what was seen until then is returned, time 0 at least; empty: never
/// @throws InvalidScene, PhysicsError as both modes do
Comparison run(const Twins& twins, int threads, const Watch& watch, const Stop& stop = {});

/// e-folding time of the difference of two hard runs, by least squares of its logarithm, while it is below kParted [s];
/// nothing if it does not grow or fewer than three moments tell.
std::optional<double> chaos_time(const Comparison& comparison);

/// The soft mode with one stiffness beside the hard mode.
struct StiffnessRow {
  double stiffness = 0.0;       ///< [N/m]
  double contact_time = 0.0;    ///< [s]
  double mean_free_time = 0.0;  ///< [s]
  double step = 0.0;            ///< [s]
  std::uint64_t steps = 0;
  double soft_seconds = 0.0;        ///< wall time
  std::vector<double> errors = {};  ///< as shares, in the order of Limit::errors
};

/// The limit of hard disks: the twins with each stiffness of a list.
struct Limit {
  /// Names of what has an error. Two are of trajectories, at `time`: of positions, rms over the mean diameter, and of
  /// velocities, the mean over the hard mode's rms velocity, since a disk in contact has none of the hard ones. The
  /// others are the differences of quantities (dem/compare/quantities.hpp).
  std::vector<std::string> errors = {};
  std::vector<StiffnessRow> rows = {};
  double time = 0.0;  ///< the last moment at which no run of the list has parted [s]
  /// The errors that hard runs have beside one another, with the first stiffness; what is not greater is chance.
  std::vector<double> chance = {};
};
inline constexpr std::size_t kPositionError = 0;
inline constexpr std::size_t kVelocityError = 1;

/// @param stiffnesses rising [N/m]
/// Where contacts are smooth and elastic a contact has as many steps with each; otherwise their number grows with the
/// root of the stiffness, since the dashpot's and friction's jumps make the step's error first order.
/// @param watch told of each run when it is done
/// @param stop  as above; a run that was stopped is no row
Limit limit(const Twins& twins, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch, const Stop& stop = {});

/// Exponent n of error ~ stiffness^n, by least squares of the logarithms of what is greater than chance; nothing for
/// less than two rows. @param error its number in limit.errors
std::optional<double> slope(const Limit& limit, std::size_t error);

}  // namespace scree::compare
