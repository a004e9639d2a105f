#include "geometry/first_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "geometry/polygon_makers.hpp"
#include "tests/geometry/distance_in_flight.hpp"
#include "tests/geometry/random_pairs.hpp"
#include "tests/sanitized.hpp"

namespace scree::first_contact_test {

using namespace scree::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;
constexpr double kResolution = 1e-10;  // of the sum of both radii: what the oracle finds, and what is wrong

double normal_number(Uniform& uniform) {
  return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(2.0 * kPi * uniform());
}

Vec2 direction(Uniform& uniform) {
  const double heading = uniform.between(-kPi, kPi);
  return {std::cos(heading), std::sin(heading)};
}

// --- the oracle: a bound of the rate of the distance, and subdivision ---

struct Pair {
  ContactShape a;
  ContactShape b;
  RigidFlight of_a;
  RigidFlight of_b;
  Vec2 shift = Vec2::Zero();

  double size() const { return a.bounding_radius() + b.bounding_radius(); }
  double begin() const { return std::max(of_a.time, of_b.time); }
  double distance(double time) const { return distance_in_flight(a, of_a, b, of_b, shift, time); }
  /// The distance changes no faster between two times.
  double fastest(double t1, double t2) const {
    const double straight = std::max((of_b.steady_velocity_at(t1) - of_a.steady_velocity_at(t1)).norm(),
                                     (of_b.steady_velocity_at(t2) - of_a.steady_velocity_at(t2)).norm());
    const auto swing = [](const RigidFlight& flight) {
      return flight.oscillation.angular_frequency * flight.oscillation.amplitude.norm();
    };
    const auto own = [&](const ContactShape& shape, const RigidFlight& flight) {
      return shape.bounding_radius() * (flight.size_at(t2) * std::abs(flight.angular_velocity) + flight.growth);
    };
    return straight + swing(of_a) + swing(of_b) + own(a, of_a) + own(b, of_b);
  }
  FirstContact first_contact(double latest, double bound_factor = 1.0) const {
    return detail::first_contact(a, of_a, b, of_b, shift, latest, kMostLooks, bound_factor);
  }
};

/// Whether the bodies overlap by more than `depth` at some time, by subdivision: an interval is free if what both ends
/// guarantee covers it.
class Subdivision {
 public:
  Subdivision(const Pair& pair, double depth) : pair_(pair), depth_(depth) {}
  bool overlap_between(double t1, double t2) { return overlap(t1, t2, pair_.distance(t1), pair_.distance(t2)); }
  int calls() const { return calls_; }

 private:
  bool overlap(double t1, double t2, double d1, double d2) {
    ++calls_;
    if (d1 < -depth_ || d2 < -depth_) return true;
    const double way = pair_.fastest(t1, t2) * (t2 - t1);
    if ((d1 + depth_) + (d2 + depth_) > way || way < 1e-3 * depth_) return false;
    const double middle = 0.5 * (t1 + t2);
    const double d = pair_.distance(middle);
    return overlap(t1, middle, d1, d) || overlap(middle, t2, d, d2);
  }

  const Pair& pair_;
  double depth_;
  int calls_ = 0;
};

/// What a search found, beside the oracle.
struct Verdict {
  long pairs = 0;
  long contacts = 0;
  long looked_at = 0;
  long looks = 0;
  int most_looks = 0;
  long undecided = 0;
  long missed = 0;       ///< they overlap by more than the resolution before the contact
  long not_there = 0;    ///< they are further apart than the resolution at the contact
  double widest = 0.0;   ///< gap at a contact, of the size and a hundredth of the way that points went on the clock
  double deepest = 0.0;  ///< overlap at a contact, of the same

