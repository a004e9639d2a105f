#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/box.hpp"
#include "dem/hard/reversible/many_in_plane.hpp"
#include "dem/random.hpp"

namespace scree::reversible_many_test {

using namespace scree::hard::reversible;
using scree::Random;
using scree::Vec2;

namespace {

using Velocities = ManyInPlane::Velocities;

/// Disks of diameter 1 that touch, and walls.
struct Group {
  std::string name;
  std::vector<Vec2> centres;
  std::vector<ManyInPlane::AtWall> at_walls;
  std::size_t dimensions;  ///< of relative velocities
  std::vector<double> masses = std::vector<double>(centres.size(), 1.0);

  std::vector<ManyInPlane::Pair> pairs() const {
    std::vector<ManyInPlane::Pair> found;
    for (std::size_t i = 0; i < centres.size(); ++i) {
      for (std::size_t j = i + 1; j < centres.size(); ++j) {
        if ((centres[i] - centres[j]).norm() < 1.0 + 1e-9) found.push_back({i, j, centres[i] - centres[j]});
      }
    }
    return found;
  }
  ManyInPlane contact() const { return {masses, pairs(), at_walls}; }

  /// How fast the contacts open, by the velocities: of pairs, then at walls [m/s].
  std::vector<double> openings(const Velocities& v) const {
    std::vector<double> found;
    for (const auto& pair : pairs()) found.push_back(pair.to_first.dot(v[pair.first] - v[pair.second]));
    for (const auto& wall : at_walls) found.push_back(wall.inward.dot(v[wall.particle]));
    return found;
  }
  bool all_open(const Velocities& v) const {
    for (const double opening : openings(v)) {
      if (!(opening > 0.0)) return false;
    }
    return true;
  }
  double energy(const Velocities& v) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += 0.5 * masses[i] * v[i].squaredNorm();
    return sum;
  }
  Vec2 momentum(const Velocities& v) const {
    Vec2 sum(0.0, 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) sum += masses[i] * v[i];
    return sum;
  }
};

const Vec2 kUp(0.0, 1.0);
const Vec2 kRight(1.0, 0.0);
const double kHeight = 0.5 * std::sqrt(3.0);

std::vector<Group> groups() {
  return {
      {"a pair", {{0, 0}, {0.6, 0.8}}, {}, 2, {1.0, 3.0}},
      {"a pair at the floor", {{0, 0.5}, {1, 0.5}}, {{0, kUp}, {1, kUp}}, 3, {2.0, 1.0}},
      {"three in a row at the floor", {{0, 0.5}, {1, 0.5}, {2, 0.5}}, {{0, kUp}, {1, kUp}, {2, kUp}}, 5},
      {"three, the middle one at the floor", {{-0.8, 1.1}, {0, 0.5}, {0.8, 1.1}}, {{1, kUp}}, 5, {1.0, 2.0, 0.5}},
      {"two at the floor and one on top", {{0, 0.5}, {1, 0.5}, {0.5, 0.5 + kHeight}}, {{0, kUp}, {1, kUp}}, 5},
      {"four in a row at the floor",
       {{0, 0.5}, {1, 0.5}, {2, 0.5}, {3, 0.5}},
       {{0, kUp}, {1, kUp}, {2, kUp}, {3, kUp}},
       7},
      {"a pair in a corner", {{0.5, 0.5}, {1.5, 0.5}}, {{0, kUp}, {1, kUp}, {0, kRight}}, 4},
      {"between two walls", {{0, 0.5}, {0.6, 1.3}}, {{0, kUp}, {1, -kUp}}, 3},
      {"four around one", {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}, {}, 8},
  };
}

Vec2 normal(Random& random) {
  const double size = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  const double angle = 6.283185307179586 * random.uniform();
  return {size * std::cos(angle), size * std::sin(angle)};
}

/// Velocities of all directions on the energy shell, of which those are taken that separate: the definition.
Velocities separating(const Group& group, Random& random) {
  for (;;) {
    Velocities v;
    for (const double mass : group.masses) v.push_back(normal(random) / std::sqrt(mass));
    if (!group.all_open(v)) continue;
    const double size = std::sqrt(group.energy(v));
    for (Vec2& each : v) each /= size;
    return v;
  }
}

Velocities reversed(Velocities v) {
  for (Vec2& each : v) each = -each;
  return v;
}

ManyInPlane::Numbers numbers(const ManyInPlane& contact, Random& random) {
  ManyInPlane::Numbers found(contact.numbers());
  for (double& number : found) number = random.uniform();
  return found;
}

double distance(const Velocities& a, const Velocities& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

}  // namespace

TEST_CASE("many particles at walls separate, keep what the walls leave, and come back") {
  for (const Group& group : groups()) {
    CAPTURE(group.name);
    const ManyInPlane contact = group.contact();
    CHECK(contact.dimensions() == group.dimensions);
    CHECK(contact.numbers() == group.dimensions * (group.dimensions - 1) / 2);
    Random random(3, 0, 0);
    double most = 0.0;
    for (int k = 0; k < 300; ++k) {
      const Velocities before = reversed(separating(group, random));
      const auto drawn = numbers(contact, random);
      const Velocities after = contact.forward(before, drawn);
      for (const double opening : group.openings(after)) REQUIRE(opening > -1e-12);
      REQUIRE(std::abs(group.energy(after) - group.energy(before)) < 1e-13);
      const Vec2 change = group.momentum(after) - group.momentum(before);
      const bool in_corner = group.name == "a pair in a corner";
      if (!in_corner) REQUIRE(std::abs(change.x()) < 1e-13);
      if (group.at_walls.empty()) REQUIRE(std::abs(change.y()) < 1e-13);
      const double missing = distance(contact.reverse(after, drawn), before);
      REQUIRE(missing < 1e-9);
      most = std::max(most, distance(after, before));
    }
    CHECK(most > 0.5);  // m/s: they did collide
  }
}

TEST_CASE("velocities of many particles that are uniform on the allowed part of the shell stay so") {
  constexpr int kSamples = 4000;
  for (const Group& group : groups()) {
    CAPTURE(group.name);
    const ManyInPlane contact = group.contact();
    Random random(5, 0, 0);
    const std::size_t figures = group.openings(Velocities(group.masses.size(), Vec2(0.0, 0.0))).size();
    std::vector<double> sums(2 * figures, 0.0);
    std::vector<double> expected(2 * figures, 0.0);
    std::vector<double> squares(2 * figures, 0.0);
    const auto take = [&](const Velocities& v, std::vector<double>& into) {
      std::vector<double> found = group.openings(v);
      for (std::size_t f = 0; f < figures; ++f) found.push_back(found[f] * found[(f + 1) % figures]);
      for (std::size_t f = 0; f < found.size(); ++f) into[f] += found[f] / kSamples;
      return found;
    };
    for (int k = 0; k < kSamples; ++k) {
      take(contact.forward(reversed(separating(group, random)), numbers(contact, random)), sums);
      const std::vector<double> found = take(separating(group, random), expected);
      for (std::size_t f = 0; f < found.size(); ++f) squares[f] += found[f] * found[f] / kSamples;
    }
    for (std::size_t f = 0; f < 2 * figures; ++f) {
      CAPTURE(f);
      const double error = std::sqrt(2.0 * (squares[f] - expected[f] * expected[f]) / kSamples);
      CHECK(std::abs(sums[f] - expected[f]) < 4.0 * error);
    }
  }
}

TEST_CASE("again and again from one state, many particles at a wall forget it") {
  const Group row = groups()[2];
  const ManyInPlane contact = row.contact();
  Random random(7, 0, 0);
  // From velocities at which the left pair hardly closes; the mean opening of a pair, over states and over time.
  Velocities v = {{-0.1, -1.0}, {-0.101, -1.0}, {-0.9, -0.1}};
  const double size = std::sqrt(row.energy(v));
  for (Vec2& each : v) each /= size;
  const double along = row.momentum(v).x();
  double over_time = 0.0;
  constexpr int kCollisions = 20000;
  for (int k = 0; k < kCollisions; ++k) {
    const Velocities after = contact.forward(v, numbers(contact, random));
    over_time += row.openings(after)[0] / kCollisions;
    v = reversed(after);
    CHECK(std::abs(std::abs(row.momentum(v).x()) - std::abs(along)) < 1e-9);
    // The next one has the same momentum along the wall.
    for (Vec2& each : v) each.x() += 2.0 * along / 3.0;
  }
  double over_states = 0.0;
  constexpr int kStates = 4000;
  for (int k = 0; k < kStates; ++k) {
    Velocities drawn = separating(row, random);
    const double mean = row.momentum(drawn).x() / 3.0;
    for (Vec2& each : drawn) each.x() -= mean;
    const double shell = 1.0 - along * along / 6.0;  // J, of the energy 1 J
    const double stretch = std::sqrt(shell / row.energy(drawn));
    over_states += stretch * row.openings(drawn)[0] / kStates;
  }
  CHECK(std::abs(over_time / over_states - 1.0) < 0.05);
}

TEST_CASE("a contact that grazes comes back with its velocities") {
  const Group row = groups()[2];
  const ManyInPlane contact = row.contact();
  Random random(9, 0, 0);
  for (int k = 0; k < 300; ++k) {
    Velocities before = reversed(separating(row, random));
    if (k % 3 == 0) before[1].x() = before[0].x();  // the left pair
    if (k % 3 == 1) before[2].y() = 0.0;            // along the wall
    if (k % 3 == 2) before[1] = before[0] = Vec2(0.0, before[0].y());
    if (before[1].x() < before[2].x()) continue;
    const auto drawn = numbers(contact, random);
    REQUIRE(distance(contact.reverse(contact.forward(before, drawn), drawn), before) < 1e-6);
  }
  const Velocities still(3, Vec2(2.0, 0.0));
  CHECK(contact.forward(still, numbers(contact, random)) == still);
}

TEST_CASE("a collision of many needs contacts of particles that are there") {
  CHECK_THROWS_AS(ManyInPlane({1.0, 1.0}, {}, {}), std::invalid_argument);
  CHECK_THROWS_AS(ManyInPlane({1.0, 1.0}, {{0, 2, Vec2(1.0, 0.0)}}, {}), std::invalid_argument);
  CHECK_THROWS_AS(ManyInPlane({1.0, 1.0}, {}, {{2, kUp}}), std::invalid_argument);
}

TEST_CASE("disks in a box that meet at once, more than two at a wall, come back through one collision") {
  const double d = 0.1;
  for (const Group& group : groups()) {
    if (group.name == "between two walls" || group.masses != std::vector<double>(group.masses.size(), 1.0)) continue;
    CAPTURE(group.name);
    Random random(13, 0, 0);
    // The floor is y = 0; in the corner, the side is x = 0.
    const bool free = group.at_walls.empty();
    const Vec2 place = free ? Vec2(0.5, 0.5) : group.name == "a pair in a corner" ? Vec2(0.0, 0.0) : Vec2(0.4, 0.0);
    const Velocities before = reversed(separating(group, random));
    constexpr double kFlight = 0.05;  // s
    std::vector<Vec2> start;
    for (std::size_t i = 0; i < before.size(); ++i) start.push_back(place + d * group.centres[i] - kFlight * before[i]);
    Box<PhiloxStream> box({1.0, 1.0}, d, start, before, PhiloxStream(4));
    box.forward();
    CHECK(std::abs(box.time() - kFlight) < 1e-9);
    CHECK(box.stream().position() == group.contact().numbers());
    CHECK(group.all_open(box.velocities()));
    for (int k = 0; k < 3; ++k) box.forward();
    for (int k = 0; k < 4; ++k) box.reverse();
    CHECK(box.stream().position() == 0);
    CHECK(std::abs(box.time()) < 1e-12);
    CHECK(distance(box.positions(), start) < 1e-6);
    CHECK(distance(box.velocities(), before) < 1e-6);
  }
}

}  // namespace scree::reversible_many_test
