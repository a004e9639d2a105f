#include "dem/hard/disk/handlers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "dem/random.hpp"
#include "geometry/deterministic_math.hpp"

namespace scree::hard {

Random thermal_side_random(std::uint64_t seed, std::uint64_t id, double now, const Vec2& before) {
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  const std::uint64_t event = id * 0x9e37'79b9'7f4a'7c15U + bits(now) * 0xbf58'476d'1ce4'e5b9U +
                              bits(before.x()) * 0x94d0'49bb'1331'11ebU + bits(before.y());
  return Random(seed, random_stream::kThermalSides, event);
}

Outcome Handlers::collide_disks(const Event& event, double now) const {
  const Index a = event.lower();
  const Index b = event.higher();
  disks_.synchronize(a, now, space_);
  disks_.synchronize(b, now, space_);
  ImpactBody body_a = disks_.impact_body(a);
  ImpactBody body_b = disks_.impact_body(b);
  const Vec2 distance = disks_.approach(a, b, event.image(a), space_).distance;
  const bool grown = compression_.has_grown();
  const auto growing = [&](Index i) { return compression_.growing(disks_, i); };
  const double growth = grown ? contact_growth(growing(a), growing(b), now, compression_.growth()) : 0.0;
  const CollisionRule& rule = rules_.of_disks(disks_, a, b);
  const CollisionRule then = rules_.at(now, rule, disks_, {a, b});
  const Impact impact = space_.cell.exists() ? collide_with_image(then, body_a, body_b, distance,
                                                                  disks_.drift(a, b, event.image(a), space_.cell))
                                             : collide(then, body_a, body_b, distance, growth);
  disks_.set_velocities(a, body_a);
  disks_.set_velocities(b, body_b);
  Outcome outcome{Outcome::Kind::collision, distance, impact.impulse, impact.lost_normal, impact.lost_tangential};
  if (grown) outcome.given_by_growth = distance.dot(impact.impulse) * growth / distance.squaredNorm();
  return outcome;
}

Outcome Handlers::cross_well_edge(const Event& event, double now) const {
  const Index a = event.lower();
  const Index b = event.higher();
  disks_.synchronize(a, now, space_);
  disks_.synchronize(b, now, space_);
  ImpactBody body_a = disks_.impact_body(a);
  ImpactBody body_b = disks_.impact_body(b);
  const WellPair pair = well_pair(disks_, a, b, event.image(a));
  const bool inside = wells_.pairs.contains(pair);
  const Vec2 distance = disks_.approach(a, b, event.image(a), space_).distance;
  if (cross_edge(wells_.well, inside, body_a, body_b, distance)) {
    inside ? wells_.pairs.erase(pair) : wells_.pairs.insert(pair);
  }
  const Vec2 impulse = disks_.mass(b) * (body_b.velocity - disks_.flight(b).velocity);
  disks_.set_velocities(a, body_a);
  disks_.set_velocities(b, body_b);
  return {Outcome::Kind::crossing, distance, impulse};
}

Outcome Handlers::hit_side(Index i, unsigned side, double now) const {
  disks_.synchronize(i, now, space_);
  Vec2 outward = Vec2::Zero();
  outward[side / 2] = side % 2 == 0 ? -1.0 : 1.0;
  if (space_.domain.side_temperature[side] > 0.0) return leave_thermal_side(i, side, outward, now);
  const ImpactBody at_rest{Vec2::Zero(), 0.0, 0.0, 0.0};
  return bounce(i, rules_.of_sides(), at_rest, outward, outward.dot(space_.gravity.acceleration), now);
}

Outcome Handlers::leave_thermal_side(Index i, unsigned side, const Vec2& outward, double now) const {
  const Vec2 before = disks_.flight(i).velocity;
  const double mass = disks_.mass(i);
  Random random = thermal_side_random(space_.seed, disks_.label(i).id, now, before);
  const double thermal = std::sqrt(space_.domain.side_temperature[side] / mass);
  const Index axis = side / 2;
  ImpactBody disk = disks_.impact_body(i);
  disk.velocity[axis] = -outward[axis] * thermal * std::sqrt(-2.0 * deterministic::log(1.0 - random.uniform()));
  disk.velocity[1 - axis] = thermal * random.normals()[0];
  disks_.set_velocities(i, disk);
  return {.kind = Outcome::Kind::wall_hit,
          .branch = disks_.flight(i).radius * outward,
          .impulse = mass * (before - disk.velocity),
          .wall_work = 0.5 * mass * (disk.velocity.squaredNorm() - before.squaredNorm())};
}

Outcome Handlers::hit_wall(Index i, const Event& event, double now) const {
  disks_.synchronize(i, now, space_);
  const Index k = event.side() - kSides;
  const WallBody& wall = walls_[k];
  const Flight& flight = disks_.flight(i);
  const Vec2 shift = wall_shift(disks_[i], event.image(i), space_);
  const WallGap gap = wall.gap_to(flight, space_.gravity.acceleration, shift, now);
  const ImpactBody body{gap.velocity + wall.belt(), wall.angular_velocity(), -flight.radius, 0.0};
  const CollisionRule& rule = rules_.of_wall(disks_.label(i).material, walls_.material(k));
  return bounce(i, rule, body, -gap.normal, gap.closing_acceleration, now);
}

Outcome Handlers::bounce(Index i, const CollisionRule& rule, ImpactBody wall, const Vec2& towards,
                         double closing_acceleration, double now) const {
  const Vec2 before = disks_.flight(i).velocity;
  const double mass = disks_.mass(i);
  ImpactBody disk = disks_.impact_body(i);
  disk.inverse_mass = 1.0;  // the mass does not matter beside a wall's, and 1 reverses a velocity exactly
  const CollisionRule then = rules_.at(now, rule, disks_, {i});
  const auto leaving = [&] { return towards.dot(wall.velocity - disk.velocity); };
  const double growing = rim_speed(compression_.growing(disks_, i), compression_.growth());
  Outcome outcome{.kind = Outcome::Kind::wall_hit,
                  .branch = compression_.radius(disks_, i, now) * towards,
                  .impulse = Vec2::Zero()};
  if (leaving() < growing) {
    const Impact impact = collide(then, disk, wall, towards, growing);
    outcome.lost_normal = mass * impact.lost_normal;
    outcome.lost_tangential = mass * impact.lost_tangential;
    outcome.given_by_growth = mass * growing * towards.dot(impact.impulse);
  }
  const double least = 0.5 * closing_acceleration * rules_.contact_duration();
  if (const double speed = leaving(); speed < least) {
    disk.velocity -= (least - speed) * towards;
    outcome.given_by_lift = 0.5 * mass * (least * least - speed * speed);
  }
  disks_.set_velocities(i, disk);
  outcome.impulse = mass * (before - disk.velocity);
  const Vec2 surface = wall.velocity - (wall.radius * wall.angular_velocity) * perp(towards);
  outcome.wall_work = -surface.dot(outcome.impulse);
  return outcome;
}

}  // namespace scree::hard
