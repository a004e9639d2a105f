#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/exact/contact.hpp"
#include "dem/hard/exact/grid.hpp"
#include "dem/hard/exact/integers.hpp"
#include "dem/hard/exact/reflection.hpp"
#include "dem/hard/exact/tick_map.hpp"

namespace scree::exact_arithmetic_test {

using namespace scree::hard::exact;

namespace {

using Draws = std::mt19937_64;

std::int64_t whole(Draws& random, std::int64_t lowest, std::int64_t highest) {
  return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
}

Vector vector(Draws& random, std::int64_t greatest) {
  return {whole(random, -greatest, greatest), whole(random, -greatest, greatest)};
}

double length(const Vector& v) {
  return std::hypot(static_cast<double>(v[0]), static_cast<double>(v[1]));
}

}  // namespace

TEST_CASE("the whole root is the greatest number whose square is not above") {
  Draws random(1);
  const auto check = [](UInt128 n) {
    const UInt128 root = whole_root(n);
    REQUIRE(root * root <= n);
    REQUIRE((root + 1) * (root + 1) > n);
  };
  for (UInt128 n = 0; n < 1000; ++n) check(n);
  for (int k = 0; k < 100000; ++k) {
    const std::uint64_t root = random() >> (2 + random() % 60);
    const UInt128 square = static_cast<UInt128>(root) * root;
    check(square);
    check(square + 1);
    if (root > 0) check(square - 1);
    check(((static_cast<UInt128>(random()) << 64) | random()) >> (2 + random() % 100));
  }
}

TEST_CASE("mirroring twice gives every velocity back to the last bit") {
  Draws random(2);
  for (int k = 0; k < 200000; ++k) {
    const int bits = 1 + static_cast<int>(random() % 60);
    Vector r = vector(random, std::int64_t{1} << (1 + random() % 60));
    if (k % 10 == 0) r[0] = 0;
    if (k % 10 == 1) r[1] = 0;
    if (r == Vector{0, 0}) continue;
    const Vector v = vector(random, (std::int64_t{1} << bits) - 1);
    const Vector w = mirrored(r, v);
    REQUIRE(mirrored(r, w) == v);
    REQUIRE(mirrored(-r, v) == w);
    REQUIRE(((w[0] - v[0]) % 2 == 0 && (w[1] - v[1]) % 2 == 0));
  }
}

TEST_CASE("the mirror keeps the component along r and reverses the one across, to some units") {
  Draws random(3);
  for (int k = 0; k < 100000; ++k) {
    const Vector r = vector(random, std::int64_t{1} << 55);
    const Vector v = vector(random, std::int64_t{1} << 30);
    const Vector w = mirrored(r, v);
    const double x = static_cast<double>(r[0]) / length(r);
    const double y = static_cast<double>(r[1]) / length(r);
    const auto along = [&](const Vector& u) { return x * static_cast<double>(u[0]) + y * static_cast<double>(u[1]); };
    const auto across = [&](const Vector& u) { return x * static_cast<double>(u[1]) - y * static_cast<double>(u[0]); };
    REQUIRE(std::abs(along(w) - along(v)) < 12.0);  // units; each of six shears rounds by half a unit of v / 2
    REQUIRE(std::abs(across(w) + across(v)) < 12.0);
  }
}

TEST_CASE("the tick of a contact is the one that counting all ticks finds") {
  Draws random(4);
  int found = 0;
  int missed_by_a_hair = 0;
  for (int k = 0; k < 100000; ++k) {
    const std::int64_t contact = whole(random, 5, 400);
    const Vector r = vector(random, 1000);
    const Vector v = vector(random, k % 2 == 0 ? 8 : 150);
    if (overlap(r, contact)) continue;
    std::int64_t expected = kNoTick;
    for (std::int64_t t = 0; t < 1500; ++t) {
      if (!overlap(r + v * (t + 1), contact)) continue;
      expected = t;
      break;
    }
    REQUIRE(ticks_to_contact(r, v, contact, kNoTick) == expected);
    if (expected != kNoTick) {
      ++found;
      REQUIRE(ticks_to_contact(r, v, contact, expected) == expected);
      REQUIRE(ticks_to_contact(r, v, contact, expected - 1) == kNoTick);
    } else if (dot(r, v) < 0) {
      const double cross = std::abs(static_cast<double>(r[0] * v[1] - r[1] * v[0])) / std::max(length(v), 1.0);
      missed_by_a_hair += cross < static_cast<double>(contact) ? 1 : 0;
    }
  }
  CHECK(found > 5000);
  CHECK(missed_by_a_hair > 100);  // they overlap between ticks only
}

TEST_CASE("the tick of a contact is exact for long numbers, also where disks graze") {
  Draws random(5);
  int found = 0;
  int missed = 0;
  for (int k = 0; k < 50000; ++k) {
    const std::int64_t contact = whole(random, std::int64_t{1} << 40, std::int64_t{1} << 55);
    // Past the other disk at nearly the distance of contact.
    const std::int64_t miss =
        contact - whole(random, -(std::int64_t{1} << (random() % 40)), std::int64_t{1} << (random() % 40));
    const Vector r{-whole(random, contact, std::int64_t{1} << 59), miss};
    const Vector v{whole(random, 1, std::int64_t{1} << (1 + random() % 34)), whole(random, -3, 3)};
    if (overlap(r, contact)) continue;
    const std::int64_t t = ticks_to_contact(r, v, contact, kNoTick);
    const auto at = [&](std::int64_t ticks) { return r + v * ticks; };
    if (t != kNoTick) {
      ++found;
      REQUIRE(!overlap(at(t), contact));
      REQUIRE(overlap(at(t + 1), contact));
      REQUIRE(dot(at(t), v) < 0);  // so nothing earlier overlaps
      continue;
    }
    ++missed;
    if (dot(r, v) >= 0) continue;
    const Int128 nearest = -dot(r, v) / squared(v);
    REQUIRE(!overlap(at(static_cast<std::int64_t>(nearest)), contact));
    REQUIRE(!overlap(at(static_cast<std::int64_t>(nearest) + 1), contact));
  }
  CHECK(found > 5000);
  CHECK(missed > 5000);
}

TEST_CASE("a tick is an involution of possible velocities, for clusters of one to four disks") {
  using Kind = Encounter::Kind;
  Draws random(6);
  std::array<int, 5> seen = {};
  for (int k = 0; k < 400000; ++k) {
    Grid grid;
    grid.size = {4000, 4000};
    grid.periodic = {k % 2 == 0, k % 3 == 0};
    grid.fastest = 40;
    Cluster disks(1 + random() % 4);
    const Vector where = {whole(random, 0, 3999), whole(random, 0, 3999)};
    for (scree::hard::exact::Disk& disk : disks) {
      disk.radius = whole(random, 150, 250);
      disk.position = grid.wrapped(where + vector(random, 450)).position;
      do disk.velocity = vector(random, grid.fastest);
      while (squared(disk.velocity) > grid.fastest * grid.fastest);
    }
    const auto is_sound = [&](std::int64_t ticks) {
      for (std::size_t a = 0; a < disks.size(); ++a) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
          const std::int64_t x = disks[a].position[axis] + ticks * disks[a].velocity[axis];
          if (!grid.periodic[axis] && (x < disks[a].radius || x > grid.size[axis] - disks[a].radius)) return false;
        }
        for (std::size_t b = 0; b < a; ++b) {
          const Vector r =
              grid.distance(disks[a].position, disks[b].position) + (disks[a].velocity - disks[b].velocity) * ticks;
          if (overlap(r, disks[a].radius + disks[b].radius)) return false;
        }
      }
      return true;
    };
    if (!is_sound(0) || !is_sound(-1)) continue;  // no possible state
    const Cluster before = disks;
    const bool goes_on = is_sound(1);
    const Encounter done = pass_tick(grid, disks);
    ++seen[static_cast<std::size_t>(done.kind)];
    REQUIRE((done.kind == Kind::none) == goes_on);
    REQUIRE(is_sound(1));
    for (scree::hard::exact::Disk& disk : disks) {
      REQUIRE(squared(disk.velocity) <= grid.fastest * grid.fastest);
      disk.velocity = -disk.velocity;
    }
    REQUIRE(is_sound(-1));
    const Encounter undone = pass_tick(grid, disks);
    for (std::size_t a = 0; a < disks.size(); ++a) REQUIRE(disks[a].velocity == -before[a].velocity);
    if (goes_on) continue;
    REQUIRE(undone.kind == done.kind);
    Tally tally;
    tally.count(done, 1);
    tally.count(undone, -1);
    REQUIRE(tally == Tally{});
  }
  for (const int count : seen) CHECK(count > 300);
}

