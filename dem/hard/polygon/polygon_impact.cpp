#include "dem/hard/polygon/polygon_impact.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

namespace scree::hard {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Impacts of single corners in one collision of edges. Where corners push each other by turns, what is left of the
/// approach falls by a constant factor each time.
constexpr int kMostImpacts = 32;

void push(RigidImpactBody& a, RigidImpactBody& b, const ContactPoint& point, const Vec2& impulse) {
  a.velocity -= a.inverse_mass * impulse;
  b.velocity += b.inverse_mass * impulse;
  a.angular_velocity -= a.inverse_inertia * cross(point.from_a, impulse);
  b.angular_velocity += b.inverse_inertia * cross(point.from_b, impulse);
}

/// With |n|^2, which rounding makes differ from 1: otherwise elastic collisions at one edge would all err alike.
ContactMobility mobility_at(const RigidImpactBody& a, const RigidImpactBody& b, const Vec2& normal,
                            const ContactPoint& point) {
  const Vec2 tangent = perp(normal);
  const double straight = normal.squaredNorm() * (a.inverse_mass + b.inverse_mass);
  const double an = cross(point.from_a, normal);
  const double at = cross(point.from_a, tangent);
  const double bn = cross(point.from_b, normal);
  const double bt = cross(point.from_b, tangent);
  return {straight + (a.inverse_inertia * (an * an) + b.inverse_inertia * (bn * bn)),
          a.inverse_inertia * (an * at) + b.inverse_inertia * (bn * bt),
          straight + (a.inverse_inertia * (at * at) + b.inverse_inertia * (bt * bt))};
}

/// How an impulse at one point changes the normal velocity at another one.
double mobility_between(const RigidImpactBody& a, const RigidImpactBody& b, const Vec2& normal, const ContactPoint& one,
                        const ContactPoint& other) {
  return normal.squaredNorm() * (a.inverse_mass + b.inverse_mass) +
         (a.inverse_inertia * (cross(one.from_a, normal) * cross(other.from_a, normal)) +
          b.inverse_inertia * (cross(one.from_b, normal) * cross(other.from_b, normal)));
}

double normal_velocity(const RigidImpactBody& a, const RigidImpactBody& b, const Vec2& normal,
                       const ContactPoint& point) {
  return contact_velocity(a, b, normal, point).normal;
}

/// Rounding of a relative velocity at a contact [m/s].
double velocity_rounding(const RigidImpactBody& a, const RigidImpactBody& b, const ContactPoint& point) {
  return 4.0 * kEpsilon *
         ((b.velocity - a.velocity).norm() + (std::abs(a.angular_velocity) + a.growth) * point.from_a.norm() +
          (std::abs(b.angular_velocity) + b.growth) * point.from_b.norm());
}

void impact_at(const CollisionRule& rule, RigidImpactBody& a, RigidImpactBody& b, const Vec2& normal,
               const ContactPoint& point, Impact& impact) {
  const ContactVelocity before = contact_velocity(a, b, normal, point);
  if (!(before.normal < 0.0)) return;
  const ContactMobility mobility = mobility_at(a, b, normal, point);
  const double restitution = normal_restitution(rule, -before.normal);
  Vec2 impulse;
  if (rule.friction > 0.0) {
    const PathImpulse path = routh_path(before, mobility, restitution, rule.friction);
    impulse = path.normal * normal + path.tangential * perp(normal);
    impact.lost_normal += path.lost_normal;
    impact.lost_tangential += path.lost_tangential;
    push(a, b, point, impulse);
  } else {
    const double wanted = -restitution * before.normal;
    const double size = (wanted - before.normal) / mobility.nn;
    impulse = size * normal;
    push(a, b, point, impulse);
    const Vec2 rest = ((wanted - normal_velocity(a, b, normal, point)) / mobility.nn) * normal;
    push(a, b, point, rest);
    impulse += rest;
    impact.lost_normal += -0.5 * size * (1.0 - restitution) * before.normal;
    if (a.growth > 0.0 || b.growth > 0.0) {
      impact.given_by_growth -= impulse.dot(velocity_by_growth(a, b, point));
    }
  }
  impact.impulse += impulse;
}

/// Where the resultant of the impulses acts after which two points rebound alike.
struct Resultant {
  bool pushes;  ///< both impulses do
  ContactPoint point;
};

Resultant resultant(const RigidImpactBody& a, const RigidImpactBody& b, const ContactPoints& contact) {
  const ContactPoint& p = contact.points[0];
  const ContactPoint& q = contact.points[1];
  const double up = -normal_velocity(a, b, contact.normal, p);
  const double uq = -normal_velocity(a, b, contact.normal, q);
  const double pq = mobility_between(a, b, contact.normal, p, q);
  // Times the determinant, which is positive.
  const double at_p = mobility_between(a, b, contact.normal, q, q) * up - pq * uq;
  const double at_q = mobility_between(a, b, contact.normal, p, p) * uq - pq * up;
  if (!(at_p >= 0.0 && at_q >= 0.0 && at_p + at_q > 0.0)) return {false, {}};
  const double part = at_q / (at_p + at_q);
  return {true, {p.from_a + part * (q.from_a - p.from_a), p.from_b + part * (q.from_b - p.from_b)}};
}

/// The corner that approaches fastest, more than rounding may; the number of corners if none does.
std::size_t approaching_corner(const RigidImpactBody& a, const RigidImpactBody& b, const ContactPoints& contact) {
  const auto count = static_cast<std::size_t>(contact.count);
  std::size_t fastest = count;
  double most = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double velocity = normal_velocity(a, b, contact.normal, contact.points[k]);
    if (velocity >= most || velocity >= -velocity_rounding(a, b, contact.points[k])) continue;
    most = velocity;
    fastest = k;
  }
  return fastest;
}

