#include "dem/soft/motion/local_damping.hpp"

#include "parallel/ordered_sum.hpp"

namespace scree::soft {

ExactSum LocalDamping::power(const Bodies& bodies, const Periodic& periodic, std::span<const char> own) {
  return ordered_sum(bodies.beyond_walls(), parts_, [&](std::size_t begin, std::size_t end) {
    ExactSum sum;
    for (std::size_t k = begin; k < end; ++k) {
      const auto body = bodies.walls + static_cast<std::uint32_t>(k);
      if (bodies.is_part(body) || (!own.empty() && own[body] == 0)) continue;
      const Motion mass(bodies.mass[body], bodies.mass[body], bodies.inertia(body));
      Motion velocity = bodies.velocity[body];
      if (periodic.deforms()) {
        const Vec2 flow = periodic.flow(linear(bodies.position[body]));
        velocity -= Motion(flow.x(), flow.y(), 0.0);
      }
      sum.add(-(mass * acceleration_[body] * velocity).sum());
    }
    return sum;
  });
}

}  // namespace scree::soft
