// When a run must not go on: what Simulation::check finds, and what it says.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "dem/text.hpp"

namespace scree::soft {

namespace {

std::string percent(double share) {
  return formatted("%.3g", 100.0 * share) + " %";
}

}  // namespace

/// How far a body's points move in a step at most [m].
double Simulation::moves(std::uint32_t body) const {
  const Motion& velocity = bodies_.velocity[body];
  return step_.dt * (linear(velocity).norm() + bodies_.radius[body] * std::abs(velocity.z()));
}

/// Finite, and not so fast that it could jump over another body, nor a wall over it.
bool Simulation::motion_is_sound(std::uint32_t body) const {
  const double approach = moves(body) + step_.dt * fastest_wall_.speed;
  return std::isfinite(bodies_.position[body].sum()) && approach <= bodies_.radius[body];  // false if not a number
}

/// At any time, and at any of their points.
Simulation::FastWall Simulation::fastest_wall() const {
  FastWall fastest;
  for (std::uint32_t body = 0; body < bodies_.walls; ++body) {
    const auto k = static_cast<std::size_t>(bodies_.type[body]);
    const Wall& wall = scene_.walls[k];
    Vec2 steady = wall.velocity;
    Vec2 swing = 2.0 * std::numbers::pi * wall.oscillation.frequency * wall.oscillation.amplitude;
    for (int axis = 0; axis < 2; ++axis) {
      if (proxies_.spans(body, axis)) steady[axis] = swing[axis] = 0.0;  // a belt goes nowhere
    }
    const double reach = (wall_start_[k] - wall.pivot).norm() + bodies_.bounding_radius[body];
    const double speed = steady.norm() + swing.norm() + reach * std::abs(wall.angular_velocity);
    if (speed > fastest.speed) fastest = {speed, k};
  }
  return fastest;
}

/// How far a polygon reaches along a direction [m].
double Simulation::thickness(std::uint32_t body, const Vec2& direction) const {
  const Vec2 along = rotation_[body].inverse() * direction;
  double least = 0.0;  // the centroid is within
  double most = 0.0;
  for (const Vec2& vertex : bodies_.shape(body).outline) {
    least = std::min(least, vertex.dot(along));
    most = std::max(most, vertex.dot(along));
  }
  return most - least;
}

bool Simulation::is_too_deep(std::size_t pair) const {
  return !(contacts_.contact[pair].depth_ratio <= kDeepest) && !law_of(contacts_.keys[pair]).passable;
}

/// More than half way through a thin polygon, from where on the overlap's force would push on.
bool Simulation::passes_through(std::size_t pair) const {
  const Overlap& found = contacts_.contact[pair].overlap;
  const PairKey& key = contacts_.keys[pair];
  if (!(found.depth > bodies_.thinnest) || with_disk(key) || law_of(key).passable) return false;
  return found.depth > 0.5 * std::min(thickness(key.a, found.normal), thickness(key.b, found.normal));
}

void Simulation::check() {
  if (trouble_.exchange(false, std::memory_order_relaxed)) {
    check_motions();
    check_depths();
    check_passages();
    check_contacts();
  }
  if (steps_ % kBetweenLooks == 0) check_grains();
  const bool first_steps = steps_ >= kBetweenLooks && std::has_single_bit(steps_);
  if (steps_ % kBetweenBalances == 0 || first_steps) check_balance();
}

void Simulation::check_all() const {
  check_grains();
  if (steps_ >= kBetweenLooks) check_balance();
}

std::string Simulation::when() const {
  return "at t = " + std::to_string(time()) + " s (step " + std::to_string(steps_) + "): ";
}

std::string Simulation::who(std::uint32_t body) const {
  if (!bodies_.is_wall(body)) return "particle " + std::to_string(bodies_.id[body]);
  return "wall '" + scene_.walls[static_cast<std::size_t>(bodies_.type[body])].name + "'";
}

void Simulation::check_motions() const {
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    if (motion_is_sound(body)) continue;
    if (!std::isfinite(bodies_.position[body].sum() + bodies_.velocity[body].sum())) {
      throw PhysicsError(when() + "the motion of " + who(body) + " is not a number any more; try a smaller time.step");
    }
    if (moves(body) <= bodies_.radius[body]) {
      throw PhysicsError(when() + "wall '" + scene_.walls[fastest_wall_.wall].name + "' is so fast, up to " +
                         formatted("%.3g", fastest_wall_.speed) + " m/s, that in a step of " +
                         formatted("%.3g", step_.dt) + " s the two could move by more than the radius of " + who(body) +
                         " against each other, and it could jump over it; try a smaller time.step");
    }
    throw PhysicsError(when() + who(body) + " is so fast, " + formatted("%.3g", linear(bodies_.velocity[body]).norm()) +
                       " m/s and " + formatted("%.3g", bodies_.velocity[body].z()) + " rad/s, at " +
                       formatted("%.3g", bodies_.position[body].x()) + ", " +
                       formatted("%.3g", bodies_.position[body].y()) +
                       " m, that it moves farther than its radius in a step of " + formatted("%.3g", step_.dt) +
                       " s and would jump over others: it is lost; try a smaller time.step");
  }
}

