#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/scene/thermostat.hpp"

namespace scree {

struct ParticleState;
struct Scene;

/// What a thermostat makes of the velocities of all grains at its time number `turn`, which counts from 1.
///
/// About their common velocity along periodic axes, which stays, and about rest along others:
/// - kicks: c += sqrt(strength every) g, less the mean of what they add to the momentum (D. R. M. Williams & F. C.
///   MacKintosh, Phys. Rev. E 54 (1996) R9; T. P. C. van Noije & M. H. Ernst, Granular Matter 1 (1998) 57);
/// - langevin: c = c exp(-rate every) + sqrt(k T / m (1 - exp(-2 rate every))) g, the exact solution of Langevin's
///   equation over the time;
/// - rescaling: c times the root of the ratio of k T to what it is: the mean of m c^2 over the axes, and, if spins are
///   meant, of I w^2.
///
/// g: normal deviates, a pure function of (seed, turn, id): they depend on no order.
/// @param periodic axes along which the net momentum of the grains is conserved
/// @return x, y, angular velocity of each grain [m/s, rad/s]
/// Cost: O(N)
std::vector<Motion> thermalised(const Thermostat& thermostat, const ParticleState& grains, std::array<bool, 2> periodic,
                                std::uint64_t seed, std::uint64_t turn);

/// @throws InvalidScene if it would act more than 1e9 times, or a cell deforms
void require_sensible(const Thermostat& thermostat, const Scene& scene);

/// Time number `turn` [s]; infinite after the last.
double time_of(const Thermostat& thermostat, std::uint64_t turn);

}  // namespace scree
