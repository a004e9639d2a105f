#include "dem/hard/events/wall_body.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/sanitized.hpp"

namespace scree::wall_body_test {

using namespace scree::hard;
using test::Dice;

namespace {

const Domain kOpen{{-10.0, -10.0}, {10.0, 10.0}};
const Vec2 kHere = Vec2::Zero();
const std::vector<Vec2> kSquare = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
const std::vector<Vec2> kSegment = {{-1.0, 0.0}, {1.0, 0.5}};
const std::vector<Vec2> kTriangle = {{-0.7, -0.4}, {0.9, -0.6}, {0.1, 1.1}};

enum class Moves { not_at_all, straight, to_and_fro, around, every_way };

Wall random_wall(Dice& dice, Moves moves) {
  Wall wall;
  wall.polygon = std::vector{kSquare, kSegment, kTriangle}[static_cast<std::size_t>(dice.below(3))];
  if (moves == Moves::straight || moves == Moves::every_way) wall.velocity = {dice.between(-1, 1), dice.between(-1, 1)};
  if (moves == Moves::to_and_fro || moves == Moves::every_way) {
    wall.oscillation = {{dice.between(-0.3, 0.3), dice.between(-0.3, 0.3)}, dice.between(0.2, 2.0), dice.between(0, 6)};
  }
  if (moves == Moves::around || moves == Moves::every_way) {
    wall.angular_velocity = dice.between(-3, 3);
    wall.pivot = {dice.between(-1, 1), dice.between(-1, 1)};
  }
  return wall;
}

/// Where a corner of a wall is, from its definition.
Vec2 corner_at(const Wall& wall, std::size_t k, double t) {
  const Oscillation& o = wall.oscillation;
  const Vec2 moved = t * wall.velocity + std::sin(2.0 * std::numbers::pi * o.frequency * t + o.phase) * o.amplitude;
  const double turned = wall.angular_velocity * t;
  const Vec2 arm = wall.polygon[k] - wall.pivot;
  return wall.pivot + moved + std::cos(turned) * arm + std::sin(turned) * perp(arm);
}

/// Distance of a point from the wall's outline and inside, < 0 inside. Edge by edge, without the wall's frame.
double distance_from(const Wall& wall, const Vec2& p, double t) {
  double least = kNever;
  double highest = -kNever;
  const std::size_t n = wall.polygon.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 a = corner_at(wall, k, t);
    const Vec2 side = corner_at(wall, (k + 1) % n, t) - a;
    const double along = std::clamp((p - a).dot(side) / side.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (p - a - along * side).norm());
    highest = std::max(highest, cross(p - a, side) / side.norm());
  }
  return n > 2 && highest < 0.0 ? highest : least;
}

struct Shot {
  Flight flight;
  Vec2 gravity;

  double gap(const Wall& wall, double t) const {
    return distance_from(wall, flight.position_at(t, Gravity{gravity}), t) - flight.radius;
  }
};

/// Starts outside the wall.
Shot random_shot(Dice& dice, const Wall& wall) {
  for (;;) {
    Shot shot{{{dice.between(-4, 4), dice.between(-4, 4)},
               {dice.between(-3, 3), dice.between(-3, 3)},
               dice.between(0.0, 0.5),
               dice.between(0.02, 0.8)},
              dice.below(2) == 0 ? Vec2(0.0, 0.0) : Vec2(dice.between(-4, 4), dice.between(-4, 4))};
    if (shot.gap(wall, shot.flight.time) > 0.0) return shot;
  }
}

constexpr double kLatest = 3.0;  // s

/// The least gap in [begin, end], by dense sampling, and where.
std::pair<double, double> least_gap(const Shot& shot, const Wall& wall, double begin, double end) {
  constexpr int kSamples = 3000;
  std::pair<double, double> least{kNever, begin};
  for (int k = 0; k < kSamples; ++k) {
    const double t = begin + (end - begin) * k / kSamples;
    least = std::min(least, {shot.gap(wall, t), t});
  }
  return least;
}

}  // namespace

TEST_CASE("the first contact with walls in any motion is that found by dense sampling") {
  Dice dice(11);
  for (const Moves moves : {Moves::not_at_all, Moves::straight, Moves::to_and_fro, Moves::around, Moves::every_way}) {
    CAPTURE(static_cast<int>(moves));
    int hits = 0;
    for (int k = 0; k < 400 / test::kFewer; ++k) {
      const Wall wall = random_wall(dice, moves);
      const WallBody body(wall, kOpen);
      const Shot shot = random_shot(dice, wall);
      const double time = body.collision_time(shot.flight, shot.gravity, kHere, kLatest);
      const double least = least_gap(shot, wall, shot.flight.time, std::min(time, kLatest)).first;
      CAPTURE(k);
      CHECK(least > -1e-14);  // m
      if (time == kNever) continue;
      ++hits;
      CHECK(std::abs(shot.gap(wall, time)) < 2e-14);  // m
      CHECK(shot.gap(wall, time + 1e-7) < 1e-8);      // m
      CHECK(body.gap_to(shot.flight, shot.gravity, kHere, time).closing_speed > -1e-6);
      // The same bits for any bound that lets it through, and with the wall's image elsewhere the same to rounding.
      CHECK(body.collision_time(shot.flight, shot.gravity, kHere, time) == time);
      CHECK(body.collision_time(shot.flight, shot.gravity, kHere, time - 1e-9) == kNever);
    }
    CHECK(hits > 30 / test::kFewer);
  }
}

