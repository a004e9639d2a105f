#include "dem/hard/flight/prediction.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

#include "dem/hard/disk/wells.hpp"
#include "dem/hard/flight/growth.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::prediction_test {

using namespace scree::hard;
using test::Dice;

namespace {

/// The flight from `time` on.
Flight rest_of(const Flight& flight, double time, const Gravity& gravity) {
  return {flight.position_at(time, gravity), flight.velocity_at(time, gravity), time, flight.radius};
}

const Vec2 kHere = Vec2::Zero();

Flight random_flight(Dice& dice, double begin) {
  return {{dice.between(-3, 3), dice.between(-3, 3)},
          {dice.between(-1, 1), dice.between(-1, 1)},
          begin,
          dice.between(0.1, 1.0)};
}

/// The root of |r + v t| = contact in long double, from the moment when both flights have begun; negative if none.
long double exact_wait(const Flight& a, const Flight& b, const Vec2& shift) {
  const long double begin = std::max(a.time, b.time);
  long double r[2];
  long double v[2];
  for (int k = 0; k < 2; ++k) {
    r[k] =
        b.position[k] + b.velocity[k] * (begin - b.time) - a.position[k] - a.velocity[k] * (begin - a.time) + shift[k];
    v[k] = static_cast<long double>(b.velocity[k]) - a.velocity[k];
  }
  const long double contact = static_cast<long double>(a.radius) + b.radius;
  const long double bb = r[0] * v[0] + r[1] * v[1];
  const long double c = r[0] * r[0] + r[1] * r[1] - contact * contact;
  const long double vv = v[0] * v[0] + v[1] * v[1];
  const long double discriminant = bb * bb - vv * c;
  if (bb >= 0.0L || discriminant < 0.0L) return -1.0L;
  return c <= 0.0L ? 0.0L : (-bb - std::sqrt(discriminant)) / vv;
}

}  // namespace

TEST_CASE("disks collide at the root of the quadratic equation, to rounding") {
  Dice dice(1);
  int met = 0;
  for (int k = 0; k < 100000; ++k) {
    const Flight a = random_flight(dice, dice.between(0, 1));
    const Flight b = random_flight(dice, dice.between(0, 1));
    const Vec2 shift(dice.below(3) - 1.0, 0.0);
    const double begin = std::max(a.time, b.time);
    const double time = collision_time(a, b, shift);
    const long double wait = exact_wait(a, b, shift);
    if (time == kNever || wait < 0.0L) {
      // Only where they just touch may rounding decide.
      const Approach pair = approach(a, b, shift);
      const double closest = std::abs(cross(pair.distance, pair.velocity)) / pair.velocity.norm();
      const bool same = (time == kNever) == (wait < 0.0L);
      if (!same) CHECK(std::abs(closest - a.radius - b.radius) < 1e-12);
      continue;
    }
    ++met;
    CHECK(time >= begin);
    const Vec2 distance = (b.position_at(time) - a.position_at(time)) + shift;
    if (wait > 0.0L) {
      CHECK(std::abs(distance.norm() - a.radius - b.radius) < 1e-13 * (1.0 + static_cast<double>(wait)));  // m
    } else {
      CHECK(time == begin);
    }
  }
  CHECK(met > 10000);
}

TEST_CASE("a prediction is the same for both disks, and no bound at or after it dismisses it") {
  Dice dice(2);
  int met = 0;
  for (int k = 0; k < 100000; ++k) {
    const Flight a = random_flight(dice, dice.between(0, 1));
    const Flight b = random_flight(dice, dice.between(0, 1));
    const Vec2 shift(dice.between(-1, 1), dice.between(-1, 1));
    const double time = collision_time(a, b, shift);
    CHECK(collision_time(b, a, -shift) == time);
    if (time == kNever) continue;
    ++met;
    CHECK(pair_quadratic(a, b, shift).can_collide_before(time));
    CHECK(pair_quadratic(a, b, shift).can_collide_before(std::nextafter(time, kNever)));
  }
  CHECK(met > 10000);
}