  double mean_looks() const { return static_cast<double>(looks) / static_cast<double>(std::max(looked_at, 1L)); }
};

void judge(Verdict& verdict, const Pair& pair, double latest, double bound_factor = 1.0) {
  const FirstContact found = pair.first_contact(latest, bound_factor);
  ++verdict.pairs;
  verdict.looked_at += found.looks > 0 ? 1 : 0;
  verdict.looks += found.looks;
  verdict.most_looks = std::max(verdict.most_looks, found.looks);
  verdict.undecided += found.kind == FirstContact::Kind::kUndecided ? 1 : 0;
  double end = latest;
  if (found.kind == FirstContact::Kind::kContact) {
    ++verdict.contacts;
    end = found.time;
    const double distance = pair.distance(found.time);
    const double way = pair.fastest(found.time, found.time) * std::abs(found.time);
    verdict.widest = std::max(verdict.widest, distance / (pair.size() + 0.01 * way));
    verdict.deepest = std::max(verdict.deepest, -distance / (pair.size() + 0.01 * way));
    verdict.not_there += distance > kResolution * pair.size() ? 1 : 0;
  }
  verdict.missed += Subdivision(pair, kResolution * pair.size()).overlap_between(pair.begin(), end) ? 1 : 0;
}

void expect_right(const Verdict& verdict) {
  CHECK(verdict.missed == 0);
  CHECK(verdict.not_there == 0);
  CHECK(verdict.undecided == 0);
  CHECK(verdict.deepest < 1e-13);
  CHECK(verdict.widest < 1e-13);
  CHECK(verdict.contacts > verdict.pairs / 5);
  if (verdict.pairs >= 200) CHECK(verdict.contacts < verdict.pairs);
  MESSAGE(verdict.contacts << " contacts of " << verdict.pairs << " pairs, looks at a pair whose circles meet "
                           << verdict.mean_looks() << ", at most " << verdict.most_looks << ", overlap "
                           << verdict.deepest << ", gap " << verdict.widest);
}

// --- random flights ---

/// Towards each other, more or less; speeds of points and of centres are alike for spin 1.
Pair flights(Uniform& uniform, ContactShape a, ContactShape b, double spin) {
  const double size = a.bounding_radius() + b.bounding_radius();
  const double small = std::min(a.bounding_radius(), b.bounding_radius());
  const double angle = uniform.between(0.0, 2.0 * kPi);
  const double aim = angle + kPi + 0.8 * normal_number(uniform) * (small / size) * 2.0;
  const double distance = size * uniform.between(0.3, 1.5);
  const double speed = std::abs(normal_number(uniform));
  const Vec2 drift(normal_number(uniform), normal_number(uniform));
  Pair pair{std::move(a), std::move(b), {}, {}, {uniform.between(-10.0, 10.0), uniform.between(-10.0, 10.0)}};
  const auto begin = [&](RigidFlight& flight, const ContactShape& shape, const Vec2& position, const Vec2& velocity) {
    flight.time = uniform.between(0.0, 1.0);
    flight.position = position + flight.time * velocity;
    flight.velocity = velocity;
    flight.angle = uniform.between(-kPi, kPi);
    flight.angular_velocity = spin * 1.5 * normal_number(uniform) / shape.bounding_radius();
  };
  // Where they are at time 1, when both flights have begun.
  const Vec2 place(uniform.between(-10.0, 10.0), uniform.between(-10.0, 10.0));
  begin(pair.of_a, pair.a, place - drift, drift);
  const Vec2 velocity = drift + speed * Vec2(std::cos(aim), std::sin(aim));
  begin(pair.of_b, pair.b, place + distance * Vec2(std::cos(angle), std::sin(angle)) - pair.shift - velocity, velocity);
  return pair;
}

/// Calls `use` with so many pairs that do not overlap when both flights have begun.
void for_pairs(int pairs, const std::function<Pair()>& make, const std::function<void(const Pair&)>& use) {
  for (int k = 0; k < pairs;) {
    const Pair pair = make();
    if (pair.distance(pair.begin()) < 1e-9 * pair.size()) continue;
    use(pair);
    ++k;
  }
}

ContactShape shape_of(const Polygon& polygon) {
  return ContactShape(polygon.vertices());
}

ContactShape random_shape(Uniform& uniform, const Shapes& shapes) {
  return uniform() < 0.5 ? shape_of(shapes.pick(uniform)) : shape_of(regular_polygon(uniform.between(3, 12), 0.7));
}

Verdict thermal(int pairs, double spin, double bound_factor = 1.0, std::uint64_t seed = 1) {
  Uniform uniform(seed);
  const Shapes shapes(uniform, 3, 8, 5.0, 1.0);
  Verdict verdict;
  for_pairs(
      pairs, [&] { return flights(uniform, random_shape(uniform, shapes), random_shape(uniform, shapes), spin); },
      [&](const Pair& pair) { judge(verdict, pair, 20.0, bound_factor); });
  return verdict;
}

/// The same of bodies that grow, one, the other, both or none, from other sizes than 1; some are disks.
Verdict growing(int pairs, double bound_factor = 1.0) {
  Uniform uniform(31);
  const Shapes shapes(uniform, 3, 8, 5.0, 1.0);
  Verdict verdict;
  const auto shape = [&] { return uniform() < 0.2 ? ContactShape::disk(0.7) : random_shape(uniform, shapes); };
  const auto make = [&] {
    Pair pair = flights(uniform, shape(), shape(), 1.0);
    for (RigidFlight* flight : {&pair.of_a, &pair.of_b}) {
      flight->size = uniform.between(0.3, 1.0);
      if (uniform() < 0.5) flight->growth = std::pow(100.0, uniform.between(-1.0, 0.0));
    }
    return pair;
  };
  for_pairs(pairs, make, [&](const Pair& pair) { judge(verdict, pair, 4.0, bound_factor); });
  return verdict;
}

int number_of_pairs() {
  if (const char* const pairs = std::getenv("SCREE_PAIRS")) return std::atoi(pairs);
  return kSanitized ? 500 : 10000;
}

}  // namespace

