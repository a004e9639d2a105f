#include "dem/soft/local_damping.hpp"

#include "parallel/ordered_sum.hpp"

namespace scree::soft {

void LocalDamping::account(const Bodies& bodies, double dt, EnergyBalance& energy) {
  if (!acts()) return;
  const double power = ordered_sum(bodies.beyond_walls(), parts_, [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      const auto body = bodies.walls + static_cast<std::uint32_t>(k);
      if (bodies.is_part(body)) continue;
      const Motion mass(bodies.mass[body], bodies.mass[body], bodies.inertia(body));
      sum -= (mass * acceleration_[body] * bodies.velocity[body]).sum();
    }
    return sum;
  });
  energy.local += 0.5 * dt * (last_power_ + power);
  last_power_ = power;
}

}  // namespace scree::soft
