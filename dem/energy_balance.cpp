#include "dem/energy_balance.hpp"

#include <algorithm>
#include <cmath>

#include "dem/tolerances.hpp"

namespace scree {

double EnergyBalance::scale_with(double kinetic) const {
  return std::max(
      {scale, kinetic + kinetic_out + damping + friction + rolling + local + rescaling, std::abs(wall_work)});
}

void balance(const EnergyBalance& accounts, const Energies& now, Summary& s) {
  s.kinetic_energy = now.kinetic;
  s.potential_energy = now.potential;
  s.elastic_energy = now.elastic;
  s.elastic_energy_tangential = now.elastic_tangential;
  s.energy_in = accounts.in;
  s.energy_out = accounts.out;
  s.wall_work = accounts.wall_work;
  s.dissipated_damping = accounts.damping;
  s.dissipated_friction = accounts.friction;
  s.dissipated_rolling = accounts.rolling;
  s.dissipated_local = accounts.local;
  s.dissipated_law = accounts.law - now.without_potential + (accounts.rescaling - accounts.growth - accounts.lifting);
  s.energy_throughput = std::max(accounts.scale_with(now.kinetic), kEnergyDigits * now.sum_of_magnitudes);
  const double residual = s.kinetic_energy + s.potential_energy + s.elastic_energy - s.energy_in + s.energy_out -
                          s.wall_work + s.dissipated_damping + s.dissipated_friction + s.dissipated_rolling +
                          s.dissipated_local + s.dissipated_law;
  if (s.energy_throughput > 0.0) s.energy_residual = residual / s.energy_throughput;
}

}  // namespace scree
