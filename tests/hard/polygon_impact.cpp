#include "dem/hard/polygon/polygon_impact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"
#include "tests/sanitized.hpp"

namespace scree::polygon_impact_test {

using namespace scree::hard;
using test::Dice;

namespace {

constexpr double kPi = std::numbers::pi;

int number_of_impacts() {
  if (const char* const impacts = std::getenv("SCREE_IMPACTS")) return std::atoi(impacts);
  return test::kSanitized ? 10000 : 100000;
}

double normal_number(Dice& dice) {
  return std::sqrt(-2.0 * std::log(1.0 - dice.between(0, 1))) * std::cos(2.0 * kPi * dice.between(0, 1));
}

double energy(const RigidImpactBody& body) {
  if (body.inverse_mass == 0.0) return 0.0;
  return 0.5 * body.velocity.squaredNorm() / body.inverse_mass +
         0.5 * body.angular_velocity * body.angular_velocity / body.inverse_inertia;
}

struct Collision {
  RigidImpactBody a;
  RigidImpactBody b;
  ContactPoints contact;

  double energy() const { return polygon_impact_test::energy(a) + polygon_impact_test::energy(b); }
  ContactVelocity velocity(std::size_t k = 0) const {
    return contact_velocity(a, b, contact.normal, contact.points[k]);
  }
  Vec2 momentum() const { return a.velocity / a.inverse_mass + b.velocity / b.inverse_mass; }
};

/// A corner of a rectangle on an edge of another one, in any direction, or two corners of it; thermal and approaching.
Collision random_collision(Dice& dice, int points, double aspect = 1.0) {
  for (;;) {
    const auto body = [&] {
      const double mass = std::pow(10.0, dice.between(-1, 1));
      const double inertia = mass * (aspect + 1.0 / aspect) / 12.0;  // of unit area
      return RigidImpactBody{{normal_number(dice) / std::sqrt(mass), normal_number(dice) / std::sqrt(mass)},
                             normal_number(dice) / std::sqrt(inertia),
                             1.0 / mass,
                             1.0 / inertia};
    };
    Collision c{body(), body(), {}};
    const double w = std::sqrt(aspect);
    const double h = 1.0 / w;
    const bool is_long_edge = dice.between(0, 1) < 0.5;
    const double edge = is_long_edge ? w : h;
    const double distance = 0.5 * (is_long_edge ? h : w);  // of a's edge, whose normal is y
    const double turn = points == 2 ? 0.0 : dice.between(0, 0.5 * kPi);
    const auto turned = [&](double angle, const Vec2& v) {
      return Vec2(std::cos(angle) * v.x() - std::sin(angle) * v.y(), std::sin(angle) * v.x() + std::cos(angle) * v.y());
    };
    const double on_edge = dice.between(-0.5, 0.5) * edge;
    const Vec2 corner = turned(turn, {-0.5 * w, -0.5 * h});
    const Vec2 other = turned(turn, {0.5 * w, -0.5 * h});
    const double heading = dice.between(0, 2 * kPi);
    const auto point = [&](const Vec2& of_b) {
      return ContactPoint{turned(heading, Vec2(on_edge, distance) + (of_b - corner)), turned(heading, of_b)};
    };
    c.contact = {turned(heading, {0.0, 1.0}), points, {point(corner), point(other)}};
    if (c.velocity().normal < 0.0) return c;
  }
}

/// By small steps of the normal impulse: friction takes what stops the slip in a step, up to its limit.
struct Oracle {
  double normal = 0.0;
  double tangential = 0.0;
};
Oracle integrate(ContactVelocity u, const ContactMobility& k, double e, double mu, int steps) {
  Oracle sum;
  const double step = -u.normal / k.nn / steps;
  double work = 0.0;
  double compression = 0.0;
  bool is_compressed = false;
  for (;;) {
    const double friction = std::clamp(-(u.tangential / step + k.nt) / k.tt, -mu, mu);
    const double before = u.normal;
    u.normal += step * (k.nn + k.nt * friction);
    u.tangential += step * (k.nt + k.tt * friction);
    work += 0.5 * step * (before + u.normal);
    sum.normal += step;
    sum.tangential += step * friction;
    if (!is_compressed && u.normal >= 0.0) {
      is_compressed = true;
      compression = -work;
      work = 0.0;
    }
    if (is_compressed && work >= e * e * compression) return sum;
  }
}

ContactMobility random_mobility(Dice& dice) {
  const double nn = std::pow(10.0, dice.between(-0.5, 0.5));
  const double tt = std::pow(10.0, dice.between(-0.5, 0.5));
  return {nn, dice.between(-0.95, 0.95) * std::sqrt(nn * tt), tt};
}

}  // namespace

TEST_CASE("Routh's path is what small steps of the normal impulse give") {
  Dice dice(1);
  double worst = 0.0;
  int slid_back = 0;
  int jammed = 0;
  for (int k = 0; k < (test::kSanitized ? 100 : 1500); ++k) {
    const ContactMobility mobility = random_mobility(dice);
    const ContactVelocity velocity{-1.0, k % 10 == 0 ? 0.0 : 2.0 * normal_number(dice)};
    const double e = dice.between(0, 1);
    const double mu = std::pow(10.0, dice.between(-1.0, 0.5));
    const PathImpulse path = routh_path(velocity, mobility, e, mu);
    const Oracle oracle = integrate(velocity, mobility, e, mu, 5000);
    const double scale = oracle.normal * (1.0 + mu);
    worst = std::max(
        {worst, std::abs(path.normal - oracle.normal) / scale, std::abs(path.tangential - oracle.tangential) / scale});
    const double slip = velocity.tangential + mobility.nt * path.normal + mobility.tt * path.tangential;
    slid_back += slip * velocity.tangential < -1e-9 ? 1 : 0;
    const double sign = velocity.tangential > 0.0 ? 1.0 : -1.0;
    jammed += velocity.tangential != 0.0 && mobility.nn - mu * sign * mobility.nt < 0.0 ? 1 : 0;
  }
  MESSAGE("greatest difference of an impulse " << worst << ", slid back " << slid_back << ", jammed " << jammed);
  CHECK(worst < 2e-3);
  CHECK(slid_back > (test::kSanitized ? 2 : 20));
  CHECK(jammed > (test::kSanitized ? 2 : 20));
}

TEST_CASE("no impact gains energy, and what is lost is accounted for") {
  Dice dice(2);
  double most_gained = 0.0;
  double worst_account = 0.0;
  double worst_momentum = 0.0;
  double most_friction = 0.0;
  const int impacts = number_of_impacts();
  for (int k = 0; k < impacts; ++k) {
    const int points = k % 4 == 0 ? 2 : 1;
    const Collision before = random_collision(dice, points, k % 2 == 0 ? 1.0 : 5.0);
    const double e = k % 3 == 0 ? 1.0 : dice.between(0, 1);
    const double mu = k % 5 == 0 ? 0.0 : dice.between(0, 2);
    Collision after = before;
    const Impact impact = collide_polygons({.restitution = e, .friction = mu}, after.a, after.b, after.contact);
    const double gained = (after.energy() - before.energy()) / before.energy();
    most_gained = std::max(most_gained, gained);
    worst_account =
        std::max(worst_account, std::abs(gained + (impact.lost_normal + impact.lost_tangential) / before.energy()));
    worst_momentum = std::max(worst_momentum, (after.momentum() - before.momentum()).norm());
    const double normal = after.contact.normal.dot(impact.impulse);
    most_friction = std::max(most_friction, std::abs(cross(after.contact.normal, impact.impulse)) - mu * normal);
    REQUIRE(impact.lost_normal > -1e-13 * before.energy());
    REQUIRE(impact.lost_tangential > -1e-13 * before.energy());
    for (std::size_t point = 0; point < static_cast<std::size_t>(points); ++point) {
      REQUIRE(after.velocity(point).normal >= 0.0);
    }
  }
  MESSAGE("gained at most " << most_gained << ", balance " << worst_account);
  CHECK(most_gained < 1e-13);
  CHECK(worst_account < 1e-13);
  CHECK(worst_momentum < 1e-13);  // kg m/s
  CHECK(most_friction < 1e-12);   // N s
}

TEST_CASE("Walton's rule gains energy at corners") {
  Dice dice(3);
  int gained = 0;
  double most = 0.0;
  const int impacts = 20000;
  for (int k = 0; k < impacts; ++k) {
    const Collision c = random_collision(dice, 1);
    const ContactVelocity u = c.velocity();
    ContactMobility m{};
    const double straight = c.a.inverse_mass + c.b.inverse_mass;
    const Vec2 n = c.contact.normal;
    const Vec2 t = perp(n);
    const auto add = [&](const RigidImpactBody& body, const Vec2& arm) {
      m.nn += body.inverse_inertia * cross(arm, n) * cross(arm, n);
      m.nt += body.inverse_inertia * cross(arm, n) * cross(arm, t);
      m.tt += body.inverse_inertia * cross(arm, t) * cross(arm, t);
    };
    m.nn = m.tt = straight;
    add(c.a, c.contact.points[0].from_a);
    add(c.b, c.contact.points[0].from_b);
    // The normal velocity is reversed, the contact sticks if friction allows, otherwise it slides all the time.
    const double mu = 0.5;
    const double determinant = m.nn * m.tt - m.nt * m.nt;
    double jn = (-2.0 * u.normal * m.tt + m.nt * u.tangential) / determinant;
    double jt = (-m.nn * u.tangential + 2.0 * m.nt * u.normal) / determinant;
    if (std::abs(jt) > mu * jn) {
      const double friction = u.tangential > 0.0 ? -mu : mu;
      jn = -2.0 * u.normal / (m.nn + friction * m.nt);
      jt = friction * jn;
    }
    const double change =
        jn * u.normal + jt * u.tangential + 0.5 * (m.nn * jn * jn + 2.0 * m.nt * jn * jt + m.tt * jt * jt);
    gained += change > 1e-12 * c.energy() ? 1 : 0;
    most = std::max(most, change / c.energy());
  }
  MESSAGE(gained << " of " << impacts << " gain, at most " << most);
  CHECK(gained > impacts / 20);
}

TEST_CASE("a frictionless impact restitutes the normal velocity and leaves the tangential impulse at nothing") {
  Dice dice(4);
  for (int k = 0; k < 10000; ++k) {
    const Collision before = random_collision(dice, 1);
    const double e = dice.between(0, 1);
    Collision after = before;
    const Impact impact = collide_polygons({.restitution = e}, after.a, after.b, after.contact);
    REQUIRE(std::abs(after.velocity().normal + e * before.velocity().normal) < 1e-13);
    REQUIRE(std::abs(cross(after.contact.normal, impact.impulse)) < 1e-14);
    // The closed form with friction that is next to none.
    Collision rough = before;
    collide_polygons({.restitution = e, .friction = 1e-12}, rough.a, rough.b, rough.contact);
    REQUIRE((rough.b.velocity - after.b.velocity).norm() < 1e-10);
  }
}

TEST_CASE("elastic collisions of two bodies keep the energy over 10^5 of them") {
  Dice dice(5);
  const Collision start = random_collision(dice, 1);
  Collision c = start;
  // A fixed corner meets an edge in many directions, as in a gas; the energy must not drift.
  int impacts = 0;
  while (impacts < 100000) {
    const Collision next = random_collision(dice, 1);
    c.contact = next.contact;
    if (!(c.velocity().normal < 0.0)) continue;
    collide_polygons({}, c.a, c.b, c.contact);
    ++impacts;
  }
  const double change = c.energy() / start.energy() - 1.0;
  MESSAGE("relative change of the energy " << change);
  CHECK(std::abs(change) < 1e-12);
}

TEST_CASE("a square that falls flat leaves flat, with friction and without") {
  for (const double mu : {0.0, 0.5}) {
    for (const double e : {1.0, 0.5, 0.0}) {
      RigidImpactBody square{{0.0, -2.0}, 0.0, 1.0, 6.0};
      RigidImpactBody floor{Vec2::Zero(), 0.0, 0.0, 0.0};
      const ContactPoints contact{{0.0, 1.0}, 2, {{{{0.0, 0.0}, {-0.5, -0.5}}, {{1.0, 0.0}, {0.5, -0.5}}}}};
      const Impact impact = collide_polygons({.restitution = e, .friction = mu}, floor, square, contact);
      CHECK((square.velocity - Vec2(0.0, 2.0 * e)).norm() < 1e-15);
      CHECK(std::abs(square.angular_velocity) < 1e-15);
      CHECK(std::abs(impact.lost_normal - 2.0 * (1.0 - e * e)) < 1e-15);
      CHECK(floor.velocity == Vec2::Zero());
    }
  }
}

TEST_CASE("a slender block rocks from one lower corner to the other with 1 - 3/2 sin^2 alpha") {
  for (const double alpha : {0.1, 0.2, 0.4}) {
    const double w = std::sin(alpha);
    const double h = std::cos(alpha);
    const double inertia = (w * w + h * h) / 12.0;
    const double spin = 0.7;  // about the corner at the left, clockwise
    const Vec2 from_left(0.5 * w, 0.5 * h);
    for (const int points : {1, 2}) {  // of the floor that touch: the right corner alone, or both
      RigidImpactBody block{-spin * perp(from_left), -spin, 1.0, 1.0 / inertia};
      RigidImpactBody floor{Vec2::Zero(), 0.0, 0.0, 0.0};
      const ContactPoint right{{w, 0.0}, {0.5 * w, -0.5 * h}};
      const ContactPoint left{{0.0, 0.0}, {-0.5 * w, -0.5 * h}};
      const ContactPoints contact{{0.0, 1.0}, points, {right, left}};
      collide_polygons({.restitution = 0.0, .friction = 100.0}, floor, block, contact);
      CHECK(std::abs(-block.angular_velocity / spin - (1.0 - 1.5 * w * w)) < 1e-14);
      const ContactVelocity at_right = contact_velocity(floor, block, contact.normal, right);
      CHECK(std::abs(at_right.normal) < 1e-15);
      CHECK(std::abs(at_right.tangential) < 1e-15);
    }
  }
}

TEST_CASE("a rod on a smooth floor: the impulse of its end") {
  for (const double angle : {0.0, 0.3, 1.2}) {  // of the rod above the floor
    const double e = 0.6;
    RigidImpactBody rod{{0.0, -1.0}, 0.0, 1.0, 12.0};  // of length 1
    RigidImpactBody floor{Vec2::Zero(), 0.0, 0.0, 0.0};
    const Vec2 end = -0.5 * Vec2(std::cos(angle), std::sin(angle));
    const Impact impact =
        collide_polygons({.restitution = e}, floor, rod, {{0.0, 1.0}, 1, {{{Vec2::Zero(), end}, {}}}});
    CHECK(std::abs(impact.impulse.y() - (1.0 + e) / (1.0 + 3.0 * std::cos(angle) * std::cos(angle))) < 1e-15);
  }
}

TEST_CASE("a disk meets a disk as in the rule for disks, where it sticks or slides to the end") {
  Dice dice(6);
  for (int k = 0; k < 5000; ++k) {
    const auto disk = [&](double radius) {
      return ImpactBody{{normal_number(dice), normal_number(dice)}, normal_number(dice), radius, dice.between(0.5, 2)};
    };
    ImpactBody a = disk(0.3);
    ImpactBody b = disk(0.7);
    const double angle = dice.between(0, 2 * kPi);
    const Vec2 n(std::cos(angle), std::sin(angle));
    if (n.dot(b.velocity - a.velocity) >= 0.0) continue;
    const auto rigid = [](const ImpactBody& d) {
      return RigidImpactBody{d.velocity, d.angular_velocity, d.inverse_mass,
                             2.0 * d.inverse_mass / (d.radius * d.radius)};
    };
    RigidImpactBody of_a = rigid(a);
    RigidImpactBody of_b = rigid(b);
    const CollisionRule rule{.restitution = dice.between(0, 1), .friction = dice.between(0, 1)};
    collide_polygons(rule, of_a, of_b, {n, 1, {{{0.3 * n, -0.7 * n}, {}}}});
    collide(rule, a, b, n);
    REQUIRE((of_a.velocity - a.velocity).norm() < 1e-13);
    REQUIRE((of_b.velocity - b.velocity).norm() < 1e-13);
    REQUIRE(std::abs(of_a.angular_velocity - a.angular_velocity) < 1e-12);
    REQUIRE(std::abs(of_b.angular_velocity - b.angular_velocity) < 1e-12);
  }
}

TEST_CASE("friction without limit stops the slip or parts the bodies, and never turns the slip around") {
  Dice dice(7);
  int stuck = 0;
  for (int k = 0; k < 2000; ++k) {
    const Collision before = random_collision(dice, 1, 5.0);
    Collision after = before;
    collide_polygons({.restitution = 1.0, .friction = 1e30}, after.a, after.b, after.contact);
    const double slip = after.velocity().tangential;
    REQUIRE(slip * before.velocity().tangential > -1e-10);
    REQUIRE(after.energy() < before.energy() * (1.0 + 1e-12));
    stuck += std::abs(slip) < 1e-10 ? 1 : 0;
  }
  CHECK(stuck > 1000);
}

}  // namespace scree::polygon_impact_test
