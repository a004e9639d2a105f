#include "dem/soft/rest.hpp"

#include <array>
#include <cmath>

namespace scree::soft {

double unbalanced_force_ratio(const Scene& scene, const Bodies& bodies, const Contacts& contacts,
                              std::span<const Motion> net_force) {
  double unbalanced = 0.0;
  double all = 0.0;
  const auto free_part = [&](std::uint32_t body, Vec2 force) {
    const std::array<bool, 3>& fixed = scene.particles[static_cast<std::size_t>(bodies.type[body])].fixed;
    for (const std::size_t k : {0, 1}) {
      if (fixed[k]) force[static_cast<Eigen::Index>(k)] = 0.0;
    }
    return force;
  };
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body)) continue;
    const Vec2 weight = bodies.mass[body] * scene.gravity;
    unbalanced += free_part(body, linear(net_force[body]) + weight).norm();
    all += free_part(body, weight).norm();
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const Vec2 force = contacts.force[k].on_b();
    all += free_part(pair.a, force).norm();
    if (!bodies.is_wall(pair.b)) all += free_part(pair.b, force).norm();
  }
  return all > 0.0 ? unbalanced / all : 1.0;
}

}  // namespace scree::soft
