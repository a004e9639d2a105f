#pragma once

#include <array>
#include <optional>

namespace scree {

/// At regular times all grains get other velocities (dem/thermostat.hpp).
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

}  // namespace scree
