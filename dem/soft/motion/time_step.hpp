#pragma once

#include <numbers>
#include <string>

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// A time step and where it comes from.
struct TimeStep {
  double dt = 0.0;                ///< the longest of the run [s]
  std::string reason = {};        ///< one sentence for the user
  bool is_automatic = false;      ///< it is halved as long as grains need that (step_renewal.hpp)
  double shortest_contact = 0.0;  ///< how long it lasts; 0 if the scene gives the step [s]
};

/// Steps the shortest contact lasts, at least. Without dashpots, errors add up without end: more steps are taken then.
inline constexpr double kStepsPerContact = 36.0;
inline constexpr double kMostStepsPerContact = 90.0;

/// Steps per contact for the weakest dashpot of a scene: kStepsPerContact if each takes at least 6 % of the energy of a
/// collision, more below, up to kMostStepsPerContact (docs/theory.md, section 7).
/// @param damping_ratio of the dashpot
double steps_per_contact(double damping_ratio);

/// Factor on the stiffness of a single flat contact, for several contacts at a time and for lever arms: a grain between
/// two flat contacts has the frequency of 2 k.
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

/// The shortest contact over steps_per_contact, divided by its damping ratio over strong_damping if that is more
/// than 1. The contact lasts pi sqrt(m_eff / (2 k)), where k is the greatest dF/d(depth) of two grains or of a grain
/// and a wall according to the scene's laws and m_eff their reduced mass, minimised over all pairs of grains of the
/// scene, those not yet poured among them. k is that of a flat contact along the longest side of one (or the chord of
/// its inscribed circle if that is longer), but no farther than the other one is wide.
/// @throws InvalidScene if the scene names a law that there is not
/// Cost: O(grains times kinds of size); two sizes are of a kind if they differ by less than 6 %
TimeStep automatic_time_step(const Scene& scene);

/// The scene's own step, or the automatic one. @throws InvalidScene if the scene names a law that there is not
TimeStep time_step(const Scene& scene);

}  // namespace scree::soft