TEST_CASE("the first contact of random polygons is neither missed nor invented") {
  const Verdict verdict = thermal(number_of_pairs(), 1.0);
  expect_right(verdict);
  CHECK(verdict.mean_looks() <= 12.0);
}

TEST_CASE("with half the bound contacts are missed") {
  const Verdict verdict = thermal(400, 1.0, 0.5);
  MESSAGE(verdict.missed << " of " << verdict.pairs << " missed");
  CHECK(verdict.missed > verdict.pairs / 50);
}

TEST_CASE("the first contact of bodies that grow is neither missed nor invented, but with half the bound it is") {
  expect_right(growing(number_of_pairs()));
  CHECK(growing(400, 0.5).missed > 4);
}

TEST_CASE("squares that grow at rest touch when their sizes fill the distance") {
  const ContactShape square = shape_of(rectangle(1.0, 1.0));
  const RigidFlight left{.size = 0.5, .growth = 0.25};
  const RigidFlight right{.position = {1.5, 0.2}, .time = 1.0, .size = 0.5, .growth = 0.5};
  // 0.5 (0.5 + 0.25 t) + 0.5 (0.5 + 0.5 (t - 1)) = 1.5
  const FirstContact found = first_contact(square, left, square, right, Vec2::Zero(), 10.0);
  REQUIRE(found.kind == FirstContact::Kind::kContact);
  CHECK(std::abs(found.time - 10.0 / 3.0) < 1e-14);
  const ContactPoints points = contact_points(square, left, square, right, Vec2::Zero(), found);
  REQUIRE(points.count == 2);
  CHECK((points.normal - Vec2(1.0, 0.0)).norm() < 1e-15);
  CHECK(std::abs(points.points[0].from_a.x() - 0.5 * left.size_at(found.time)) < 1e-14);
  CHECK(first_contact(square, left, square, right, Vec2::Zero(), 3.3).kind == FirstContact::Kind::kNone);
}

TEST_CASE("polygons that do not turn need two or three looks") {
  const Verdict verdict = thermal(number_of_pairs() / 10, 0.0);
  expect_right(verdict);
  CHECK(verdict.mean_looks() < 3.0);
}

TEST_CASE("first contacts at a hundred times the thermal spin") {
  expect_right(thermal(number_of_pairs() / 50, 100.0));
}

