#include "dem/soft/contact/rest.hpp"

#include <array>
#include <cmath>

#include "dem/scene.hpp"

namespace scree::soft {

void UnbalancedForces::add(const Scene& scene, const Bodies& bodies, const Contacts& contacts,
                           std::span<const Motion> net_force, std::span<const char> own) {
  const auto free_part = [&](std::uint32_t body, Vec2 force) {
    const std::array<bool, 3>& fixed = scene.particles[static_cast<std::size_t>(bodies.type[body])].fixed;
    for (const std::size_t k : {0, 1}) {
      if (fixed[k]) force[static_cast<Eigen::Index>(k)] = 0.0;
    }
    return force;
  };
  const auto counts = [&](std::uint32_t body) { return own.empty() || own[body] != 0; };
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body) || !counts(body)) continue;
    const Vec2 weight = bodies.mass[body] * scene.gravity;
    unbalanced_.add(free_part(body, linear(soft::net_force(bodies, contacts, body, net_force)) + weight).norm());
    all_.add(free_part(body, weight).norm());
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    if (!counts(pair.a)) continue;
    const Vec2 force = contacts.force[k].on_b;
    all_.add(free_part(pair.a, force).norm());
    if (!bodies.is_wall(pair.b)) all_.add(free_part(pair.b, force).norm());
  }
}

UnbalancedForces& UnbalancedForces::operator+=(const UnbalancedForces& other) {
  unbalanced_ += other.unbalanced_;
  all_ += other.all_;
  return *this;
}

double UnbalancedForces::ratio() const {
  const double all = all_.value();
  return all > 0.0 ? unbalanced_.value() / all : 1.0;
}

double unbalanced_force_ratio(const Scene& scene, const Bodies& bodies, const Contacts& contacts,
                              std::span<const Motion> net_force) {
  UnbalancedForces forces;
  forces.add(scene, bodies, contacts, net_force);
  return forces.ratio();
}

}  // namespace scree::soft
