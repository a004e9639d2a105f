#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/drives/moving_walls.hpp"
#include "dem/soft/forces/contact_elements.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/motion/placement.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/state.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// When a run must not go on: from what a step saw to a sentence about what is wrong, which bodies take part and what
/// to try, or to nothing. Pure functions: they change nothing.
namespace scree::soft {

/// An energy residual beyond this ends the run: the step is too long for what happens.
inline constexpr double kMaxResidual = 0.05;
inline constexpr double kRestingShare = 0.05;

/// Stiffness and damping of all contacts together may take this share of what the integrator bears. More than 1, since
/// contacts that slide or part give way: at 1.25 energy still balances, from 1.4 on it does not (docs/theory.md,
/// section 7).
inline constexpr double kMaxStabilityShare = 1.3;

/// What a step saw, and what is needed to talk about it.
struct StepView {
  const Scene& scene;
  const Bodies& bodies;
  const Placement& placement;
  const Contacts& contacts;
  const ContactLaws& laws;
  const MovingWalls::FastWall& fastest_wall;
  double dt;             ///< of the step [s]
  const TimeStep& step;  ///< where it comes from
};

using Problem = std::optional<std::string>;

/// The energy balance means something after so many steps.
inline constexpr std::uint64_t kStepsBetweenScales = 64;

/// What is checked after a step: not all of it after each.
struct ChecksDue {
  bool scale;    ///< the energy in motion
  bool grains;   ///< whether they bear the step, with all their contacts
  bool balance;  ///< of energies
};
inline ChecksDue checks_due(std::uint64_t steps, bool is_automatic_step) {
  constexpr std::uint64_t kBetweenGrainChecks = 64;
  constexpr std::uint64_t kBetweenBalances = 512;
  const bool is_power_of_two = std::has_single_bit(steps);
  return {.scale = steps % kStepsBetweenScales == 0,
          .grains =
              steps % kBetweenGrainChecks == 0 || (is_automatic_step && steps < kBetweenGrainChecks && is_power_of_two),
          .balance = steps % kBetweenBalances == 0 || (steps >= kStepsBetweenScales && is_power_of_two)};
}

/// Motions that are no numbers, or so fast that a grain could jump over another one or a wall over it.
Problem check_motions(const StepView& view);
/// Overlaps that are too deep; the deepest is named.
Problem check_depths(const StepView& view);
/// Thin polygons that are about to pass through each other.
Problem check_passages(const StepView& view);
/// Contacts that are too stiff for the step, each by itself: some last for a few steps only.
Problem check_contacts(const StepView& view);
/// Grains that are too stiff for the step with all their contacts. @param elements of these
Problem check_grains(const StepView& view, const ContactElements& elements);
/// Whether energy balances, to kMaxResidual of the energy throughput, or to kRestingShare of the energy in springs if
/// that is more: the throughput leaves out what grains at rest exchange with their springs. @param summary of now
Problem check_balance(const StepView& view, const Summary& summary);

/// How far a body's points move in a step at most [m].
inline double travel(const Bodies& bodies, std::uint32_t body, double dt) {
  const Motion& velocity = bodies.velocity[body];
  return dt * (linear(velocity).norm() + bodies.radius[body] * std::abs(velocity.z()));
}

/// Finite, and not so fast that it could jump over another body, nor a wall over it.
inline bool motion_is_sound(const Bodies& bodies, std::uint32_t body, double dt, double fastest_wall) {
  const double approach = travel(bodies, body, dt) + dt * fastest_wall;
  return std::isfinite(bodies.position[body].sum()) && approach <= bodies.radius[body];  // false if not a number
}

/// Whether the motions of bodies [begin, end) are sound.
bool motions_are_sound(const Bodies& bodies, std::uint32_t begin, std::uint32_t end, double dt, double fastest_wall);

}  // namespace scree::soft
