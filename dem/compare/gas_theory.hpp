#pragma once

#include "dem/state.hpp"

/// Kinetic theory of a gas of smooth hard disks, for comparison with measurements.
namespace scree::compare {

/// A gas of disks at one moment.
struct Gas {
  double disks = 0.0;
  double area = 0.0;                ///< of the domain [m^2]
  double packing_fraction = 0.0;    ///< of the disks in it
  double mean_diameter = 0.0;       ///< [m]
  double mean_mass = 0.0;           ///< [kg]
  double narrowness = 0.0;          ///< square of the mean diameter over the mean square; 1 if all are equal
  double temperature = 0.0;         ///< kT [J]
  double fluctuation_energy = 0.0;  ///< of translation relative to the mean motion, (N - 1) kT [J]
  double mixture = 1.0;  ///< collision rate over that of equal disks of the mean size and mass, see mixture_factor
};
Gas gas_of(const ParticleState& particles, double area);

/// Z = p A / (N kT) in equilibrium: Henderson's (1 + eta^2 / 8) / (1 - eta)^2 (D. Henderson, Mol. Phys. 30 (1975) 971),
/// 0.5 % high at a packing fraction of 0.5, and for disks of many sizes its mean with 1 / (1 - eta) by the narrowness
/// (A. Santos, S. B. Yuste & M. Lopez de Haro, Mol. Phys. 96 (1999) 1).
double compressibility(const Gas& gas);

/// [N/m]
double pressure(const Gas& gas);

/// Mean collision rate of one disk with others [1/s]: Enskog's, 4 (Z - 1) / (sigma sqrt(pi)) sqrt(kT / m) for equal
/// disks of the mean size and mass, times gas.mixture.
double collision_rate(const Gas& gas);

/// The mean of Enskog's collision rates over all pairs of disks, over the rate of equal disks of the mean size and
/// mass. The disks' distances at contact have the values of Santos, Yuste & Lopez de Haro (as above) with Henderson's
/// for equal disks, (1 - 7 eta / 16) / (1 - eta)^2; all disks have the same temperature. Cost: O(N log N); of more than
/// 64 disks every so-manieth in the order of their sizes stands for its neighbours.
double mixture_factor(const ParticleState& particles, double packing_fraction);

/// Energy of fluctuation of a cooling gas, `time` [s] after the state `start`: Haff's law (P. K. Haff, J. Fluid Mech.
/// 134 (1983) 401), which holds while the gas is homogeneous. @return [J]
double cooled_energy(const Gas& start, double restitution, double time);

}  // namespace scree::compare
