#include "dem/hard/flight/collision_rule.hpp"

#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::collision_rule_test {

using namespace scree::hard;
using test::Dice;

namespace {

double energy(const ImpactBody& s) {
  const double spin = s.radius * s.angular_velocity;
  return 0.5 / s.inverse_mass * (s.velocity.squaredNorm() + 0.5 * spin * spin);
}

double slip(const ImpactBody& a, const ImpactBody& b, const Vec2& distance) {
  return perp(distance).dot(b.velocity - a.velocity) / distance.norm() -
         (a.radius * a.angular_velocity + b.radius * b.angular_velocity);
}

struct PairQuadratic {
  ImpactBody a;
  ImpactBody b;
  Vec2 distance;
  double approach() const { return -distance.dot(b.velocity - a.velocity) / distance.norm(); }
};

PairQuadratic random_meeting(Dice& dice) {
  const auto impact_body = [&] {
    return ImpactBody{{dice.between(-1, 1), dice.between(-1, 1)},
                      dice.between(-2, 2),
                      dice.between(0.1, 1),
                      std::pow(10.0, dice.between(-3, 3))};
  };
  PairQuadratic m{impact_body(), impact_body(), {}};
  const double angle = dice.between(0, 2 * std::numbers::pi);
  m.distance = (m.a.radius + m.b.radius) * Vec2(std::cos(angle), std::sin(angle));
  if (m.approach() < 0.0) m.distance = -m.distance;
  return m;
}

}  // namespace

TEST_CASE("a collision restitutes the normal velocity, keeps momentum, angular momentum and, if elastic, energy") {
  Dice dice(1);
  for (int k = 0; k < 20000; ++k) {
    const PairQuadratic before = random_meeting(dice);
    const double e = k % 3 == 0 ? 1.0 : dice.between(0, 1);
    const double mu = k % 2 == 0 ? 0.0 : dice.between(0, 1);
    PairQuadratic after = before;
    const Impact impact = collide({e, mu, dice.between(-1, 1)}, after.a, after.b, after.distance);
    const Vec2& impulse = impact.impulse;
    const double ma = 1.0 / before.a.inverse_mass;
    const double mb = 1.0 / before.b.inverse_mass;
    const double scale = 1e-13 * (ma + mb);
    CHECK(std::abs(after.approach() + e * before.approach()) < 1e-13);  // m/s
    CHECK((ma * (after.a.velocity - before.a.velocity) + impulse).norm() < scale);
    CHECK((mb * (after.b.velocity - before.b.velocity) - impulse).norm() < scale);
    // About the point of contact neither disk's angular momentum changes.
    const auto about_contact = [](const ImpactBody& s, const Vec2& from_contact) {
      return (0.5 * s.radius * s.radius * s.angular_velocity + cross(from_contact, s.velocity)) / s.inverse_mass;
    };
    const Vec2 n = before.distance / before.distance.norm();
    const Vec2 from_a = -before.a.radius * n;
    const Vec2 from_b = before.b.radius * n;
    CHECK(std::abs(about_contact(after.a, from_a) - about_contact(before.a, from_a)) < scale);
    CHECK(std::abs(about_contact(after.b, from_b) - about_contact(before.b, from_b)) < scale);
    const double change = energy(after.a) + energy(after.b) - energy(before.a) - energy(before.b);
    if (e == 1.0 && mu == 0.0) CHECK(std::abs(change) < scale);
    CHECK(change < scale);
    CHECK(std::abs(change + impact.lost_normal + impact.lost_tangential) < scale);
    CHECK(impact.lost_normal > -scale);
    CHECK(impact.lost_tangential > -scale);
  }
}

TEST_CASE("Walton's rule: contacts stick and rebound by beta_0, or slide with friction mu") {
  Dice dice(2);
  int sliding = 0;
  for (int k = 0; k < 20000; ++k) {
    const PairQuadratic before = random_meeting(dice);
    const CollisionRule rule{dice.between(0, 1), dice.between(0.01, 0.5), dice.between(-1, 1)};
    PairQuadratic after = before;
    const Vec2 impulse = collide(rule, after.a, after.b, after.distance).impulse;
    const Vec2 n = before.distance.normalized();
    const double normal = n.dot(impulse);
    const double tangential = perp(n).dot(impulse);
    const double slip_before = slip(before.a, before.b, before.distance);
    const double slip_after = slip(after.a, after.b, after.distance);
    CHECK(std::abs(tangential) <= rule.friction * normal * (1.0 + 1e-12));
    CHECK(tangential * slip_before <= 0.0);
    if (std::abs(tangential) < rule.friction * normal * (1.0 - 1e-9)) {
      CHECK(std::abs(slip_after + rule.tangential_restitution * slip_before) < 1e-12);  // m/s
    } else {
      ++sliding;  // and has not been turned around further than sticking would
      CHECK(slip_after * slip_before >= -rule.tangential_restitution * slip_before * slip_before - 1e-12);
    }
  }
  CHECK(sliding > 2000);
  CHECK(sliding < 18000);
}