TEST_CASE("first contacts of sizes 1 : 1000") {
  Uniform uniform(2);
  const Shapes shapes(uniform, 3, 8, 3.0, 1.0);
  Verdict verdict;
  for_pairs(
      number_of_pairs() / 10,
      [&] {
        const double ratio = std::pow(1000.0, uniform.between(0.5, 1.0));
        ContactShape large = shape_of(shapes.pick(uniform).scaled(ratio));
        ContactShape small = shape_of(shapes.pick(uniform));
        if (uniform() < 0.5) std::swap(large, small);
        return flights(uniform, std::move(large), std::move(small), 1.0);
      },
      [&](const Pair& pair) { judge(verdict, pair, 2.0 * pair.size()); });
  expect_right(verdict);
}

TEST_CASE("first contacts of polygons with 64 corners") {
  Uniform uniform(3);
  const ContactShape many = shape_of(regular_polygon(64, 1.0));
  const ContactShape few = shape_of(regular_polygon(5, 1.0));
  Verdict verdict;
  for_pairs(
      number_of_pairs() / 50, [&] { return flights(uniform, many, uniform() < 0.5 ? many : few, 1.0); },
      [&](const Pair& pair) { judge(verdict, pair, 20.0); });
  expect_right(verdict);
}

TEST_CASE("first contacts of slivers 1 : 50") {
  Uniform uniform(4);
  const ContactShape sliver = shape_of(rectangle(1.0, 0.02));
  const ContactShape needle = shape_of(Polygon(std::vector<Vec2>{{0.0, 0.0}, {1.0, 0.0}, {0.4, 0.02}}));
  Verdict verdict;
  for_pairs(
      number_of_pairs() / 10, [&] { return flights(uniform, sliver, uniform() < 0.5 ? sliver : needle, 1.0); },
      [&](const Pair& pair) { judge(verdict, pair, 20.0); });
  expect_right(verdict);
}

TEST_CASE("first contacts of polygons and disks, beside the distance of the centre from the outline") {
  Uniform uniform(5);
  const Shapes shapes(uniform, 3, 8, 5.0, 1.0);
  Verdict verdict;
  for_pairs(
      number_of_pairs() / 4,
      [&] {
        ContactShape disk = ContactShape::disk(0.5 * std::pow(30.0, uniform.between(-1.0, 1.0)));
        ContactShape polygon = random_shape(uniform, shapes);
        if (uniform() < 0.5) std::swap(disk, polygon);
        return flights(uniform, std::move(disk), std::move(polygon), 1.0);
      },
      [&](const Pair& pair) { judge(verdict, pair, 20.0 * pair.size()); });
  expect_right(verdict);
}

TEST_CASE("two disks touch when their centres are as near as the radii allow") {
  Uniform uniform(6);
  Verdict verdict;
  for_pairs(
      300, [&] { return flights(uniform, ContactShape::disk(0.4), ContactShape::disk(0.7), 1.0); },
      [&](const Pair& pair) { judge(verdict, pair, 20.0); });
  expect_right(verdict);
}

