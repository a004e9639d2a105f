#pragma once

#include "dem/state.hpp"

namespace scree {

/// The accounts of energy gained and lost since the start of a run, for both modes (docs/theory.md, section 8) [J].
/// Accounts that a mode does not have stay 0. Dissipated energies are positive if the grains lost energy.
struct EnergyBalance {
  double in = 0.0;           ///< of particles when they entered, including those present at the start
  double out = 0.0;          ///< of particles when they left, and of the contacts of walls when they were removed
  double kinetic_out = 0.0;  ///< kinetic part of `out`
  double wall_work = 0.0;    ///< work of the walls on the particles
  double damping = 0.0;      ///< dissipated along the normal: by dashpots, by restitution
  double friction = 0.0;     ///< dissipated along the tangent
  double rolling = 0.0;      ///< dissipated by rolling resistance
  double local = 0.0;        ///< soft: dissipated by local damping
  double law = 0.0;        ///< soft: by contact laws without a potential, including the energy stored in their springs
  double rescaling = 0.0;  ///< hard: removed by rescaling the velocities of growing grains
  double growth = 0.0;     ///< hard: added by growing grains
  double lifting = 0.0;    ///< hard: added by the contact duration to disks at rest on walls
  double scale = 0.0;      ///< the largest scale_with so far

  /// Energy scale of the residual: the present kinetic energy plus that which was dissipated or left, or the work of
  /// the walls if that is more. @param kinetic energy now [J]
  double scale_with(double kinetic) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.in, self.out, self.kinetic_out, self.wall_work, self.damping, self.friction, self.rolling, self.local,
            self.law, self.rescaling, self.growth, self.lifting, self.scale);
  }
};

/// The present energies [J].
struct Energies {
  double kinetic = 0.0;
  double potential = 0.0;           ///< in gravity and in wells
  double elastic = 0.0;             ///< of all springs of contacts, and of cohesion
  double elastic_tangential = 0.0;  ///< part of `elastic`: springs of friction and rolling resistance
  double without_potential = 0.0;   ///< part of `elastic`: springs whose law has no potential
  double sum_of_magnitudes = 0.0;   ///< of potential and elastic energies; scale of rounding errors
};

/// Fills the energies of a summary: the present ones, the accounts, and the residual of kinetic + potential + elastic =
/// in - out + work of walls - all that was dissipated.
void balance(const EnergyBalance& accounts, const Energies& now, Summary& summary);

}  // namespace scree