/// The impulses without friction and rebound after which no corner approaches: one of them or both.
void stop_approach(RigidImpactBody& a, RigidImpactBody& b, const ContactPoints& contact, Impact& impact) {
  const CollisionRule inelastic{.restitution = 0.0};
  const Resultant both = resultant(a, b, contact);
  if (both.pushes) {
    impact_at(inelastic, a, b, contact.normal, both.point, impact);
    return;
  }
  const std::size_t corner = approaching_corner(a, b, contact);
  if (corner < contact.points.size()) impact_at(inelastic, a, b, contact.normal, contact.points[corner], impact);
}

/// A rest of the approach can remain that is rounding only. It is taken in the arithmetic of this file.
void push_apart(RigidImpactBody& a, RigidImpactBody& b, const ContactPoints& contact, Impact& impact) {
  using Limits = std::numeric_limits<double>;
  double size = std::max(kEpsilon * impact.impulse.norm(), Limits::min());
  for (bool approach = true; approach; size *= 2.0) {
    approach = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(contact.count); ++k) {
      if (!(normal_velocity(a, b, contact.normal, contact.points[k]) < 0.0)) continue;
      approach = true;
      const Vec2 impulse = size * contact.normal;
      push(a, b, contact.points[k], impulse);
      impact.impulse += impulse;
    }
  }
}

/// A part of the path on which friction has a constant direction, or none: the velocity is linear in the impulse.
struct Piece {
  double normal_rate;      ///< of the normal velocity, by the normal impulse [1/kg]
  double tangential_rate;  ///< of the tangential velocity
  double friction;         ///< tangential by normal impulse
};

Piece sliding(const ContactMobility& k, double friction) {
  return {k.nn + k.nt * friction, k.nt + k.tt * friction, friction};
}

/// What follows when sliding has ended, or at the beginning if there is none.
Piece after_sliding(const ContactMobility& k, double friction) {
  if (std::abs(k.nt) > friction * k.tt) return sliding(k, k.nt > 0.0 ? -friction : friction);
  const double holding = -k.nt / k.tt;
  return {k.nn + k.nt * holding, 0.0, holding};
}

}  // namespace