TEST_CASE("a head-on collision at the bound is not dismissed, although only rounding separates them") {
  Dice dice(3);
  for (int k = 0; k < 100000; ++k) {
    const double gap = std::pow(10.0, dice.between(-12, 3));
    const Flight a{{0.0, 0.0}, {dice.between(0.1, 1), 0.0}, dice.between(0, 1), 0.5};
    const Flight b{{a.velocity.x() + 1.0 + gap, 0.0}, {dice.between(-1, 0), 0.0}, dice.between(0, 1), 0.5};
    const double time = collision_time(a, b, kHere);
    CHECK(time < kNever);
    CHECK(pair_quadratic(a, b, kHere).can_collide_before(time));
  }
}

namespace {

__extension__ using Integer = __int128;

/// Flights whose numbers are integers, so that the discriminant is one, too, and can be calculated exactly.
struct FarPair {
  Flight a;
  Flight b;
  double wait;  // until they meet, in long double; kNever if they pass by each other [s]
  bool is_clear;
};

/// They come from far away and pass by each other at up to twice the distance at which they touch.
/// @param growth of all radii a second, in units of the radii
FarPair far_pair(Dice& dice, double distance, std::int64_t growth = 0) {
  const auto whole = [&](double lo, double hi) { return std::round(dice.between(lo, hi)); };
  const Vec2 velocity(whole(-1e6, 1e6), whole(-1e6, 1e6));
  const double radius_a = whole(1, 50);
  const double radius_b = whole(1, 50);
  const double missed = dice.between(-2, 2) * (radius_a + radius_b);
  const Vec2 direction = velocity / velocity.norm();
  const Vec2 start = (missed * perp(direction) - distance * direction).array().round();
  FarPair pair{{Vec2::Zero(), -velocity, 0.0, radius_a}, {start, Vec2::Zero(), 0.0, radius_b}, kNever, true};
  pair.b.velocity = whole(-1e3, 1e3) * Vec2(1, 1);
  pair.a.velocity = pair.b.velocity - velocity;
  const auto x = static_cast<Integer>(start.x());
  const auto y = static_cast<Integer>(start.y());
  const auto u = static_cast<Integer>(velocity.x());
  const auto v = static_cast<Integer>(velocity.y());
  const auto contact = static_cast<Integer>(radius_a + radius_b);
  const Integer rate = contact * growth;
  const Integer a = u * u + v * v - rate * rate;
  const Integer b = x * u + y * v - contact * rate;
  const Integer c = x * x + y * y - contact * contact;
  const Integer discriminant = b * b - a * c;
  const Integer scale = (contact * contact) * (u * u + v * v) + (rate * rate) * (x * x + y * y);
  pair.is_clear = std::abs(static_cast<long double>(discriminant)) > 1e-13L * static_cast<long double>(scale);
  if (b >= 0 || discriminant < 0) return pair;
  const long double root = std::sqrt(static_cast<long double>(discriminant));
  pair.wait = static_cast<double>(static_cast<long double>(c) / (root - static_cast<long double>(b)));
  return pair;
}

/// @param collision_time of two flights
template <class CollisionTime>
void check_far_pairs(std::int64_t growth, const CollisionTime& collision_time) {
  Dice dice(7);
  for (const double distance : {1e3, 1e6, 1e8, 1e10, 1e11}) {
    CAPTURE(distance);
    int met = 0;
    int missed = 0;
    for (int k = 0; k < 5000; ++k) {
      const FarPair pair = far_pair(dice, distance, growth);
      if (!pair.is_clear) continue;
      const double time = collision_time(pair.a, pair.b);
      ++(pair.wait < kNever ? met : missed);
      CHECK((time < kNever) == (pair.wait < kNever));
      CHECK(collision_time(pair.b, pair.a) == time);
      if (pair.wait == kNever) continue;
      const double contact = (pair.a.radius + pair.b.radius) * (1.0 + static_cast<double>(growth) * pair.wait);
      const double speed = (pair.b.velocity - pair.a.velocity).norm();
      CHECK(speed * std::abs(time - pair.wait) <= 3e-7 * contact + 4e-15 * distance);  // m
    }
    CHECK(met > 1000);
    if (growth == 0) CHECK(missed > 1000);
  }
}

}  // namespace

