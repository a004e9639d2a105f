#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/box.hpp"
#include "dem/random.hpp"

namespace scree::reversible_box_test {

using namespace scree::hard::reversible;
using scree::Random;
using scree::Vec2;

namespace {

double energy(const std::vector<Vec2>& velocities) {
  double sum = 0.0;
  for (const Vec2& v : velocities) sum += 0.5 * v.squaredNorm();
  return sum;
}

double largest_difference(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, (a[k] - b[k]).norm());
  return largest;
}

/// Disks on a lattice with random velocities.
Box<PhiloxStream> gas(std::uint64_t seed, std::size_t across) {
  std::vector<Vec2> positions;
  std::vector<Vec2> velocities;
  Random random(seed, 0, 0);
  const double spacing = 1.0 / static_cast<double>(across);
  for (std::size_t k = 0; k < across * across; ++k) {
    positions.emplace_back((static_cast<double>(k % across) + 0.5) * spacing,
                           (static_cast<double>(k / across) + 0.5) * spacing);
    velocities.emplace_back(2.0 * random.uniform() - 1.0, 2.0 * random.uniform() - 1.0);
  }
  return {Vec2(1.0, 1.0), 0.6 * spacing, positions, velocities, PhiloxStream(seed, 7)};
}

/// There, back, and what is missing then.
void there_and_back(Box<PhiloxStream>& box, int contacts, double tolerance) {
  const std::vector<Vec2> positions = box.positions();
  const std::vector<Vec2> velocities = box.velocities();
  const double before = energy(velocities);
  for (int k = 0; k < contacts; ++k) box.forward();
  CHECK(std::abs(energy(box.velocities()) / before - 1.0) < 1e-12);
  CHECK(box.stream().position() > 0);
  CHECK(largest_difference(box.positions(), positions) > 0.01);
  for (int k = 0; k < contacts; ++k) box.reverse();
  CHECK(box.stream().position() == 0);
  CHECK(std::abs(box.time()) < 1e-12);
  CHECK(largest_difference(box.positions(), positions) < tolerance);
  CHECK(largest_difference(box.velocities(), velocities) < tolerance);
}

/// Two disks that reach each other when one or both reach the floor.
Box<PhiloxStream> at_the_floor(double higher) {
  // Both fly for 0.45 s at 1 m/s down and 0.3 m/s towards each other.
  const double apart = std::sqrt(0.01 - higher * higher);
  return {Vec2(1.0, 1.0),
          0.1,
          {{0.5 - 0.5 * apart - 0.135, 0.5}, {0.5 + 0.5 * apart + 0.135, 0.5 + higher}},
          {{0.3, -1.0}, {-0.3, -1.0}},
          PhiloxStream(3)};
}

}  // namespace

TEST_CASE("a gas in a box that scatters at random goes back to its start without memory") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CAPTURE(seed);
    Box<PhiloxStream> box = gas(seed, 4);
    there_and_back(box, 60, 1e-6);
  }
  Box<PhiloxStream> large = gas(9, 10);
  there_and_back(large, 200, 1e-6);
}

TEST_CASE("another stream scatters the gas elsewhere") {
  Box<PhiloxStream> one = gas(1, 4);
  Box<PhiloxStream> other({1.0, 1.0}, 0.15, one.positions(), one.velocities(), PhiloxStream(2, 7));
  for (int k = 0; k < 60; ++k) one.forward();
  for (int k = 0; k < 60; ++k) other.forward();
  CHECK(largest_difference(one.positions(), other.positions()) > 0.1);
}

TEST_CASE("disks that meet at a wall are one collision, forward and backward") {
  for (const double higher : {0.0, 0.03}) {  // both touch the wall, or one
    CAPTURE(higher);
    Box<PhiloxStream> box = at_the_floor(higher);
    const double along = box.velocities()[0].x() + box.velocities()[1].x();
    box.forward();
    CHECK(box.stream().position() == 2);
    const std::vector<Vec2>& v = box.velocities();
    CHECK(std::abs(v[0].x() + v[1].x() - along) < 1e-12);
    CHECK(v[0].y() > 0.0);
    if (higher == 0.0) CHECK(v[1].y() > 0.0);
    CHECK((box.positions()[0] - box.positions()[1]).dot(v[0] - v[1]) > 0.0);
    box.reverse();
    CHECK(largest_difference(box.positions(), at_the_floor(higher).positions()) < 1e-12);
    CHECK(largest_difference(box.velocities(), at_the_floor(higher).velocities()) < 1e-12);
    there_and_back(box, 3, 1e-9);
  }
}