TEST_CASE("a grid says what its units are and refuses what it cannot count") {
  const Domain domain{.lo = Vec2(-1.0, 2.0), .hi = Vec2(2.0, 3.5), .periodic = {true, false}, .reflecting = true};
  const std::vector<Vec2> velocities{Vec2(3.0, 0.0), Vec2(0.0, -4.0)};
  const Grid grid = choose_grid(domain, velocities, 10.0);
  CHECK(grid.size[0] >= std::int64_t{1} << 59);
  CHECK(grid.size[0] <= std::int64_t{1} << 60);
  CHECK(grid.metres(grid.size[0]) == 3.0);
  CHECK(grid.metres(grid.size[1]) == 1.5);
  const double thermal = std::sqrt(12.5) * grid.tick / grid.unit;
  CHECK(thermal <= std::exp2(kVelocityBits));
  CHECK(thermal > std::exp2(kVelocityBits - 1));
  CHECK(static_cast<double>(grid.fastest) * grid.unit / grid.tick >= 4.0);
  const Vec2 place(0.1, 2.7);
  CHECK((grid.metres(grid.position(place)) - place).norm() < 1e-15);
  CHECK(grid.position(Vec2(2.5, 3.0)) == grid.position(Vec2(-0.5, 3.0)));
  CHECK((grid.metres_a_second(grid.velocity(velocities[1])) - velocities[1]).norm() < 1e-7);
  CHECK_THROWS_WITH_AS(choose_grid(domain, velocities, 1e9), doctest::Contains("ticks of"), InvalidScene);
}

}  // namespace scree::exact_arithmetic_test