TEST_CASE("disks that come from far away meet or miss each other as exact arithmetic says") {
  check_far_pairs(0, [](const Flight& a, const Flight& b) { return collision_time(a, b, kHere); });
  check_far_pairs(0, [](const Flight& a, const Flight& b) {
    const Approach pair = approach(a, b, kHere);
    const double contact = a.radius + b.radius;
    return next_well_event(pair, 0.5 * contact, 2.0, /*inside=*/false).time;
  });
  check_far_pairs(3, [](const Flight& a, const Flight& b) {
    const Growth growth{{}, 1.0, 3.0};
    const Growing of_a{a, 0.0};
    const Growing of_b{b, 0.0};
    return growing_pair_quadratic(of_a, of_b, kHere, growth).time([&] {
      return close_discriminant(of_a, of_b, kHere, growth);
    });
  });
}

TEST_CASE("growing disks' collision times calculated in lanes equal the scalar ones to the last bit") {
  const Growth field{{}, 0.7, 0.2};
  Dice dice(5);
  int candidates = 0;
  for (int k = 0; k < 10000; ++k) {
    const auto random = [&] { return Growing{random_flight(dice, dice.between(0, 1)), dice.between(0, 0.1)}; };
    const Growing disk = random();
    const std::array others{random(), random()};
    const std::array<Vec2, 2> shifts{Vec2(dice.between(-1, 1), 0.0), Vec2(0.0, dice.between(-1, 1))};
    const auto both =
        growing_pair_quadratic(pack(disk, disk), pack(others[0], others[1]), pack(shifts[0], shifts[1]), field);
    const double latest = dice.between(0, 10);
    for (const unsigned lane : {0u, 1u}) {
      const auto alone = growing_pair_quadratic(disk, others[lane], shifts[lane], field);
      CHECK(both[lane].begin == alone.begin);
      CHECK(both[lane].a == alone.a);
      CHECK(both[lane].b == alone.b);
      CHECK(both[lane].c == alone.c);
      const bool may = alone.can_collide_before(latest);
      CHECK((both.can_collide_before(latest).bits() >> lane & 1) == (may ? 1 : 0));
      candidates += may ? 1 : 0;
    }
  }
  CHECK(candidates > 1000);
  CHECK(candidates < 19000);
}

TEST_CASE("a point leaves a circle where it should; in gravity no earlier than a bound says, which gets close") {
  Dice dice(6);
  for (int k = 0; k < 10000; ++k) {
    const double radius = dice.between(0.1, 1);
    const double angle = dice.between(0, 7);
    const Vec2 from_centre = (k % 4 == 0 ? 1.0 : dice.between(0, 1)) * radius * Vec2(std::cos(angle), std::sin(angle));
    const Vec2 velocity(dice.between(-2, 2), dice.between(-2, 2));
    const double wait = circle_exit(from_centre, velocity, radius);
    const double inside = (from_centre + (1.0 - 1e-6) * wait * velocity).norm();
    CHECK(inside <= radius * (1.0 + 1e-12));
    CHECK((from_centre + (1.0 + 1e-6) * wait * velocity).norm() >= radius * (1.0 - 1e-12));
    const Vec2 gravity(0.6, -0.8);
    Vec2 place = from_centre;
    Vec2 now = velocity;
    double last = 0.0;
    for (int step = 0; step < 100; ++step) {
      last = circle_exit(place, now, radius, 1.0);
      for (const double part : {0.3, 0.7, 1.0}) {
        const double t = part * last;
        CHECK((place + t * now + (0.5 * t * t) * gravity).norm() <= radius * (1.0 + 1e-12));
      }
      place += last * now + (0.5 * last * last) * gravity;
      now += last * gravity;
    }
    CHECK(radius - place.norm() < 1e-3 * radius);
  }
  CHECK(circle_exit({1.0, 0.0}, {0.0, 0.0}, 1.0) == kNever);
  CHECK(circle_exit({1.0, 0.0}, {1.0, 0.0}, 1.0) == 0.0);
  CHECK(circle_exit({1.5, 0.0}, {1.0, 0.0}, 1.0) == 0.0);   // beyond, and on
  CHECK(circle_exit({1.5, 0.0}, {-1.0, 0.0}, 1.0) == 2.5);  // through it
  CHECK(circle_exit({0.5, 0.0}, {1e-160, 0.0}, 1.0) == 0.5 / 1e-160);
}