TEST_CASE("three disks that meet at once are one collision") {
  const double root = std::sqrt(3.0);
  const double far = 0.2;
  std::vector<Vec2> positions;
  std::vector<Vec2> velocities;
  for (const Vec2& corner : {Vec2(0.0, 1.0), Vec2(-0.5 * root, -0.5), Vec2(0.5 * root, -0.5)}) {
    positions.push_back(Vec2(0.5, 0.5) + (0.1 / root + far) * corner);
    velocities.emplace_back(-corner);
  }
  Box<PhiloxStream> box({1.0, 1.0}, 0.1, positions, velocities, PhiloxStream(4));
  box.forward();
  CHECK(box.stream().position() == 3);
  box.reverse();
  CHECK(largest_difference(box.positions(), positions) < 1e-9);
  CHECK(largest_difference(box.velocities(), velocities) < 1e-9);
}

TEST_CASE("velocities after a collision at a wall are uniform on what energy and contacts allow") {
  const std::array<double, 2> masses = {1.0, 2.5};
  const Vec2 inward(0.0, 1.0);
  for (const bool second : {false, true}) {
    CAPTURE(second);
    const Vec2 r21 = second ? Vec2(-1.0, 0.0) : Vec2(-0.8, -0.6);  // from 2 to 1, which touches the wall
    const TwoAtWall contact(masses, r21, inward, {true, second});
    const TwoAtWall::Velocities before = {Vec2(0.7, -0.4), Vec2(-0.2, second ? -0.3 : -0.9)};
    PhiloxStream stream(11);
    Random random(12, 0, 0);
    const auto normal = [&] {
      return std::sqrt(-2.0 * std::log(1.0 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
    };
    // Of the operator and by rejection, the definition: velocities with the momentum along the wall and the energy.
    constexpr int kSamples = 20000;
    const double along = masses[0] * before[0].x() + masses[1] * before[1].x();
    const double whole = 0.5 * (masses[0] * before[0].squaredNorm() + masses[1] * before[1].squaredNorm());
    const double shell = whole - 0.5 * along * along / (masses[0] + masses[1]);
    std::array<double, 3> sums = {};
    std::array<double, 3> expected = {};
    std::array<double, 3> squares = {};
    const auto figures = [&](const TwoAtWall::Velocities& v) {
      return std::array{v[0].y(), v[1].y(), r21.dot(v[0] - v[1])};
    };
    for (int k = 0; k < kSamples; ++k) {
      const TwoAtWall::Velocities after = collide(contact, before, stream);
      CHECK(std::abs(masses[0] * after[0].x() + masses[1] * after[1].x() - along) < 1e-12);
      CHECK(std::abs(0.5 * (masses[0] * after[0].squaredNorm() + masses[1] * after[1].squaredNorm()) / whole - 1.0) <
            1e-12);
      const auto found = figures(after);
      CHECK(found[0] > -1e-9);
      CHECK((found[1] > -1e-9 || !second));
      CHECK(found[2] > -1e-9);
      for (std::size_t f = 0; f < 3; ++f) sums[f] += found[f] / kSamples;
      const TwoAtWall::Velocities back = [&] {
        PhiloxStream same = stream;
        return uncollide(contact, after, same);
      }();
      CHECK((back[0] - before[0]).norm() + (back[1] - before[1]).norm() < 1e-9);
      for (;;) {
        TwoAtWall::Velocities v;
        for (std::size_t i = 0; i < 2; ++i) v[i] = Vec2(normal(), normal()) / std::sqrt(masses[i]);
        const double mean = (masses[0] * v[0].x() + masses[1] * v[1].x()) / (masses[0] + masses[1]);
        for (Vec2& one : v) one.x() -= mean;
        const double size = 0.5 * (masses[0] * v[0].squaredNorm() + masses[1] * v[1].squaredNorm());
        for (Vec2& one : v) one = std::sqrt(shell / size) * one + Vec2(along / (masses[0] + masses[1]), 0.0);
        const auto drawn = figures(v);
        if (!(drawn[0] > 0.0 && (drawn[1] > 0.0 || !second) && drawn[2] > 0.0)) continue;
        for (std::size_t f = 0; f < 3; ++f) {
          expected[f] += drawn[f] / kSamples;
          squares[f] += drawn[f] * drawn[f] / kSamples;
        }
        break;
      }
    }
    for (std::size_t f = 0; f < 3; ++f) {
      CAPTURE(f);
      const double error = std::sqrt(2.0 * (squares[f] - expected[f] * expected[f]) / kSamples);
      CHECK(std::abs(sums[f] - expected[f]) < 4.0 * error);
    }
  }
}

TEST_CASE("a collision at a wall needs who touches it, and a box needs disks that move") {
  CHECK_THROWS_AS(TwoAtWall({1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}, {false, false}), std::invalid_argument);
  Box<PhiloxStream> still({1.0, 1.0}, 0.1, {{0.5, 0.5}}, {{0.0, 0.0}}, PhiloxStream(1));
  CHECK_THROWS_AS(still.forward(), std::domain_error);
}

}  // namespace scree::reversible_box_test
