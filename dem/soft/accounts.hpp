#pragma once

#include <cstdint>
#include <span>

#include "dem/energy_balance.hpp"
#include "dem/soft/contact/depth_histogram.hpp"
#include "dem/soft/drives/cell.hpp"
#include "dem/soft/forces/contact_power.hpp"
#include "dem/soft/motion/local_damping.hpp"
#include "dem/soft/stage_times.hpp"
#include "dem/soft/tally.hpp"
#include "dem/transfers.hpp"

namespace scree::soft {

struct Rooms;

/// Energies of a particle [J].
struct ParticleEnergy {
  double kinetic;
  double potential;
};

/// What a run has booked and counted since its start. Nothing in a step reads it, and nothing else writes to the energy
/// balance of the soft mode.
struct Accounts {
  EnergyBalance energy;
  std::uint64_t particle_steps = 0;
  std::uint64_t chord_jumps = 0;
  DepthHistogram impact_depths;
  Transfers transfers;
  StageTimes stage_times;

  /// A particle comes with its energy, or leaves with it.
  void enter(const ParticleEnergy& of_particle);
  void leave(const ParticleEnergy& of_particle);
  /// A contact ends since a body leaves, with what its springs hold.
  void end_with_body(double depth_ratio, const ElasticEnergy& elastic);
  /// From outside: kinetic energies of a particle.
  void change_velocity(double before, double after);
  /// All springs become others, as at the start and at the beginning of a stage.
  void change_springs(const ElasticEnergy& before, const ElasticEnergy& after);
  /// Books a gain of potential energy by another gravity.
  void gain(double potential) { energy.in += potential; }
  /// @param kinetic of all particles now
  void look_at_motion(double kinetic) { energy.scale = energy.scale_with(kinetic); }
  /// @param energy of a cell's flow
  void look_at_flow(double flow_energy);

  /// What contacts took in a step, before anything else is booked that comes after it. @param dt of it [s]
  void close_powers(const PowerTally& all, double dt, PowerIntegral& power);
  /// Contacts whose boxes parted. @param ended in the order of keys
  void end_pairs(std::span<const Tally::Ended> ended);
  /// The tally of a step, summed over ranks. @param dt of it [s]  @param particles that there are
  /// The others close their integrals over time.
  void close_step(Tally& all, double dt, std::uint64_t particles, PowerIntegral& power, LocalDamping& local,
                  Cell& cell);
};

/// Books what contacts took in the last step, if that is put off: before anything changes that it depends on, and
/// before anybody reads it.
void close_put_off(Rooms& rooms, Accounts& accounts);

}  // namespace scree::soft
