#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/compare/least_squares.hpp"

namespace scree::compare {

/// A relative difference of the soft mode from the hard one.
struct RelativeError {
  double value = 0.0;
  std::optional<double> error = {};  ///< standard error of `value`; absent if it is unknown
  double chance = 0.0;               ///< a value that is not greater is one of chance
};

/// Comparison of the soft mode with one stiffness and the hard mode.
struct StiffnessRow {
  double stiffness = 0.0;       ///< [N/m]
  double contact_time = 0.0;    ///< [s]
  double mean_free_time = 0.0;  ///< [s]
  double step = 0.0;            ///< [s]
  std::uint64_t steps = 0;
  double soft_seconds = 0.0;               ///< wall time
  std::vector<RelativeError> errors = {};  ///< in the order of Limit::errors
};

/// The limit of hard disks: the runs with each stiffness of a list.
struct Limit {
  /// Names of the errors. Two are errors of trajectories at `time`: of positions (rms over the mean diameter) and of
  /// velocities (mean over the rms velocity of the hard mode; not rms, since the velocity of a soft disk in contact
  /// equals none of the hard mode). The others are the sizes of differences of quantities (dem/compare/quantities.hpp).
  std::vector<std::string> errors = {};
  std::vector<std::string> caveats = {};  ///< of each of them, as ComparedQuantity has it; may be empty
  std::vector<StiffnessRow> rows = {};
  double time = 0.0;  ///< the last moment at which no run of the list has diverged [s]
};
inline constexpr std::size_t kPositionError = 0;
inline constexpr std::size_t kVelocityError = 1;

/// @param stiffnesses rising [N/m] If contacts are smooth and elastic, a contact has the same number of steps with each
///   stiffness. Otherwise this number grows with the root of the stiffness, since the jumps of dashpot and friction
///   make the error of the time step first order.
/// @param watch called after each stiffness
/// @param stop as above; a stiffness that was stopped has no row
Limit limit(const Ensemble& ensemble, std::span<const double> stiffnesses, int threads,
            const std::function<void(const StiffnessRow&)>& watch, const Stop& stop = {});

/// Whether an error is greater than what chance gives.
bool beyond_chance(const RelativeError& error);

/// Exponent n of error ~ stiffness^n, by a least-squares fit of the logarithms of errors beyond chance; nothing for
/// fewer than three of them, and for what cannot be compared (which has a caveat). @param error its number in
/// limit.errors
std::optional<Slope> slope(const Limit& limit, std::size_t error);

}  // namespace scree::compare
