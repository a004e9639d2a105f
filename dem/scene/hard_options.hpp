#pragma once

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
  double rate = 0.0;              ///< radii are the given ones times (from + rate t), >= 0 [1/s]; 0: nothing grows
  double from = 1.0;              ///< (0, 1]
  double packing_fraction = 1.0;  ///< of all disks, at which growth ends; (0, 1]
  /// p A / (N kT), averaged between two rescalings, at which growth ends and all disks stop; (1, 1e9]
  double pressure = 1e6;
  double rescaling = 20.0;  ///< collisions a disk after which velocities get the energy of the start again; [1, 64]

  bool operator==(const GrowthSpec&) const = default;
};

/// Hard mode: a square well or shoulder. A pair whose centres are nearer than `range` times the sum of its radii has
/// the potential energy `energy`.
struct Well {
  double range = 1.0;   ///< >= 1; 1: none
  double energy = 0.0;  ///< below 0 a well, above 0 a shoulder [J]

  bool operator==(const Well&) const = default;
};

/// Hard mode: at regular times all grains get other velocities (dem/hard/scene/thermostat.hpp).
struct Thermostat {
  enum class Kind { kicks, langevin, rescaling };

  Kind kind = Kind::kicks;
  double every = 0.0;        ///< [s], > 0
  double strength = 0.0;     ///< kicks: by which the variance of a velocity grows along each axis, > 0 [m^2/s^3]
  double temperature = 0.0;  ///< langevin, rescaling: k T, > 0 [J]
  double rate = 0.0;         ///< langevin: at which a velocity forgets what it was, > 0 [1/s]
  bool turns = false;        ///< langevin, rescaling: angular velocities, too
  double from = 0.0;         ///< [s], >= 0
  std::optional<double> until = {};  ///< [s]; absent: the end

  bool operator==(const Thermostat&) const = default;
};

/// As users write them, in the order of Thermostat::Kind.
inline constexpr std::array<const char*, 3> kThermostatNames = {"kicks", "langevin", "rescaling"};

/// What only the event-driven mode uses.
struct HardOptions {
  /// t_c of the TC model, within which a second collision of a disk does not dissipate [s], >= 0; 0: none.
  double contact_duration = 0.0;
  Arithmetic arithmetic = Arithmetic::floating;
  GrowthSpec growth;
  Well well;
  std::optional<Thermostat> thermostat = {};
  /// When all velocities and spins are reversed [s], > 0; absent: never.
  std::optional<double> reverse = {};

  bool operator==(const HardOptions&) const = default;
};

}  // namespace scree