TEST_CASE("a bound dismisses many") {
  Dice dice(4);
  int met = 0;
  int dismissed = 0;
  for (int k = 0; k < 10000; ++k) {
    const Flight a = random_flight(dice, 0.0);
    const Flight b = random_flight(dice, 0.0);
    const double time = collision_time(a, b, kHere);
    if (time == kNever || time == 0.0) continue;
    ++met;
    if (!pair_quadratic(a, b, kHere).can_collide_before(0.4 * time)) ++dismissed;
  }
  CHECK(dismissed > met / 2);
}

TEST_CASE("no time is before the flights begin") {
  const Flight a{{0.0, 0.0}, {1.0, 0.0}, 3.0, 0.5};
  SUBCASE("disks that overlap and approach meet at once") {
    for (const double gap : {-0.4, -1e-10, -1e-16, 0.0}) {
      const Flight b{{1.0 + gap, 0.0}, {0.0, 0.0}, 2.0, 0.5};
      CHECK(collision_time(a, b, kHere) == 3.0);
    }
  }
  SUBCASE("disks that overlap and separate, or rest beside each other, do not meet") {
    const Flight b{{0.9, 0.0}, {1.5, 0.0}, 3.0, 0.5};
    CHECK(collision_time(a, b, kHere) == kNever);
    const Flight c{{1.0, 0.0}, {1.0, 0.0}, 3.0, 0.5};
    CHECK(collision_time(a, c, kHere) == kNever);
    const Flight d{{0.0, 1.0}, {0.0, 0.0}, 3.0, 0.5};  // slides along it
    CHECK(collision_time(a, d, kHere) == kNever);
  }
  SUBCASE("from 2 Mm away, with 1 fm/s, and larger than stars") {
    const Flight far{{2e6, 0.0}, {0.0, 0.0}, 3.0, 0.5};
    CHECK(std::abs(collision_time(a, far, kHere) - (3.0 + 2e6 - 1.0)) < 1e-9);
    const Flight slow{{1.5, 0.0}, {1.0 - 1e-15, 0.0}, 3.0, 0.5};
    CHECK(collision_time(a, slow, kHere) > 4e14);
    const Flight huge{{1e200, 0.0}, {-1e200, 0.0}, 3.0, 1e10};
    CHECK(collision_time(a, huge, kHere) >= 3.0);
  }
}

TEST_CASE("a coordinate leaves an interval on the side to which it moves") {
  const Flight flight{{0.25, -1.0}, {0.5, -2.0}, 10.0, 0.1};
  CHECK(axis_exit(flight, 0, 0.0, 1.0).time == 11.5);
  CHECK(axis_exit(flight, 1, -3.0, 5.0).time == 11.0);
  CHECK(axis_exit({{0, 0}, {0, 0}, 1.0, 0.1}, 0, -1.0, 1.0).time == kNever);
  CHECK(axis_exit({{0, 0}, {-0.0, 0}, 1.0, 0.1}, 0, 0.0, 0.0).time == kNever);
  SUBCASE("at once if it is beyond already") {
    CHECK(axis_exit(flight, 0, 0.0, 0.2).time == 10.0);
    CHECK(axis_exit(flight, 1, -0.9, 0.2).time == 10.0);
  }
  SUBCASE("on the far side if it comes in first") {
    CHECK(axis_exit(flight, 0, 0.5, 0.75).time == 11.0);
  }
}

namespace {

struct Closing {
  double gap, closing, acceleration;

  long double gap_at(long double t) const { return gap - t * (closing + 0.5L * acceleration * t); }
};

}  // namespace

