#pragma once

namespace scree {

/// Damping ratio zeta = c / (2 sqrt(m k)) of a linear spring-dashpot whose force is clipped at zero (never pulls) that
/// gives a restitution, and the way back. Strictly falling; restitution 0 is not reachable.
///
/// e = exp(-2 zeta A) with A = atan2(s, zeta)/s, s = sqrt(1 - zeta^2) (asinh(s)/s, s = sqrt(zeta^2 - 1), beyond 1).
/// Source: T. Schwager & T. Poeschel, Granular Matter 9 (2007) 465; derivation in docs/theory.md.
double damping_ratio(double restitution);  ///< @pre 0 < restitution <= 1
double restitution(double damping_ratio);  ///< @pre damping_ratio >= 0

/// Damping for a force that is not clipped: it pulls at the end. e = exp(-pi zeta / sqrt(1 - zeta^2)), zeta < 1.
double unclipped_damping_ratio(double restitution);  ///< @pre 0 < restitution <= 1

/// Duration of a contact under the clipped linear spring-dashpot [s]. @param omega sqrt(k / m) [1/s]
double contact_time(double damping_ratio, double omega);

}  // namespace scree