ContactVelocity contact_velocity(const RigidImpactBody& a, const RigidImpactBody& b, const Vec2& normal,
                                 const ContactPoint& point) {
  Vec2 velocity =
      (b.velocity - a.velocity) + (b.angular_velocity * perp(point.from_b) - a.angular_velocity * perp(point.from_a));
  if (a.growth > 0.0 || b.growth > 0.0) velocity += velocity_by_growth(a, b, point);
  return {normal.dot(velocity), cross(normal, velocity)};
}

PathImpulse routh_path(const ContactVelocity& velocity, const ContactMobility& mobility, double restitution,
                       double friction) {
  assert(velocity.normal < 0.0 && std::isfinite(friction));
  double normal = velocity.normal;
  double tangential = velocity.tangential;
  PathImpulse path{};
  double work = 0.0;  // of the normal impulse in the phase of now [J]
  const auto advance = [&](const Piece& piece, double impulse) {
    work += impulse * (normal + 0.5 * impulse * piece.normal_rate);
    path.lost_tangential -= piece.friction * impulse * (tangential + 0.5 * impulse * piece.tangential_rate);
    path.normal += impulse;
    path.tangential += piece.friction * impulse;
    normal += impulse * piece.normal_rate;
    tangential += impulse * piece.tangential_rate;
  };
  const bool slides = tangential != 0.0;
  Piece piece = slides ? sliding(mobility, tangential > 0.0 ? -friction : friction) : after_sliding(mobility, friction);
  double until_sticking = std::numeric_limits<double>::infinity();
  if (slides && tangential * piece.tangential_rate < 0.0) until_sticking = -tangential / piece.tangential_rate;

  // Compression. A sliding piece may not end it: friction pulls them together faster than they are pushed apart.
  const auto until_stop = [&] {
    return piece.normal_rate > 0.0 ? -normal / piece.normal_rate : std::numeric_limits<double>::infinity();
  };
  const auto stick = [&] {
    advance(piece, until_sticking);
    tangential = 0.0;
    piece = after_sliding(mobility, friction);
    until_sticking = std::numeric_limits<double>::infinity();
  };
  if (until_sticking < until_stop()) stick();
  const double rest = std::max(until_stop(), 0.0);
  advance(piece, rest);
  until_sticking -= rest;
  normal = 0.0;
  const double compression = -work;

  // Restitution: the normal velocity grows on every piece that is left.
  const double give_back = restitution * restitution * compression;
  work = 0.0;
  const auto until_end = [&] {
    const double missing = std::max(give_back - work, 0.0);
    return 2.0 * missing / (normal + std::sqrt(normal * normal + 2.0 * piece.normal_rate * missing));
  };
  if (give_back > 0.0) {
    if (until_sticking < until_end()) stick();
    const double last = until_end();
    if (last > 0.0) advance(piece, last);
  }
  path.lost_normal = (1.0 - restitution * restitution) * compression;
  return path;
}

Impact collide_polygons(const CollisionRule& rule, RigidImpactBody& a, RigidImpactBody& b,
                        const ContactPoints& contact) {
  assert(rule.tangential_restitution == 0.0);
  assert(rule.friction == 0.0 || (a.growth == 0.0 && b.growth == 0.0));
  Impact impact{Vec2::Zero(), 0.0, 0.0};
  if (contact.count == 1) {
    impact_at(rule, a, b, contact.normal, contact.points[0], impact);
  } else if (contact.count == 2) {
    const Resultant both = resultant(a, b, contact);
    if (both.pushes) impact_at(rule, a, b, contact.normal, both.point, impact);
    int impacts = 0;
    for (std::size_t corner; (corner = approaching_corner(a, b, contact)) < contact.points.size(); ++impacts) {
      if (impacts == kMostImpacts) {
        stop_approach(a, b, contact, impact);
        break;
      }
      impact_at(rule, a, b, contact.normal, contact.points[corner], impact);
    }
  }
  push_apart(a, b, contact, impact);
  return impact;
}

}  // namespace scree::hard