TEST_CASE("first contacts with walls: segments and outlines at rest, moving, turning and oscillating, with gravity") {
  Uniform uniform(7);
  const Shapes shapes(uniform, 3, 8, 5.0, 1.0);
  for (int kind = 0; kind < 4; ++kind) {
    const bool turns = kind % 2 == 1;
    const bool oscillates = kind / 2 == 1;
    Verdict verdict;
    for_pairs(
        number_of_pairs() / 10,
        [&] {
          const double length = std::pow(30.0, uniform());
          ContactShape wall = uniform() < 0.5 ? ContactShape::segment({-length, 0.0}, {0.5 * length, 0.1})
                                              : shape_of(rectangle(length, 0.3 * length));
          ContactShape body = uniform() < 0.2 ? ContactShape::disk(0.6) : random_shape(uniform, shapes);
          const bool is_second = uniform() < 0.5;
          Pair pair = is_second ? flights(uniform, std::move(wall), std::move(body), 1.0)
                                : flights(uniform, std::move(body), std::move(wall), 1.0);
          RigidFlight& of_wall = is_second ? pair.of_a : pair.of_b;
          RigidFlight& of_body = is_second ? pair.of_b : pair.of_a;
          if (!turns) of_wall.angular_velocity = 0.0;
          if (oscillates) {
            of_wall.oscillation = {.amplitude = uniform() * direction(uniform),
                                   .angular_frequency = std::pow(10.0, uniform.between(-1.0, 1.0)),
                                   .phase = uniform.between(-kPi, kPi)};
          }
          const double heading = uniform.between(-kPi, kPi);
          of_body.acceleration =
              std::pow(10.0, uniform.between(-1.0, 1.0)) * Vec2(std::cos(heading), std::sin(heading));
          return pair;
        },
        [&](const Pair& pair) { judge(verdict, pair, 1.0 + 4.0 * pair.size()); });
    expect_right(verdict);
  }
}

TEST_CASE("exchanging the bodies changes no bit of the time") {
  Uniform uniform(8);
  const Shapes shapes(uniform, 3, 8, 5.0, 3.0);
  for_pairs(
      1000, [&] { return flights(uniform, random_shape(uniform, shapes), random_shape(uniform, shapes), 1.0); },
      [&](const Pair& pair) {
        const FirstContact one = pair.first_contact(20.0);
        const FirstContact other = Pair{pair.b, pair.a, pair.of_b, pair.of_a, -pair.shift}.first_contact(20.0);
        CHECK(one.time == other.time);
        CHECK(one.kind == other.kind);
      });
}

TEST_CASE("a search that pauses anywhere finds the same to the last bit, and is free until where it pauses") {
  Uniform uniform(11);
  const Shapes shapes(uniform, 3, 8, 5.0, 3.0);
  long pauses = 0;
  for_pairs(
      2000, [&] { return flights(uniform, random_shape(uniform, shapes), random_shape(uniform, shapes), 3.0); },
      [&](const Pair& pair) {
        const FirstContact at_once = pair.first_contact(20.0);
        FirstContactSearch search;
        FirstContact found;
        found.kind = FirstContact::Kind::kPaused;
        found.time = -kInfinity;
        while (found.kind == FirstContact::Kind::kPaused) {
          const double pause = found.time + (uniform() < 0.5 ? 0.0 : uniform());
          const double before = found.time;
          found = go_on(search, pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, 20.0, pause);
          if (found.kind != FirstContact::Kind::kPaused) break;
          ++pauses;
          CHECK(found.time > std::max(before, pause));
          CHECK(found.time <= at_once.time);
        }
        CHECK(found.kind == at_once.kind);
        CHECK(found.time == at_once.time);
        CHECK(found.features == at_once.features);
      });
  CHECK(pauses > 2000);
}

TEST_CASE("a contact is found again at its time alone: features at which the bodies touch and approach") {
  Uniform uniform(12);
  const Shapes shapes(uniform, 3, 8, 5.0, 3.0);
  int contacts = 0;
  int alike = 0;
  for_pairs(
      3000, [&] { return flights(uniform, random_shape(uniform, shapes), random_shape(uniform, shapes), 1.0); },
      [&](const Pair& pair) {
        const FirstContact found = pair.first_contact(20.0);
        if (found.kind != FirstContact::Kind::kContact) return;
        ++contacts;
        const FirstContact again = contact_at(found.time, pair.a, pair.of_a, pair.b, pair.of_b, pair.shift);
        REQUIRE(again.kind == FirstContact::Kind::kContact);
        CHECK(again.time == found.time);
        alike += again.features == found.features ? 1 : 0;
      });
  CHECK(contacts > 700);
  CHECK(alike > contacts - 5);  // but where two corners come as soon, to rounding
}

