#include "dem/soft/contact_power.hpp"

#include <algorithm>
#include <functional>

#include "dem/soft/lanes/views.hpp"
#include "parallel/ordered_sum.hpp"

namespace scree::soft {

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
  const lanes::BodiesIn bodies_in = bodies_for_lanes(bodies);
  const lanes::CandidatesIn candidates = candidates_for_lanes(contacts);
  const lanes::ContactsInOut in_out = contacts_for_lanes(contacts);
  const ContactPower now = ordered_sum(contacts.candidates.size(), parts_, [&](std::size_t begin, std::size_t end) {
    lanes::PowerSums sums{};
    lanes::kernels().add_power(bodies_in, candidates, in_out, static_cast<std::uint32_t>(contacts.first_from(begin)),
                               static_cast<std::uint32_t>(contacts.first_from(end)), laws.any_rolling(), sums);
    ContactPower sum{.damping = sums.damping,
                     .friction = sums.friction,
                     .rolling = sums.rolling,
                     .law = sums.law,
                     .wall_work = sums.wall_work,
                     .friction_heat = sums.friction_heat,
                     .rolling_heat = sums.rolling_heat};
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
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (!bodies.is_part(body)) sum += kinetic_energy(bodies, body);
  }
  return sum;
}

}  // namespace scree::soft