TEST_CASE("grazing contacts are found, and near misses are misses") {
  Dice dice(12);
  for (const Moves moves : {Moves::not_at_all, Moves::straight, Moves::to_and_fro, Moves::around, Moves::every_way}) {
    CAPTURE(static_cast<int>(moves));
    int grazing = 0;
    for (int k = 0; k < 150 / test::kFewer; ++k) {
      const Wall wall = random_wall(dice, moves);
      const WallBody body(wall, kOpen);
      Shot shot = random_shot(dice, wall);
      // The largest radius with which it passes: the least distance, from the best of the samples on by golden section.
      const double whole = kLatest - shot.flight.time;
      const double near = least_gap(shot, wall, shot.flight.time, kLatest).second;
      double lo = std::max(shot.flight.time, near - whole / 3000);
      double hi = std::min(kLatest, near + whole / 3000);
      for (int step = 0; step < 60; ++step) {
        const double a = hi - 0.618 * (hi - lo);
        const double b = lo + 0.618 * (hi - lo);
        (shot.gap(wall, a) < shot.gap(wall, b) ? hi : lo) = shot.gap(wall, a) < shot.gap(wall, b) ? b : a;
      }
      const double least = shot.gap(wall, lo) + shot.flight.radius;
      if (least < 0.05 || lo < shot.flight.time + 0.01 || lo > kLatest - 0.01) continue;
      ++grazing;
      CAPTURE(k);
      for (const double hair : {1e-13, 1e-10, 1e-6}) {
        CAPTURE(hair);
        shot.flight.radius = least + hair;
        if (shot.gap(wall, shot.flight.time) <= 0.0) continue;
        const double time = body.collision_time(shot.flight, shot.gravity, kHere, kLatest);
        CHECK(time <= lo + 1e-6);
        if (time < kNever) CHECK(std::abs(shot.gap(wall, time)) < 2e-14);  // m
        shot.flight.radius = least - hair;
        CHECK(body.collision_time(shot.flight, shot.gravity, kHere, kLatest) == kNever);
      }
    }
    CHECK(grazing > 25 / test::kFewer);
  }
}

TEST_CASE("edges, corners and segments with known contact times") {
  Wall wall;
  wall.polygon = kSquare;
  const WallBody square(wall, kOpen);
  const auto time = [](const WallBody& body, const Vec2& x, const Vec2& v, const Vec2& g = Vec2::Zero()) {
    return body.collision_time({x, v, 1.0, 0.5}, g, kHere, kNever);
  };
  CHECK(time(square, {0.0, 3.0}, {0.0, -1.0}) == 2.5);
  CHECK(time(square, {0.0, 3.0}, {5.0, -1.0}) == kNever);
  CHECK(time(square, {0.0, 3.0}, {0.0, 0.0}, {0.0, -3.0}) == 2.0);       // falls 1.5 m
  CHECK(time(square, {3.0, 3.0}, {0.0, 0.0}) == kNever);                 // rests
  CHECK(time(square, {0.0, 1.5}, {1.0, 0.0}) == kNever);                 // slides along an edge
  CHECK(time(square, {-3.0, 1.0}, {1.0, 0.0}) == doctest::Approx(2.5));  // foot at the corner: where two edges end
  CHECK(std::abs(time(square, {-3.0, -3.0}, {1.0, 1.0}) - (3.0 - std::sqrt(0.125))) < 1e-15);  // into the corner
  CHECK(time(square, {0.0, 1.5}, {0.0, -1e-300}) == 1.0);           // touches and approaches: at once
  CHECK(time(square, {0.0, 1.5}, {0.0, 1.0}, {0.0, -4.0}) == 1.5);  // and comes back
  CHECK(time(square, {0.0, 1.5}, {0.0, 0.0}, {0.0, -4.0}) == 1.0);  // lies on it

  wall.polygon = {{0.0, 0.0}, {2.0, 0.0}};
  const WallBody segment(wall, kOpen);
  CHECK(time(segment, {1.0, 2.0}, {0.0, -1.0}) == 2.5);
  CHECK(time(segment, {1.0, -2.0}, {0.0, 1.0}) == 2.5);
  CHECK(time(segment, {-1.0, 0.0}, {1.0, 0.0}) == 1.5);  // end on
  CHECK(time(segment, {3.0, 0.0}, {-1.0, 0.0}) == 1.5);
  CHECK(time(segment, {3.0, 0.0}, {1.0, 0.0}) == kNever);

  wall.velocity = {0.0, 1.0};  // a piston
  CHECK(time(WallBody(wall, kOpen), {1.0, 3.5}, {0.0, -1.0}) == 2.0);
  wall.velocity = {0.0, 0.0};
  wall.oscillation = {{0.0, 0.25}, 1.0, 0.0};  // comes to rest at 0.25 m after a quarter of a second
  const double top = time(WallBody(wall, kOpen), {1.0, 0.75 - 1e-12}, {0.0, 0.0});
  CHECK(std::abs(top - 1.25) < 1e-6);
  CHECK(time(WallBody(wall, kOpen), {1.0, 0.75 + 1e-12}, {0.0, 0.0}) == kNever);
  wall.oscillation = {};
  wall.angular_velocity = std::numbers::pi / 2.0;  // a hand: at 1 s it points upwards, at 2 s to the left
  const double hour = time(WallBody(wall, kOpen), {-1.0, 0.5}, {0.0, 0.0});
  CHECK(std::abs(hour - (2.0 - 4.0 / std::numbers::pi * std::atan(0.5))) < 1e-14);
}