void Simulation::check_depths() const {
  std::size_t deepest = contacts_.size();
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching || !is_too_deep(pair)) continue;
    if (deepest == contacts_.size() ||
        !(contacts_.contact[pair].depth_ratio <= contacts_.contact[deepest].depth_ratio)) {
      deepest = pair;
    }
  }
  if (deepest == contacts_.size()) return;
  throw PhysicsError(when() + who(contacts_.keys[deepest].a) + " and " + who(contacts_.keys[deepest].b) +
                     " overlap by " + percent(contacts_.contact[deepest].depth_ratio) +
                     " of the smaller grain's diameter (allowed: " + percent(kDeepest) +
                     "); try a greater material stiffness, slower impacts or, if time.step is set by hand, a smaller "
                     "step");
}

void Simulation::check_passages() const {
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching || !passes_through(pair)) continue;
    const PairKey& key = contacts_.keys[pair];
    const Overlap& found = contacts_.contact[pair].overlap;
    const double at_a = thickness(key.a, found.normal);
    const double at_b = thickness(key.b, found.normal);
    throw PhysicsError(when() + who(key.a) + " and " + who(key.b) + " overlap by " + formatted("%.3g", found.depth) +
                       " m, more than half of the " + formatted("%.3g", std::min(at_a, at_b)) + " m that " +
                       who(at_a < at_b ? key.a : key.b) +
                       " is thick there: one would pass through the other; try a thicker one, a greater material "
                       "stiffness or slower impacts");
  }
}

/// Of each pair by itself: some last for a few steps only.
void Simulation::check_contacts() const {
  double highest = 0.0;  // frequency squared [1/s^2]
  std::size_t stiffest = 0;
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching) continue;
    const PairKey& key = contacts_.keys[pair];
    const double squared = contacts_.work[pair].stiffness * (bodies_.inverse_mass[key.a] + bodies_.inverse_mass[key.b]);
    if (squared <= highest) continue;
    highest = squared;
    stiffest = pair;
  }
  if (std::sqrt(highest) * step_.dt <= longest_phase_) return;
  throw PhysicsError(when() + who(contacts_.keys[stiffest].a) + " and " + who(contacts_.keys[stiffest].b) +
                     " have met with a stiffness of " + formatted("%.3g", contacts_.work[stiffest].stiffness) +
                     " N/m: " + too_long_a_step(std::sqrt(highest)));
}

/// Of each grain with all its contacts, their friction's springs and levers. The highest frequency squared there is
/// among grains is at most the greatest eigenvalue of a grain's stiffness over its inertia, with contacts between two
/// grains counted twice (docs/theory.md, section 7).
void Simulation::check_grains() const {
  std::vector<Eigen::Matrix3d> stiffness(bodies_.size(), Eigen::Matrix3d::Zero());  // over the inertia [1/s^2]
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching) continue;
    const PairKey& key = contacts_.keys[pair];
    const PairContact& contact = contacts_.contact[pair];
    const PairLaw& law = law_of(key);
    const double shared = bodies_.is_wall(key.b) ? 1.0 : 2.0;
    const auto add = [&](std::uint32_t body, const Vec2& arm, const Vec2& direction, double spring) {
      const Vec2 moves = direction * std::sqrt(bodies_.inverse_mass[body]);
      const double turns = cross(arm, direction) * std::sqrt(bodies_.inverse_inertia[body]);
      const Eigen::Vector3d along(moves.x(), moves.y(), turns);
      stiffness[body] += shared * spring * along * along.transpose();
    };
    const Vec2& normal = contact.overlap.normal;
    for (const auto& [body, arm] :
         {std::pair(key.a, contact.point), std::pair(key.b, Vec2(contact.point - contact.to_b))}) {
      add(body, arm, normal, contacts_.work[pair].stiffness);
      if (law.friction > 0.0) add(body, arm, perp(normal), law.tangential_stiffness);
    }
  }
  double highest = 0.0;
  std::uint32_t stiffest = 0;
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    const Eigen::Matrix3d& matrix = stiffness[body];
    if (matrix.trace() <= highest) continue;
    const double squared =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[2];
    if (squared <= highest) continue;
    highest = squared;
    stiffest = body;
  }
  if (std::sqrt(highest) * step_.dt <= longest_phase_) return;
  throw PhysicsError(when() + who(stiffest) + " swings on all its contacts: " + too_long_a_step(std::sqrt(highest)));
}

std::string Simulation::too_long_a_step(double frequency) const {
  const double period = 2.0 * std::numbers::pi / frequency;
  const double steps = 2.0 * std::numbers::pi / longest_phase_;
  std::string text = "a period of " + formatted("%.3g", period) + " s is only " + formatted("%.3g", period / step_.dt) +
                     " steps of " + formatted("%.3g", step_.dt) + " s, and must be " + formatted("%.3g", steps) +
                     " or more; try time.step: " + formatted("%.2g", 0.5 * period / steps);
  if (!scene_.step) text += " instead of the automatic one, which foresees less: " + step_.reason;
  return text;
}

void Simulation::check_balance() const {
  Summary s;
  balance(s);
  if (std::abs(s.energy_residual) <= kLargestResidual) return;
  throw PhysicsError(when() + "energy does not balance: " + percent(std::abs(s.energy_residual)) + " of " +
                     formatted("%.3g", s.energy_turned_over) + " J that were turned over " +
                     (s.energy_residual > 0.0 ? "came from nowhere" : "went nowhere") +
                     " (allowed: " + percent(kLargestResidual) +
                     "); the step is too long for what happens; try time.step: " + formatted("%.2g", 0.25 * step_.dt));
}

}  // namespace scree::soft
