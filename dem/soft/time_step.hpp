#pragma once

#include <numbers>
#include <string>

#include "dem/scene.hpp"

namespace scree::soft {

/// A time step and where it comes from.
struct TimeStep {
  double dt = 0.0;     ///< [s]
  std::string reason;  ///< one sentence for the user
};

/// Steps a contact lasts, at least.
inline constexpr double kStepsPerContact = 50.0;

/// Factor on the stiffness of a single flat contact, for several contacts at a time and for lever arms. A grain between
/// two flat contacts has the frequency of 2 k; k itself, of the longest side against the smallest partner, is about
/// twice that of a usual contact, so that four of these, or two with their levers, are covered as well.
inline constexpr double kSeveralContacts = 2.0;

/// A damping ratio beyond this shortens the step in proportion: what an integrator bears is 2 zeta omega dt, and the
/// dashpots of a grain's contacts add up. 0.8 for velocity Verlet and 4 values, less for 5 and 6.
double strong_damping(int gear_values);

/// The step must not be longer than a twentieth of a period.
inline constexpr double kMaxOmegaDt = 2.0 * std::numbers::pi / 20.0;

/// omega dt at which a single contact is too stiff for the step [rad]: kMaxOmegaDt, or the integrator's stability limit
/// if that is lower (docs/theory.md, sections 1 and 7).
/// @param damping_ratio of the contact  @param gear_values of the integrator
double max_omega_dt(double damping_ratio, int gear_values);

/// 1/50 of the shortest contact, divided by its damping ratio over strong_damping if that is more than 1. The contact
/// lasts pi sqrt(m_eff / (2 k)), where k is the greatest dF/d(depth) that a grain can meet according to the scene's
/// laws (a flat contact of its longest side, or of the chord of its inscribed circle if that is longer, against the
/// smallest partner, or against a wall) and m_eff its reduced mass there, minimised over all grains of the scene, those
/// not yet poured among them.
/// @throws InvalidScene if the scene names a law that there is not
TimeStep automatic_time_step(const Scene& scene);

/// The scene's own step, or the automatic one. @throws InvalidScene if the scene names a law that there is not
TimeStep time_step(const Scene& scene);

}  // namespace scree::soft
