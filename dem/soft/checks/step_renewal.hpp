#pragma once

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <optional>

#include "dem/soft/forces/contact_elements.hpp"
#include "dem/soft/motion/gear.hpp"
#include "dem/soft/motion/step_clock.hpp"

namespace scree::soft {

/// What step some contacts need.
struct StepNeed {
  bool bears_double = true;  ///< one halving less would do
  bool is_met = true;        ///< some number of halvings does
  int halvings = 0;          ///< the first that does, not less than now

  /// What they need together with others.
  StepNeed& operator+=(const StepNeed& other) {
    bears_double = bears_double && other.bears_double;
    is_met = is_met && other.is_met;
    halvings = std::max(halvings, other.halvings);
    return *this;
  }
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.bears_double, self.is_met, self.halvings);
  }
};

/// How often the longest step has to be halved for the grains with all their contacts: so often that none oscillates
/// faster than kRenewedOmegaDt in a step, and that stiffness and damping take no more than kRenewedStabilityShare of
/// what the integrator bears. Once a step twice as long would use less than kPartToDouble of both, one halving is taken
/// back. Depends on nothing but the state of the run (docs/theory.md, section 7).
/// @param elements of all contacts of some grains  @param limit of the integrator
/// Cost: O(elements)
StepNeed step_need(const ContactElements& elements, std::uint32_t bodies, const StabilityLimit& limit,
                   const StepClock& clock);
/// @param need of all grains together @return nothing if even the shortest step is too long
std::optional<int> renewed_halvings(const StepNeed& need, const StepClock& clock);

/// Bounds that are up to twice too high are compared with these.
inline constexpr double kRenewedOmegaDt = 2.0 * std::numbers::pi / 30.0;  // rad
inline constexpr double kRenewedStabilityShare = 1.0;
inline constexpr double kPartToDouble = 0.8;  // of both, for a step twice as long

}  // namespace scree::soft
