#pragma once

#include <cstdint>
#include <numbers>
#include <optional>
#include <span>

#include "dem/soft/contact_elements.hpp"
#include "dem/soft/gear.hpp"
#include "dem/soft/step_clock.hpp"

namespace scree::soft {

/// How often the longest step has to be halved for the grains with all their contacts: so often that none oscillates
/// faster than kRenewedOmegaDt in a step, and that stiffness and damping take no more than kRenewedStabilityShare of
/// what the integrator bears. Once a step twice as long would use less than kPartToDouble of both, one halving is taken
/// back. Depends on nothing but the state of the run. Nothing if even the shortest step is too long (docs/theory.md,
/// section 7).
/// @param elements of all contacts  @param limit of the integrator
/// Cost: O(elements)
std::optional<int> renewed_halvings(std::span<const ContactElement> elements, std::uint32_t bodies,
                                    const StabilityLimit& limit, const StepClock& clock);

/// Bounds that are up to twice too high are compared with these.
inline constexpr double kRenewedOmegaDt = 2.0 * std::numbers::pi / 30.0;  // rad
inline constexpr double kRenewedStabilityShare = 1.0;
inline constexpr double kPartToDouble = 0.8;  // of both, for a step twice as long

}  // namespace scree::soft
