#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dem/compare/difference.hpp"
#include "dem/compare/twins.hpp"
#include "dem/state.hpp"

namespace scree::compare {

/// What is asked of the state of one mode.
struct Figures {
  double kinetic_energy = 0.0;    ///< translation and rotation [J]
  double potential_energy = 0.0;  ///< in gravity [J]
  double temperature = 0.0;       ///< kT: energy of translation relative to the mean motion, over N - 1 [J]
  double mean_height = 0.0;       ///< of the centre of mass above the domain's lower side [m]
  double greatest_height = 0.0;   ///< of a disk's top [m]
  std::uint64_t contacts = 0;     ///< begun so far: in hard mode collisions, and hits of sides and walls
};

/// Both modes at one time, that of the soft mode's step.
struct Moment {
  double time = 0.0;  ///< [s]
  Figures soft;
  Figures hard;
  double rms_velocity = 0.0;  ///< of the hard mode [m/s]
  Difference between;         ///< both modes
  Difference chaos;           ///< two hard runs whose first velocities differ by kNudge of themselves
};
inline constexpr double kNudge = 1e-12;

/// Trajectories have parted when positions differ by this share of the mean diameter (rms).
inline constexpr double kParted = 0.1;

struct Comparison {
  std::vector<Moment> moments;  ///< at time 0, after every output.every, and at the end
  double contact_time = 0.0;    ///< of the soft mode, see contact_time [s]
  double mean_diameter = 0.0;   ///< [m]
  double step = 0.0;            ///< of the soft mode [s]
  std::uint64_t steps = 0;
  std::uint64_t disks = 0;
  double soft_seconds = 0.0;  ///< wall time
  double hard_seconds = 0.0;

  /// Of a disk in the hard mode, a contact with a side counted half [s]; infinite without contacts.
  double mean_free_time() const;
  /// Number of the first moment at which the modes have parted; that of moments if they never do.
  std::size_t parted() const;
};

/// Looks at every moment while both go on.
using Watch = std::function<void(const Moment& moment, const State& soft, const State& hard)>;

/// Runs both twins to their end, one beside the other.
/// @param threads of the soft mode; 0: as many as there are cores
/// @throws InvalidScene, PhysicsError as both modes do
Comparison run(const Twins& twins, int threads, const Watch& watch);

/// e-folding time of the difference of two hard runs, by least squares of its logarithm, while it is below kParted [s];
/// nothing if it does not grow or fewer than three moments tell.
std::optional<double> chaos_time(const Comparison& comparison);

/// Errors of the soft mode beside the hard one, as shares. Position and velocity: at the last moment at which no run of
/// the list has parted.
struct Errors {
  double position = 0.0;  ///< rms, over the mean diameter
  double velocity = 0.0;  ///< mean, over the hard mode's rms velocity: a disk in contact has none of the hard ones
  double kinetic_energy = 0.0;  ///< mean over time
  double contacts = 0.0;        ///< at the end
};

/// The soft mode with one stiffness beside the hard mode.
struct StiffnessRow {
  double stiffness = 0.0;       ///< [N/m]
  double contact_time = 0.0;    ///< [s]
  double mean_free_time = 0.0;  ///< [s]
  double step = 0.0;            ///< [s]
  std::uint64_t steps = 0;
  double soft_seconds = 0.0;  ///< wall time
  Errors errors = {};
};

/// The limit of hard disks: the twins with each stiffness of a list.
struct Limit {
  double time = 0.0;  ///< at which positions and velocities are compared [s]
  std::vector<StiffnessRow> rows;
};

/// @param stiffnesses rising [N/m]
/// Where contacts are smooth and elastic a contact has as many steps with each; otherwise their number grows with the
/// root of the stiffness, since the dashpot's and friction's jumps make the step's error first order.
/// @param watch told of each run when it is done
Limit limit(const Twins& twins, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch);

/// Exponent n of error ~ stiffness^n, by least squares of the logarithms of what is > 0; nothing for less than two
/// rows.
std::optional<double> slope(const Limit& limit, double Errors::*error);

}  // namespace scree::compare
