#include "dem/soft/step_renewal.hpp"

#include <cmath>

namespace scree::soft {

std::optional<int> renewed_halvings(std::span<const ContactElement> elements, std::uint32_t bodies,
                                    const StabilityLimit& limit, const StepClock& clock) {
  const auto bears = [&](int halvings, double part) {
    const double dt = std::ldexp(clock.longest(), -halvings);
    const double square = part * kRenewedOmegaDt * kRenewedOmegaDt / (dt * dt);
    if (upper_bound(elements, springs(elements), bodies, square).value > square) return false;
    const double share = part * kRenewedStabilityShare;
    return upper_bound(elements, shares(elements, dt, limit), bodies, share).value <= share;
  };
  const int now = clock.halvings();
  if (now > 0 && bears(now - 1, kPartToDouble)) return now - 1;
  for (int halvings = now; halvings <= clock.most_halvings(); ++halvings) {
    if (bears(halvings, 1.0)) return halvings;
  }
  return {};
}

}  // namespace scree::soft
