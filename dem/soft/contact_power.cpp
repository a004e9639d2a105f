#include "dem/soft/contact_power.hpp"

#include <algorithm>
#include <functional>

#include "dem/soft/narrowphase.hpp"
#include "parallel/ordered_sum.hpp"

namespace scree::soft {

namespace {

/// Of one contact; its history gets the relative velocities.
void add_power(const Bodies& bodies, const BodyPair& pair, const ContactGeometry& geometry, const ContactForce& force,
               const ForceParts& parts, ContactHistory& history, ContactPower& sum) {
  const Vec2& normal = geometry.overlap.normal;
  const Motion& velocity_a = bodies.velocity[pair.a];
  const Motion& velocity_b = bodies.velocity[pair.b];
  const Vec2 relative =
      velocity_at(velocity_b, force.point - geometry.branch_vector) - velocity_at(velocity_a, force.point);
  history.tangential_velocity = relative.dot(perp(normal));
  history.relative_angular_velocity = velocity_b.z() - velocity_a.z();
  const double speed = relative.dot(normal);
  const double speed_at_spring = speed - history.relative_angular_velocity * parts.spring_arm;
  sum.damping += parts.spring * speed_at_spring - parts.normal * speed;
  sum.law += parts.non_conservative * speed_at_spring;
  sum.friction -= parts.friction_dashpot * history.tangential_velocity;
  sum.rolling -= parts.rolling_dashpot * history.relative_angular_velocity;
  sum.friction_heat += parts.friction_heat;
  sum.rolling_heat += parts.rolling_heat;
  if (bodies.is_wall(pair.b)) sum.wall_work -= force.on_b.dot(linear(velocity_b)) + force.torque_b * velocity_b.z();
}

}  // namespace

ContactPower& ContactPower::operator+=(const ContactPower& other) {
  damping += other.damping;
  friction += other.friction;
  rolling += other.rolling;
  law += other.law;
  wall_work += other.wall_work;
  friction_heat += other.friction_heat;
  rolling_heat += other.rolling_heat;
  released += other.released;
  return *this;
}

void PowerIntegral::account(const Bodies& bodies, const ContactLaws& laws, double dt,
                            std::span<const EndedContact> ended, Contacts& contacts, EnergyBalance& energy) {
  // In ranges of candidates, which depend neither on threads nor on who touches.
  const ContactPower now = ordered_sum(contacts.candidates.size(), parts_, [&](std::size_t begin, std::size_t end) {
    ContactPower sum;
    const std::size_t last = contacts.first_from(end);
    for (std::size_t k = contacts.first_from(begin); k < last; ++k) {
      add_power(bodies, contacts.bodies(k), contacts.geometry[k], contacts.force[k], contacts.parts[k],
                contacts.history[k], sum);
    }
    for (auto over = std::ranges::lower_bound(ended, begin, {}, &EndedContact::candidate);
         over != ended.end() && over->candidate < end; ++over) {
      sum.released += tangential_energy(laws.of(bodies, over->bodies), over->history);
    }
    return sum;
  });
  energy.damping += 0.5 * dt * (last_.damping + now.damping);
  energy.friction += 0.5 * dt * (last_.friction + now.friction) + now.friction_heat;
  energy.rolling += 0.5 * dt * (last_.rolling + now.rolling) + now.rolling_heat;
  energy.law += 0.5 * dt * (last_.law + now.law) + now.released;
  energy.wall_work += 0.5 * dt * (last_.wall_work + now.wall_work);
  last_ = now;
}

double kinetic_energy(const Bodies& bodies, std::uint32_t body) {
  const Motion& v = bodies.velocity[body];
  return 0.5 * (bodies.mass[body] * linear(v).squaredNorm() + bodies.inertia(body) * v.z() * v.z());
}

double kinetic_energy(const Bodies& bodies) {
  double sum = 0.0;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) sum += kinetic_energy(bodies, body);
  return sum;
}

}  // namespace scree::soft
