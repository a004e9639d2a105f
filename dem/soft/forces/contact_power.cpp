#include "dem/soft/forces/contact_power.hpp"

#include <algorithm>
#include <functional>

#include "dem/soft/lanes/views.hpp"
#include "parallel/ordered_sum.hpp"

namespace scree::soft {

PowerTally& PowerTally::operator+=(const PowerTally& other) {
  contacts.damping += other.contacts.damping;
  contacts.friction += other.contacts.friction;
  contacts.rolling += other.contacts.rolling;
  contacts.law += other.contacts.law;
  contacts.wall_work += other.contacts.wall_work;
  contacts.friction_heat += other.contacts.friction_heat;
  contacts.rolling_heat += other.contacts.rolling_heat;
  released += other.released;
  return *this;
}

double PowerIntegral::largest_grain(const Bodies& bodies) {
  double largest = 0.0;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    largest = std::max(largest, bodies.bounding_radius[body]);
  }
  return largest;
}

void PowerIntegral::find_quanta(double largest, const ContactLaws& laws, double dt) {
  constexpr double kRoom = 64.0;  // for dashpots, cohesion, and walls that push
  const double energy = kRoom * laws.greatest_stiffness() * largest * largest;
  quanta_ = {Quanta::up_to(energy / dt), Quanta::up_to(energy)};
}

/// @param list contacts, ascending; null: all
lanes::PowerSums PowerIntegral::sum(const Bodies& bodies, const ContactLaws& laws, const std::uint32_t* list,
                                    std::size_t count, Contacts& contacts) {
  return ordered_sum(
             count, parts_,
             [&](std::size_t begin, std::size_t end) {
               const lanes::Range range = {list, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
               return tally_range(bodies, bodies.velocity, laws, range, contacts);
             })
      .contacts;
}

PowerTally PowerIntegral::tally_range(const Bodies& bodies, std::span<const Motion> velocity, const ContactLaws& laws,
                                      const lanes::Range& some, Contacts& contacts) const {
  lanes::BodiesIn bodies_in = bodies_for_lanes(bodies);
  bodies_in.velocity = velocity.front().data();
  const lanes::Kernels& kernels = lanes::kernels();
  const auto add_power = contacts.image_velocity.empty() ? kernels.add_power : kernels.add_power_in_flow;
  const bool rolling = laws.any_rolling() && !contacts.rolling.empty();
  const lanes::PerQuantum per_quantum = {quanta_.power.per_coarse, quanta_.energy.per_coarse};
  PowerTally tally;
  add_power(bodies_in, candidates_for_lanes(contacts), contacts_for_lanes(contacts, {}), some, rolling, per_quantum,
            tally.contacts);
  return tally;
}

PowerTally PowerIntegral::released(const Bodies& bodies, const ContactLaws& laws,
                                   std::span<const EndedContact> ended) const {
  PowerTally all;
  for (const EndedContact& contact : ended) release(bodies, laws, contact, all);
  return all;
}

void PowerIntegral::release(const Bodies& bodies, const ContactLaws& laws, const EndedContact& ended,
                            PowerTally& tally) const {
  quanta_.energy.add(tangential_energy(laws.of(bodies, ended.bodies), ended), tally.released);
}

PowerTally PowerIntegral::tally(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended,
                                std::span<const char> own, Contacts& contacts) {
  if (own.empty()) {
    PowerTally now = released(bodies, laws, ended);
    now.contacts = sum(bodies, laws, nullptr, contacts.size(), contacts);
    return now;
  }
  PowerTally now;
  std::vector<std::uint32_t> counted(contacts.size());
  std::vector<std::uint32_t> others(contacts.size());
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {  // without branches
    counted[count] = k;
    others[k - count] = k;
    count += own[contacts.bodies(k).a] != 0 ? 1 : 0;
  }
  (void)sum(bodies, laws, others.data(), contacts.size() - count, contacts);
  now.contacts = sum(bodies, laws, counted.data(), count, contacts);
  for (const EndedContact& contact : ended) {
    if (own[contact.bodies.a] != 0) release(bodies, laws, contact, now);
  }
  return now;
}

PowerTally PowerIntegral::tally_some(const Bodies& bodies, const ContactLaws& laws, std::span<const EndedContact> ended,
                                     std::span<const std::uint32_t> list, Contacts& contacts) {
  PowerTally now = released(bodies, laws, ended);
  now.contacts = sum(bodies, laws, list.data(), list.size(), contacts);
  return now;
}

ContactWork PowerIntegral::close(const PowerTally& tally, double dt) {
  const lanes::PowerSums& sums = tally.contacts;
  const auto power = [&](const WholeSum& sum) { return quanta_.power.value(sum); };
  const auto heat = [&](const WholeSum& sum) { return quanta_.energy.value(sum); };
  const ContactPower now = {.damping = power(sums.damping),
                            .friction = power(sums.friction),
                            .rolling = power(sums.rolling),
                            .law = power(sums.law),
                            .wall_work = power(sums.wall_work)};
  const ContactWork work = {.damping = 0.5 * dt * (last_.damping + now.damping),
                            .friction = 0.5 * dt * (last_.friction + now.friction) + heat(sums.friction_heat),
                            .rolling = 0.5 * dt * (last_.rolling + now.rolling) + heat(sums.rolling_heat),
                            .law = 0.5 * dt * (last_.law + now.law) + heat(tally.released),
                            .wall_work = 0.5 * dt * (last_.wall_work + now.wall_work)};
  last_ = now;
  return work;
}

double kinetic_energy(const Bodies& bodies, std::uint32_t body, const Periodic& periodic) {
  Motion v = bodies.velocity[body];
  if (periodic.deforms()) {
    const Vec2 flow = periodic.flow(linear(bodies.position[body]));
    v -= Motion(flow.x(), flow.y(), 0.0);
  }
  return 0.5 * (bodies.mass[body] * linear(v).squaredNorm() + bodies.inertia(body) * v.z() * v.z());
}

ExactSum sum_of_kinetic_energies(const Bodies& bodies, const Periodic& periodic, std::span<const char> own) {
  ExactSum sum;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body) || (!own.empty() && own[body] == 0)) continue;
    sum.add(kinetic_energy(bodies, body, periodic));
  }
  return sum;
}

double kinetic_energy(const Bodies& bodies, const Periodic& periodic) {
  return sum_of_kinetic_energies(bodies, periodic, {}).value();
}

}  // namespace scree::soft