TEST_CASE("a disk that just grazes a corner, and an edge beyond it, has a contact at zero speed or none") {
  Wall wall;
  wall.polygon = kSquare;
  const WallBody square(wall, kOpen);
  const Flight flight{{-3.0, 1.5}, {1.0, 0.0}, 0.0, 0.5};
  const double time = square.collision_time(flight, kHere, kHere, kNever);
  if (time < kNever) {
    CHECK(std::abs(time - 2.0) < 1e-7);
    CHECK(square.gap_to(flight, kHere, kHere, time).closing_speed < 1e-7);  // m/s
  }
}

TEST_CASE("a velocity that is no number has no end, but its prediction has") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Dice dice(9);
  for (const Moves moves : {Moves::not_at_all, Moves::straight, Moves::to_and_fro, Moves::around, Moves::every_way}) {
    const WallBody body(random_wall(dice, moves), kOpen);
    for (const Vec2& velocity : {Vec2(nan, nan), Vec2(nan, -1.0), Vec2(0.0, nan)}) {
      const Flight flight{{0.1, 3.0}, velocity, 0.0, 0.2};
      body.collision_time(flight, {0.0, -9.81}, kHere, 1.0);
      body.collision_time(flight, kHere, kHere, kNever);
    }
  }
}

TEST_CASE("rebasing the clock does not change a wall's position, however late") {
  Wall wall;
  wall.polygon = kTriangle;
  wall.oscillation = {{0.2, 0.1}, 3.0, 1.0};
  wall.angular_velocity = 2.0 * std::numbers::pi;  // one turn a second
  const WallBody first(wall, kOpen);
  WallBody later(wall, kOpen);
  Clock clock;
  clock.set_back(1e7 + 0.25);
  later.set_clock(clock);
  for (const double t : {0.0, 0.1, 0.7}) {
    const std::vector<Vec2> expected = first.outline(0.25 + t);
    const std::vector<Vec2> found = later.outline(t);
    for (std::size_t k = 0; k < 3; ++k) CHECK((found[k] - expected[k]).norm() < 1e-8);  // m
  }
}

TEST_CASE("invalid walls are refused by name") {
  Wall wall;
  wall.name = "plate";
  const auto refused = [&](std::vector<Vec2> polygon, const char* what) {
    wall.polygon = std::move(polygon);
    CHECK_THROWS_WITH_AS(WallBody(wall, kOpen), doctest::Contains(what), InvalidScene);
  };
  refused({}, "walls.plate.polygon");
  refused({{0.0, 0.0}}, "walls.plate.polygon");
  refused({{0.0, 0.0}, {0.0, 0.0}}, "must have a length");
  refused({{0.0, 0.0}, {NAN, 0.0}}, "must be finite");
  refused({{0.0, 0.0}, {1.0, 0.0}, {0.1, 0.1}, {0.0, 1.0}}, "walls.plate.polygon");
  wall.polygon = kSquare;
  wall.velocity = {1.0, 0.0};
  Domain periodic = kOpen;
  periodic.periodic = {true, false};
  CHECK_THROWS_WITH_AS(WallBody(wall, periodic), doctest::Contains("walls.plate.velocity"), InvalidScene);
  wall.polygon = {{-10.0, -1.0}, {10.0, -1.0}, {10.0, 0.0}, {-10.0, 0.0}};
  const WallBody belt(wall, periodic);
  CHECK(belt.belt() == Vec2(1.0, 0.0));
  CHECK(belt.outline(5.0)[0] == Vec2(-10.0, -1.0));
}

}  // namespace scree::wall_body_test
