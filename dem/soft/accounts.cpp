#include "dem/soft/accounts.hpp"

#include <algorithm>

#include "dem/soft/rooms.hpp"

namespace scree::soft {

void Accounts::enter(const ParticleEnergy& of_particle) {
  energy.in += of_particle.kinetic + of_particle.potential;
}

void Accounts::leave(const ParticleEnergy& of_particle) {
  energy.out += of_particle.kinetic + of_particle.potential;
  energy.kinetic_out += of_particle.kinetic;
}

void Accounts::end_with_body(double depth_ratio, const ElasticEnergy& elastic) {
  impact_depths.add(depth_ratio);
  energy.out += elastic.sum();
  energy.law -= elastic.without_potential;
}

void Accounts::change_velocity(double before, double after) {
  energy.in -= before;
  energy.in += after;
}

void Accounts::change_springs(const ElasticEnergy& before, const ElasticEnergy& after) {
  energy.in += after.sum() - before.sum();
  energy.law += after.without_potential - before.without_potential;
}

void Accounts::look_at_flow(double flow_energy) {
  energy.scale = std::max(energy.scale, flow_energy);
}

void Accounts::end_pairs(std::span<const Tally::Ended> ended) {
  // What was left in their tangential springs is dissipated.
  for (const Tally::Ended& each : ended) {
    impact_depths.add(each.depth_ratio);
    energy.law += each.energy;
  }
}

void Accounts::close_powers(const PowerTally& all, double dt, PowerIntegral& power) {
  const ContactWork of_contacts = power.close(all, dt);
  energy.damping += of_contacts.damping;
  energy.friction += of_contacts.friction;
  energy.rolling += of_contacts.rolling;
  energy.law += of_contacts.law;
  energy.wall_work += of_contacts.wall_work;
}

void Accounts::close_step(Tally& all, double dt, std::uint64_t particles, PowerIntegral& power, LocalDamping& local,
                          Cell& cell) {
  if (all.power_before) close_powers(*all.power_before, dt, power);
  if (all.gain.sum) gain(all.gain.sum->value());
  std::ranges::sort(all.ended_with_pairs, {}, &Tally::Ended::key);
  end_pairs(all.ended_with_pairs);
  for (const double correction : all.servo_work) energy.wall_work += correction;
  if (all.power.sum) close_powers(*all.power.sum, dt, power);
  if (all.damping.sum) energy.local += local.close(all.damping.sum->value(), dt);
  if (all.cell.sum) energy.wall_work += cell.close(*all.cell.sum, dt);
  for (const double depth_ratio : all.ended_depths) impact_depths.add(depth_ratio);
  chord_jumps += all.chord_jumps;
  particle_steps += particles;
}

void close_put_off(Rooms& r, Accounts& accounts) {
  if (const auto all = take_put_off(r)) accounts.close_powers(*all, r.clock.dt(), r.power);
}

}  // namespace scree::soft
