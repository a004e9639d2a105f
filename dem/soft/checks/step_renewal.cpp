#include "dem/soft/checks/step_renewal.hpp"

#include <array>
#include <cmath>

namespace scree::soft {

StepNeed step_need(const ContactElements& elements, std::uint32_t bodies, const StabilityLimit& limit,
                   const StepClock& clock) {
  const auto bears = [&](int halvings, double part) {
    const double dt = std::ldexp(clock.longest(), -halvings);
    const double square = part * kRenewedOmegaDt * kRenewedOmegaDt / (dt * dt);
    const std::array bounds = {Bound{springs(), square}, Bound{shares(dt, limit), part * kRenewedStabilityShare}};
    return !is_beyond(elements, bounds, bodies);
  };
  const int now = clock.halvings();
  StepNeed need{.bears_double = now > 0 && bears(now - 1, kPartToDouble), .halvings = now};
  while (!need.bears_double && !bears(need.halvings, 1.0)) {
    if (need.halvings == clock.most_halvings()) {
      need.is_met = false;
      break;
    }
    ++need.halvings;
  }
  return need;
}

std::optional<int> renewed_halvings(const StepNeed& need, const StepClock& clock) {
  if (need.bears_double) return clock.halvings() - 1;
  if (!need.is_met) return {};
  return need.halvings;
}

}  // namespace scree::soft
