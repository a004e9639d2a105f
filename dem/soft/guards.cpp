#include "dem/soft/guards.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

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

std::string too_long_a_step(const StepView& view, double angular_frequency) {
  const double period = 2.0 * std::numbers::pi / angular_frequency;
  const double steps = 2.0 * std::numbers::pi / view.laws.max_omega_dt();
  std::string text = fmt::format(
      "a period of {:.3g} s is only {:.3g} steps of {:.3g} s, and must be {:.3g} or more; try time.step: {:.2g}",
      period, period / view.step.dt, view.step.dt, steps, 0.5 * period / steps);
  if (!view.scene.step)
    text += fmt::format(" instead of the automatic step, which does not allow for this: {}", view.step.reason);
  return text;
}

}  // namespace

double thickness(const Bodies& bodies, const Placement& placement, std::uint32_t body, const Vec2& direction) {
  const Vec2 along = placement.rotation[body].inverse() * direction;
  double least = 0.0;  // the centroid is within
  double greatest = 0.0;
  for (const Vec2& vertex : bodies.shape(body).outline) {
    least = std::min(least, vertex.dot(along));
    greatest = std::max(greatest, vertex.dot(along));
  }
  return greatest - least;
}

Problem check_motions(const StepView& view) {
  const Bodies& bodies = view.bodies;
  const double dt = view.step.dt;
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
    if (!is_too_deep(contacts.geometry[k], view.laws.of(view.bodies, contacts.bodies(k)))) continue;
    if (!deepest || !(contacts.geometry[k].depth_ratio <= contacts.geometry[*deepest].depth_ratio)) deepest = k;
  }
  if (!deepest) return {};
  return fmt::format(
      "{} overlap by {} of the smaller grain's diameter (allowed: {}); try a greater material stiffness, slower "
      "impacts or, if time.step is set by hand, a smaller step",
      names(view, contacts.bodies(*deepest)), percent(contacts.geometry[*deepest].depth_ratio),
      percent(kMaxDepthRatio));
}

Problem check_passages(const StepView& view) {
  const Contacts& contacts = view.contacts;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const ContactGeometry& geometry = contacts.geometry[k];
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
  if (std::sqrt(highest) * view.step.dt <= view.laws.max_omega_dt()) return {};
  return fmt::format("{} touch with a stiffness of {:.3g} N/m: {}", names(view, contacts.bodies(stiffest)),
                     contacts.parts[stiffest].stiffness, too_long_a_step(view, std::sqrt(highest)));
}

/// Friction's springs and lever arms included. The highest angular frequency squared among grains is at most the
/// greatest eigenvalue of a grain's stiffness over its inertia, with contacts between two grains counted twice
/// (docs/theory.md, section 7).
Problem check_grains(const StepView& view) {
  const Bodies& bodies = view.bodies;
  const Contacts& contacts = view.contacts;
  std::vector<Eigen::Matrix3d> stiffness(bodies.size(), Eigen::Matrix3d::Zero());  // over the inertia [1/s^2]
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const BodyPair& pair = contacts.bodies(k);
    const PairLaw& law = view.laws.of(bodies, pair);
    const double shared = bodies.is_wall(pair.b) ? 1.0 : 2.0;
    const auto add = [&](std::uint32_t body, const Vec2& arm, const Vec2& direction, double spring) {
      const Vec2 moves = direction * std::sqrt(bodies.inverse_mass[body]);
      const double turns = cross(arm, direction) * std::sqrt(bodies.inverse_inertia[body]);
      const Eigen::Vector3d along(moves.x(), moves.y(), turns);
      stiffness[body] += shared * spring * along * along.transpose();
    };
    const Vec2& normal = contacts.geometry[k].overlap.normal;
    const Vec2& point = contacts.force[k].point;
    for (const auto& [body, arm] :
         {std::pair(pair.a, point), std::pair(pair.b, Vec2(point - contacts.geometry[k].branch_vector))}) {
      add(body, arm, normal, contacts.parts[k].stiffness);
      if (law.friction > 0.0) add(body, arm, perp(normal), law.tangential_stiffness);
    }
  }
  double highest = 0.0;
  std::uint32_t stiffest = 0;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    const Eigen::Matrix3d& matrix = stiffness[body];
    if (matrix.trace() <= highest) continue;
    const double squared =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[2];
    if (squared <= highest) continue;
    highest = squared;
    stiffest = body;
  }
  if (std::sqrt(highest) * view.step.dt <= view.laws.max_omega_dt()) return {};
  return fmt::format("{} oscillates on its contacts: {}", name(view, stiffest),
                     too_long_a_step(view, std::sqrt(highest)));
}

Problem check_balance(const StepView& view, const Summary& summary) {
  if (std::abs(summary.energy_residual) <= kMaxResidual) return {};
  return fmt::format(
      "energy does not balance: the run has {} {} of the {:.3g} J turned over so far (allowed: {}); the time step is "
      "too "
      "long; try time.step: {:.2g}",
      summary.energy_residual > 0.0 ? "gained" : "lost", percent(std::abs(summary.energy_residual)),
      summary.energy_turned_over, percent(kMaxResidual), 0.25 * view.step.dt);
}

}  // namespace scree::soft