TEST_CASE("perfectly rough elastic disks keep their energy") {
  Dice dice(3);
  for (int k = 0; k < 5000; ++k) {
    const PairQuadratic before = random_meeting(dice);
    PairQuadratic after = before;
    collide({1.0, 1e30, 1.0}, after.a, after.b, after.distance);
    const double scale = 1e-12 * (energy(before.a) + energy(before.b));
    CHECK(std::abs(energy(after.a) + energy(after.b) - energy(before.a) - energy(before.b)) < scale);
  }
}

TEST_CASE("a wall turns a velocity around exactly") {
  Dice dice(4);
  for (int k = 0; k < 1000; ++k) {
    const double speed = dice.between(1e-6, 1e6);
    const double along = dice.between(-1, 1);
    ImpactBody disk{{speed, along}, 0.5, 0.3, 1.0};
    ImpactBody wall{Vec2::Zero(), 0.0, 0.0, 0.0};
    collide({}, disk, wall, {1.0, 0.0});
    CHECK(disk.velocity == Vec2(-speed, along));
    CHECK(disk.angular_velocity == 0.5);
    CHECK(wall.velocity == Vec2::Zero());
  }
}

TEST_CASE("disks do not approach after a collision, in the arithmetic of the prediction") {
  Dice dice(5);
  int trouble = 0;
  for (int k = 0; k < 100000; ++k) {
    PairQuadratic m = random_meeting(dice);
    double e = 0.0;
    if (k % 2 == 0) {  // a grazing collision: the approach is a rounding error
      e = dice.between(0, 1);
      const Vec2 tangent = perp(m.distance);
      m.b.velocity = m.a.velocity + dice.between(-1, 1) * tangent;
      m.b.velocity.x() = std::nextafter(m.b.velocity.x(), -m.distance.x() * 1e9);
      if (!(m.distance.dot(m.b.velocity - m.a.velocity) < 0.0)) continue;
    }
    ++trouble;
    const double speed = m.a.velocity.norm() + m.b.velocity.norm();
    const double before = m.approach();
    collide({e, 0.0, 0.0}, m.a, m.b, m.distance);
    CHECK(m.distance.dot(m.b.velocity - m.a.velocity) >= 0.0);
    CHECK(-m.approach() < e * before + 1e-14 * speed);  // no more than rounding
  }
  CHECK(trouble > 70000);
}

TEST_CASE("restitutions that depend on the speed are those of their sources") {
  CollisionRule bizon{.restitution = 0.7, .law = RestitutionLaw::bizon, .reference_speed = 0.2};
  CHECK(normal_restitution(bizon, 0.0) == 1.0);
  CHECK(std::abs(normal_restitution(bizon, 0.2 / 16.0) - (1.0 - 0.3 / 8.0)) < 1e-15);
  CHECK(std::abs(normal_restitution(bizon, 0.2 * (1.0 - 1e-12)) - 0.7) < 1e-12);
  CHECK(normal_restitution(bizon, 5.0) == 0.7);

  CollisionRule viscoelastic{.law = RestitutionLaw::viscoelastic, .reference_speed = 3.0};
  CHECK(normal_restitution(viscoelastic, 0.0) == 1.0);
  // The series 1 - C1 y + 3/5 C1^2 y^2 -+ ..., y = (v / v0)^(1/5) (Schwager & Poeschel 1998), as far as it is known.
  for (const double y : {1e-3, 1e-2}) {
    const double series = 1.0 - 1.15344 * y + 0.798267 * y * y;
    CHECK(std::abs(normal_restitution(viscoelastic, 3.0 * std::pow(y, 5)) - series) < 2.0 * y * y * std::sqrt(y));
  }
  double last = 1.0;
  for (double speed = 1e-9; speed < 1e9; speed *= 2.0) {
    const double e = normal_restitution(viscoelastic, speed);
    CHECK(e < last);
    CHECK(e > 0.0);
    last = e;
  }
  for (const double e : {0.999, 0.9, 0.5, 0.05}) {
    viscoelastic.reference_speed = viscoelastic_reference_speed(e, 0.3);
    CHECK(std::abs(normal_restitution(viscoelastic, 0.3) - e) < 1e-14);
  }
}

TEST_CASE("a collision restitutes by the speed of approach along the normal") {
  Dice dice(6);
  for (int k = 0; k < 1000; ++k) {
    const PairQuadratic before = random_meeting(dice);
    PairQuadratic after = before;
    const CollisionRule rule{.restitution = 0.4,
                             .friction = dice.between(0, 1),
                             .law = k % 2 == 0 ? RestitutionLaw::bizon : RestitutionLaw::viscoelastic,
                             .reference_speed = 0.5};
    collide(rule, after.a, after.b, after.distance);
    CHECK(std::abs(after.approach() + normal_restitution(rule, before.approach()) * before.approach()) < 1e-13);
  }
}

}  // namespace scree::collision_rule_test
