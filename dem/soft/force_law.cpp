#include "dem/soft/force_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "geometry/deterministic_math.hpp"

namespace scree::soft {

namespace {

/// A(zeta): half the duration of a clipped contact in units of 1 / omega.
double half_duration(double zeta) {
  const double u = 1.0 - zeta;
  if (std::abs(u) < 1e-3) return 1.0 + u / 3.0 + 2.0 * u * u / 15.0 + 2.0 * u * u * u / 35.0;
  const double s = std::sqrt(std::abs(u) * (1.0 + zeta));
  return u > 0.0 ? deterministic::atan2(s, zeta) / s : deterministic::asinh(s) / s;
}

}  // namespace

double restitution(double zeta) {
  return deterministic::exp(-2.0 * zeta * half_duration(zeta));
}

double contact_time(double zeta, double omega) {
  return 2.0 * half_duration(zeta) / omega;
}

double damping_ratio(double e) {
  if (!(e > 0.0 && e <= 1.0)) throw std::invalid_argument("restitution must lie in (0, 1]");
  const double target = -deterministic::log(e);
  constexpr double kCritical = 2.0;  // -ln e at zeta = 1
  double zeta = target < kCritical ? target / std::numbers::pi : 0.5 * deterministic::exp(0.5 * target);
  for (int k = 0; k < 12; ++k) {  // Newton; converged to rounding by then (tests)
    const double a = half_duration(zeta);
    const double u = 1.0 - zeta;
    const double slope = std::abs(u) < 1e-6 ? 4.0 / 3.0 : 2.0 * (a - zeta) / (u * (1.0 + zeta));
    zeta -= (2.0 * zeta * a - target) / slope;
  }
  return std::max(zeta, 0.0);
}

PairLaw mix(const Material& a, const Material& b) {
  const double stiffness = 2.0 * a.stiffness * b.stiffness / (a.stiffness + b.stiffness);
  return {stiffness, damping_ratio(std::min(a.restitution, b.restitution)), std::min(a.friction, b.friction),
          kTangentialRatio * stiffness};
}

double inverse_length(const Approach& approach, double depth) {
  const double least = 0.1 * depth;  // a contact so near to the centre is past every guard
  return 0.25 * (1.0 / std::max(approach.lever_a, least) + 1.0 / std::max(approach.lever_b, least));
}

NormalForce area_law(const PairLaw& law, const Overlap& overlap, const Vec2& tangent, const Approach& approach) {
  const double per_length = inverse_length(approach, overlap.depth);
  const double chord = overlap.chord();
  const double stiffness = law.stiffness * chord * per_length;
  const double dashpot = 2.0 * law.damping_ratio * std::sqrt(approach.reduced_mass * stiffness);
  const double spring_force = law.stiffness * overlap.area * per_length;
  const double force = spring_force + dashpot * approach.speed;
  if (!(force > 0.0)) return {};
  const double to_centroid = tangent.dot(overlap.centroid - 0.5 * (overlap.chord_begin + overlap.chord_end));
  const double moment = spring_force * to_centroid + dashpot * chord * chord / 12.0 * approach.spin;
  return {force, std::clamp(moment / force, -0.5 * chord, 0.5 * chord)};
}

NormalForce linear_law(const PairLaw& law, const Overlap& overlap, const Approach& approach) {
  const double dashpot = 2.0 * law.damping_ratio * std::sqrt(approach.reduced_mass * law.stiffness);
  return {std::max(law.stiffness * overlap.depth + dashpot * approach.speed, 0.0), 0.0};
}

Friction friction(const PairLaw& law, double reduced_mass, double normal_force, double spring, double slip, double dt) {
  const double limit = law.friction * normal_force;
  const double longest = limit / law.tangential_stiffness;
  const double stretched = std::clamp(spring + slip * dt, -longest, longest);
  const double dashpot = 2.0 * law.damping_ratio * std::sqrt(reduced_mass * law.tangential_stiffness);
  const double trial = -law.tangential_stiffness * (spring + slip * dt) - dashpot * slip;
  return {stretched, std::clamp(-law.tangential_stiffness * stretched - dashpot * slip, -limit, limit),
          std::abs(trial) >= limit};
}

}  // namespace scree::soft
