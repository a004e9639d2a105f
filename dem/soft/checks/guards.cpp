#include "dem/soft/checks/guards.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "dem/soft/lanes/views.hpp"
#include "dem/soft/motion/gear.hpp"

namespace scree::soft {

namespace {

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100.0 * share);
}

std::string name(const StepView& view, std::uint32_t body) {
  const Bodies& bodies = view.bodies;
  if (!bodies.is_wall(body)) return fmt::format("particle {}", bodies.id[body]);
  return fmt::format("wall '{}'", view.scene.walls[static_cast<std::size_t>(bodies.type[body])].name);
}

std::string names(const StepView& view, const BodyPair& pair) {
  return fmt::format("{} and {}", name(view, pair.a), name(view, pair.b));
}

/// @param shorter a step that would do [s]
std::string advice(const StepView& view, double shorter) {
  std::string text = fmt::format("try time.step: {:.2g}", shorter);
  if (!view.scene.soft.step) {
    text += fmt::format(" instead of the automatic step, which does not allow for this: {}", view.step.reason);
  } else if (const double automatic = automatic_time_step(view.scene).dt; automatic < view.dt) {
    text += fmt::format(", or leave it out: the automatic step is {:.3g} s", automatic);
  }
  return text;
}

std::string too_long_a_step(const StepView& view, double angular_frequency, double max_omega_dt) {
  const double period = 2.0 * std::numbers::pi / angular_frequency;
  const double steps = 2.0 * std::numbers::pi / max_omega_dt;
  return fmt::format("a period of {:.3g} s is only {:.3g} steps of {:.3g} s, and must be {:.3g} or more; {}", period,
                     period / view.dt, view.dt, steps, advice(view, 0.5 * period / steps));
}

}  // namespace

bool motions_are_sound(const Bodies& bodies, std::uint32_t begin, std::uint32_t end, double dt, double fastest_wall) {
  return lanes::kernels().are_sound(bodies_for_lanes(bodies), {nullptr, begin, end}, dt, dt * fastest_wall);
}

Problem check_motions(const StepView& view) {
  const Bodies& bodies = view.bodies;
  const double dt = view.dt;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (motion_is_sound(bodies, body, dt, view.fastest_wall.speed)) continue;
    if (!std::isfinite(bodies.position[body].sum() + bodies.velocity[body].sum())) {
      return fmt::format("the motion of {} is not a number any more; try a smaller time.step", name(view, body));
    }
    if (travel(bodies, body, dt) <= bodies.radius[body]) {
      return fmt::format(
          "wall '{}' is so fast, up to {:.3g} m/s, that it could jump over {}: in a step of {:.3g} s they could "
          "approach each other by more than the particle's radius; try a smaller time.step",
          view.scene.walls[view.fastest_wall.wall].name, view.fastest_wall.speed, name(view, body), dt);
    }
    const Motion& velocity = bodies.velocity[body];
    const auto& position = bodies.position[body];
    return fmt::format(
        "{} is so fast, {:.3g} m/s and {:.3g} rad/s, at {:.3g}, {:.3g} m, that it moves farther than its radius in a "
        "step of {:.3g} s and could jump over others; try a smaller time.step",
        name(view, body), linear(velocity).norm(), velocity.z(), position.x(), position.y(), dt);
  }
  return {};
}

Problem check_depths(const StepView& view) {
  const Contacts& contacts = view.contacts;
  std::optional<std::size_t> deepest;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!is_too_deep(contacts.geometry(k), view.laws.of(view.bodies, contacts.bodies(k)))) continue;
    if (!deepest || !(contacts.axes[k].depth_ratio <= contacts.axes[*deepest].depth_ratio)) deepest = k;
  }
  if (!deepest) return {};
  return fmt::format(
      "{} overlap by {} of the smaller grain's diameter (allowed: {}); try a greater material stiffness, slower "
      "impacts or, if time.step is set by hand, a smaller step",
      names(view, contacts.bodies(*deepest)), percent(contacts.axes[*deepest].depth_ratio), percent(kMaxDepthRatio));
}