TEST_CASE("what goes back the way it came is free for as long") {
  Uniform uniform(9);
  const Shapes shapes(uniform, 3, 8, 5.0, 3.0);
  int contacts = 0;
  for_pairs(
      2000, [&] { return flights(uniform, random_shape(uniform, shapes), random_shape(uniform, shapes), 1.0); },
      [&](const Pair& pair) {
        const FirstContact found = pair.first_contact(20.0);
        if (found.kind != FirstContact::Kind::kContact) return;
        ++contacts;
        Pair back = pair;
        for (RigidFlight* flight : {&back.of_a, &back.of_b}) {
          *flight = {flight->position_at(found.time), -flight->velocity,         Vec2::Zero(),
                     flight->angle_at(found.time),    -flight->angular_velocity, found.time};
        }
        const double way = found.time - pair.begin();
        CHECK(back.first_contact(20.0).time >= found.time + way * (1.0 - 1e-9));
      });
  CHECK(contacts > 500);
}

TEST_CASE("a square that falls flat touches along its side, at the time of the fall") {
  const Pair pair{shape_of(rectangle(1.0, 1.0)),
                  ContactShape::segment({-5.0, 0.0}, {5.0, 0.0}),
                  {.position = {0.3, 1.75}, .acceleration = {0.0, -10.0}},
                  {}};
  const FirstContact found = pair.first_contact(10.0);
  CHECK(std::abs(found.time - 0.5) < 1e-15);  // s
  const ContactPoints points = contact_points(pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, found);
  REQUIRE(points.count == 2);
  CHECK((points.normal - Vec2(0.0, -1.0)).norm() < 1e-15);
  const double left = std::min(points.points[0].from_a.x(), points.points[1].from_a.x());
  const double right = std::max(points.points[0].from_a.x(), points.points[1].from_a.x());
  CHECK(std::abs(left + 0.5) < 1e-15);
  CHECK(std::abs(right - 0.5) < 1e-15);
  for (const ContactPoint& point : points.points) {
    CHECK(std::abs(point.from_a.y() + 0.5) < 1e-15);
    CHECK((point.from_b - point.from_a - Vec2(0.3, 0.5)).norm() < 1e-15);
  }
}

TEST_CASE("squares that meet half a side apart touch along the other half") {
  const Pair pair{shape_of(rectangle(1.0, 1.0)),
                  shape_of(rectangle(1.0, 1.0)),
                  {.position = {0.0, 0.0}},
                  {.position = {0.5, 2.0}, .velocity = {0.0, -1.0}}};
  const FirstContact found = pair.first_contact(10.0);
  CHECK(found.time == 1.0);
  const ContactPoints points = contact_points(pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, found);
  REQUIRE(points.count == 2);
  const double left = std::min(points.points[0].from_a.x(), points.points[1].from_a.x());
  const double right = std::max(points.points[0].from_a.x(), points.points[1].from_a.x());
  CHECK(std::abs(left) < 1e-15);
  CHECK(std::abs(right - 0.5) < 1e-15);
}

TEST_CASE("corner on corner: squares on a diagonal touch in one point") {
  const Pair pair{shape_of(rectangle(1.0, 1.0)),
                  shape_of(rectangle(1.0, 1.0)),
                  {},
                  {.position = {2.0, 2.0}, .velocity = {-1.0, -1.0}}};
  const FirstContact found = pair.first_contact(10.0);
  CHECK(std::abs(found.time - 1.0) < 1e-15);  // s
  const ContactPoints points = contact_points(pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, found);
  CHECK(points.count == 1);
  CHECK((points.points[0].from_a - Vec2(0.5, 0.5)).norm() < 1e-15);
}

TEST_CASE("a disk touches a corner on the line from the corner to its centre") {
  const Pair pair{
      shape_of(rectangle(1.0, 1.0)), ContactShape::disk(0.5), {}, {.position = {0.8, 2.5}, .velocity = {0.0, -1.0}}};
  const FirstContact found = pair.first_contact(10.0);
  CHECK(std::abs(found.time - 1.6) < 1e-14);  // s: the centre is 0.3 beside and 0.4 above the corner
  const ContactPoints points = contact_points(pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, found);
  REQUIRE(points.count == 1);
  CHECK((points.normal - Vec2(0.6, 0.8)).norm() < 1e-14);
  CHECK((points.points[0].from_a - Vec2(0.5, 0.5)).norm() < 1e-14);
  CHECK((points.points[0].from_b - Vec2(-0.3, -0.4)).norm() < 1e-14);
}

