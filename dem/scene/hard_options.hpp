#pragma once

#include <algorithm>
#include <array>
#include <optional>

namespace scree {

/// What numbers the hard mode flies disks with.
enum class Arithmetic { floating, exact };

/// As users write them, in the order of Arithmetic.
inline constexpr std::array<const char*, 2> kArithmeticNames = {"float", "exact"};

/// Hard mode: disks that grow in proportion to their sizes until they jam (B. D. Lubachevsky & F. H. Stillinger, J.
/// Stat. Phys. 60 (1990) 561). They are smooth and fly straight; masses stay.
struct GrowthSpec {
  double rate = 0.0;              ///< at which the share of the given radii grows, >= 0 [1/s]; 0: nothing grows
  double from = 1.0;              ///< that share at the start, (0, 1]
  double packing_fraction = 1.0;  ///< of all disks, at which growth ends; (0, 1]
  /// p A / (N kT), averaged between two rescalings, at which growth ends and all disks stop; (1, 1e9]
  double pressure = 1e6;
  double rescaling = 20.0;  ///< collisions a disk after which velocities get the energy of the start again; [1, 64]
  /// p A / (N kT) beyond which the rate falls as 1 / p; >= 1; absent: it stays.
  std::optional<double> slow_beyond = {};
  std::optional<double> least_rate = {};  ///< where it ends to fall, (0, rate]; absent: a thousandth of it [1/s]

  /// @param reduced_pressure p A / (N kT)  @return [1/s]
  double rate_at(double reduced_pressure) const {
    if (!slow_beyond || reduced_pressure <= *slow_beyond) return rate;
    return std::max(rate * (*slow_beyond / reduced_pressure), least_rate.value_or(1e-3 * rate));
  }

  bool operator==(const GrowthSpec&) const = default;
};

/// Hard mode: a square well or shoulder. A pair whose centres are nearer than `range` times the sum of its radii has
/// the potential energy `energy`.
struct Well {
  double range = 1.0;   ///< >= 1; 1: none
  double energy = 0.0;  ///< below 0 a well, above 0 a shoulder [J]

  bool operator==(const Well&) const = default;
};

/// What only the event-driven mode uses.
struct HardOptions {
  /// t_c of the TC model, within which a second collision of a disk does not dissipate [s], >= 0; 0: none.
  double contact_duration = 0.0;
  Arithmetic arithmetic = Arithmetic::floating;
  GrowthSpec growth;
  Well well;
  /// When all velocities and spins are reversed [s], > 0; absent: never.
  std::optional<double> reverse = {};

  bool operator==(const HardOptions&) const = default;
};

}  // namespace scree