TEST_CASE("a gap is closed at the first root, to rounding, and grazing is a matter of rounding only") {
  Dice dice(4);
  int hits = 0;
  int misses = 0;
  for (int k = 0; k < 200000; ++k) {
    Closing c{std::pow(10.0, dice.between(-15, 3)), dice.between(-2, 2), dice.between(-3, 3)};
    if (k % 3 == 0 && c.closing > 0.0) {  // grazing: the gap's least value is 0, but for some roundings
      c.acceleration = -c.closing * c.closing / (2.0 * c.gap) * (1.0 + (dice.below(9) - 4.0) * 1e-16);
    }
    const double time = closing_time(c.gap, c.closing, c.acceleration);
    const long double scale = std::abs(c.gap) + (time < kNever ? std::abs(time * c.closing) : 0.0L);
    // Where the gap is least before the root, or ever.
    const long double turn = c.acceleration < 0.0 ? -static_cast<long double>(c.closing) / c.acceleration : -1.0L;
    if (time == kNever) {
      ++misses;
      const bool never = c.acceleration < 0.0 || (c.acceleration == 0.0 && c.closing <= 0.0);
      CHECK((never || c.closing <= 0.0));
      if (turn > 0.0L) CHECK(c.gap_at(turn) > -4e-16L * scale);  // m
      continue;
    }
    ++hits;
    REQUIRE(time >= 0.0);
    CHECK(std::abs(c.gap_at(time)) < 1e-15L * scale);                                // m
    CHECK(c.closing + c.acceleration * time > -3e-8 * (1.0 + std::abs(c.closing)));  // m/s: the root of a double one
    for (int part = 1; part < 20; ++part) CHECK(c.gap_at(0.05L * part * time) > -1e-15L * scale);
  }
  CHECK(hits > 50000);
  CHECK(misses > 20000);
}

TEST_CASE("a gap that is already closed: hit at once, when it is 0 again, or when it has its first value again") {
  CHECK(closing_time(0.0, 1.0, 0.0) == 0.0);
  CHECK(closing_time(-1e-16, 1e-300, -10.0) == 0.0);
  CHECK(closing_time(0.0, 0.0, 10.0) == 0.0);
  CHECK(closing_time(0.0, 0.0, 0.0) == kNever);
  CHECK(closing_time(-1e-16, 0.0, -1.0) == kNever);
  CHECK(closing_time(-1e-16, -1.0, 0.0) == kNever);
  CHECK(closing_time(0.0, -1.0, 10.0) == 0.2);
  CHECK(closing_time(-1e-16, -1.0, 10.0) == doctest::Approx(0.2));
  CHECK(closing_time(-1e-3, -1e-6, 10.0) == 2e-7);  // it turns round before it opens
  CHECK(closing_time(5.0, 0.0, 10.0) == 1.0);
}

TEST_CASE("two falling disks collide at the same time as without gravity") {
  Dice dice(5);
  const Gravity gravity{{0.3, -9.81}};
  int met = 0;
  for (int k = 0; k < 50000; ++k) {
    Flight a = random_flight(dice, 0.5);
    Flight b = random_flight(dice, 0.5);
    const double straight = collision_time(a, b, kHere);
    const double falling = collision_time(a, b, kHere, gravity);
    CHECK((straight == falling || (straight == kNever) == (falling == kNever)));
    // One of them has begun later: the same parabola from another point.
    const double later = 0.5 + dice.between(0, 0.5);
    if (straight < later) continue;
    (k % 2 == 0 ? a : b) = rest_of(k % 2 == 0 ? a : b, later, gravity);
    const double again = collision_time(a, b, kHere, gravity);
    CHECK(collision_time(b, a, kHere, gravity) == again);
    if (again == kNever || straight == kNever) continue;
    ++met;
    const double distance = (b.position_at(again, gravity) - a.position_at(again, gravity)).norm();
    CHECK(std::abs(distance - a.radius - b.radius) < 1e-13 * (1.0 + 10.0 * again * again));  // m
  }
  CHECK(met > 5000);
}

TEST_CASE("a coordinate that falls leaves an interval through the end that it reaches first") {
  const Gravity gravity{{0.0, -10.0}};
  const Flight up{{0.0, 0.0}, {1.0, 4.0}, 3.0, 0.5};  // 0.8 m high
  CHECK(axis_exit(up, 1, -1.0, 0.7, gravity).above);
  const AxisExit down = axis_exit(up, 1, -1.0, 0.9, gravity);
  CHECK(!down.above);
  CHECK(std::abs(up.position_at(down.time, gravity).y() + 1.0) < 1e-15);
  CHECK(axis_exit(up, 0, -1.0, 2.0, gravity).time == 5.0);
  const Flight rest = rest_of(up, 3.5, gravity);  // on its way down
  CHECK(rest.velocity.y() == -1.0);
  CHECK(std::abs(axis_exit(rest, 1, 0.0, 0.79, gravity).time - 3.8) < 1e-15);
}

}  // namespace scree::prediction_test