Problem check_passages(const StepView& view) {
  const Contacts& contacts = view.contacts;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const ContactGeometry geometry = contacts.geometry(k);
    if (!passes_through(view.bodies, view.placement, pair, geometry, view.laws.of(view.bodies, pair))) continue;
    const double of_a = thickness(view.bodies, view.placement, pair.a, geometry.overlap.normal);
    const double of_b = thickness(view.bodies, view.placement, pair.b, geometry.overlap.normal);
    return fmt::format(
        "{} overlap by {:.3g} m, more than half of the {:.3g} m that {} is thick there: one would pass through the "
        "other; try a thicker one, a greater material stiffness or slower impacts",
        names(view, pair), geometry.overlap.depth, std::min(of_a, of_b), name(view, of_a < of_b ? pair.a : pair.b));
  }
  return {};
}

Problem check_contacts(const StepView& view) {
  const Bodies& bodies = view.bodies;
  const Contacts& contacts = view.contacts;
  double highest = 0.0;  // angular frequency squared [1/s^2]
  std::size_t stiffest = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const double squared = contacts.parts[k].stiffness * (bodies.inverse_mass[pair.a] + bodies.inverse_mass[pair.b]);
    if (squared <= highest) continue;
    highest = squared;
    stiffest = k;
  }
  if (std::sqrt(highest) * view.dt <= view.laws.max_omega_dt()) return {};
  return fmt::format("{} touch with a stiffness of {:.3g} N/m: {}", names(view, contacts.bodies(stiffest)),
                     contacts.parts[stiffest].stiffness,
                     too_long_a_step(view, std::sqrt(highest), view.laws.max_omega_dt()));
}

/// Friction's springs and lever arms included: whether frequencies are low enough to be accurate, and frequencies and
/// damping together for the integrator to be stable (docs/theory.md, section 7).
Problem check_grains(const StepView& view, const ContactElements& elements) {
  const double dt = view.dt;
  const double greatest_square = kMaxOmegaDt * kMaxOmegaDt / (dt * dt);
  if (const Eigenvalue square = upper_bound(elements, springs(), view.bodies.size(), greatest_square);
      square.value > greatest_square) {
    return fmt::format("{} oscillates on its contacts: {}", name(view, square.body),
                       too_long_a_step(view, std::sqrt(square.value), kMaxOmegaDt));
  }
  const Strength parts = shares(dt, stability_limit(gear_values(view.scene.soft.integrator)));
  const Eigenvalue bound = upper_bound(elements, parts, view.bodies.size(), kMaxStabilityShare);
  if (bound.value <= kMaxStabilityShare) return {};
  const Eigenvalue share = greatest_eigenvalue(elements, parts, view.bodies.size(), bound.body);
  if (share.value <= kMaxStabilityShare) return {};
  return fmt::format(
      "{} and its neighbours are damped so strongly by all their contacts together that a step of {:.3g} s is {:.3g} "
      "times as long as {} bears; {}",
      name(view, share.body), dt, share.value, scree::name(view.scene.soft.integrator),
      advice(view, 2.0 / 3.0 * dt / share.value));
}

Problem check_balance(const StepView& view, const Summary& summary) {
  const double most =
      kMaxResidual * std::max(summary.energy_throughput, kRestingShare * std::abs(summary.elastic_energy));
  if (std::abs(summary.energy_residual * summary.energy_throughput) <= most) return {};
  return fmt::format(
      "energy does not balance: the run has {} {} of its energy throughput of {:.3g} J (allowed: {}); the time step is "
      "too long; {}",
      summary.energy_residual > 0.0 ? "gained" : "lost", percent(std::abs(summary.energy_residual)),
      summary.energy_throughput, percent(kMaxResidual), advice(view, 0.5 * view.dt));
}

}  // namespace scree::soft