TEST_CASE("a turning bar reaches a wall at the angle whose sine is height over length") {
  const double long_ago = 1000.0;
  const Pair pair{ContactShape::segment({-1.0, 0.0}, {1.0, 0.0}),
                  ContactShape::segment({-5.0, 0.0}, {5.0, 0.0}),
                  {.position = {0.0, 0.5}, .angular_velocity = 2.0, .time = long_ago},
                  {}};
  CHECK(std::abs(pair.first_contact(kInfinity).time - (long_ago + kPi / 12.0)) < 3e-13);  // s
}

TEST_CASE("bodies that touch and do not approach never collide") {
  const ContactShape square = shape_of(rectangle(1.0, 1.0));
  const auto touching = [&](const Vec2& velocity, double spin) {
    const Pair pair{square, square, {}, {.position = {0.2, 1.0}, .velocity = velocity, .angular_velocity = spin}};
    return pair.first_contact(100.0);
  };
  CHECK(touching({0.0, 0.0}, 0.0).kind == FirstContact::Kind::kNone);
  CHECK(touching({1.0, 0.0}, 0.0).kind == FirstContact::Kind::kNone);
  CHECK(touching({0.0, 1e-9}, 0.0).kind == FirstContact::Kind::kNone);
  CHECK(touching({0.0, -1e-9}, 0.0).time == 0.0);
  CHECK(touching({0.0, 0.0}, 1.0).time == 0.0);  // a corner of the lower side goes down
  CHECK(touching({0.0, 5.0}, 1.0).kind == FirstContact::Kind::kNone);
}

TEST_CASE("bodies that overlap touch at once if they approach, and not while they part") {
  const ContactShape square = shape_of(rectangle(1.0, 1.0));
  const auto overlapping = [&](double velocity) {
    const Pair pair{square, square, {}, {.position = {0.2, 0.99}, .velocity = {0.0, velocity}}};
    return pair.first_contact(100.0);
  };
  CHECK(overlapping(-1.0).time == 0.0);
  CHECK(overlapping(-1.0).overlaps);
  CHECK(overlapping(1.0).kind == FirstContact::Kind::kNone);
}

TEST_CASE("disks that touch, turn and fly side by side are free for as long") {
  const ContactShape disk = ContactShape::disk(0.5);
  const Vec2 gravity(0.0, -9.81);
  const RigidFlight a{.velocity = {0.3, 1.0}, .acceleration = gravity, .angular_velocity = 9.83};
  const RigidFlight b{
      .position = {0.6, 0.8}, .velocity = {0.3, 1.0}, .acceleration = gravity, .angular_velocity = -70.0, .time = 0.0};
  const FirstContact found = first_contact(disk, a, disk, b, Vec2::Zero(), 10.0);
  CHECK(found.kind == FirstContact::Kind::kNone);
  CHECK(found.looks < 100);
}

TEST_CASE("the search gives up after so many looks, and says until when the bodies are free") {
  const ContactShape bar = ContactShape::segment({-1.0, 0.0}, {1.0, 0.0});
  const Pair pair{bar, bar, {.angular_velocity = 1e9}, {.position = {0.0, 3.0}, .velocity = {0.0, -0.1}}};
  const FirstContact found =
      detail::first_contact(pair.a, pair.of_a, pair.b, pair.of_b, pair.shift, kInfinity, 10, 1.0);
  CHECK(found.kind == FirstContact::Kind::kUndecided);
  CHECK(found.looks == 10);
  CHECK(found.time >= 10.0);  // s, when their circles meet
  CHECK(found.time < 20.1);   // soon after one bar reaches the circle in which the other turns
}

}  // namespace scree::first_contact_test
