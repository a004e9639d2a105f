#pragma once

#include <array>
#include <cstddef>

namespace scree {

/// What advances the soft mode: the forms of Gear's predictor-corrector, by their number of values; that of 3 values is
/// velocity Verlet.
enum class Integrator { velocity_verlet, gear_4, gear_5, gear_6 };

/// As users write them, in the order of Integrator.
inline constexpr std::array<const char*, 4> kIntegratorNames = {"velocity_verlet", "gear_4", "gear_5", "gear_6"};
inline const char* name(Integrator integrator) {
  return kIntegratorNames[static_cast<std::size_t>(integrator)];
}

}  // namespace scree
