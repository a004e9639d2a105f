#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/sanitized.hpp"

namespace scree::hard_billiards_test {

using namespace scree::hard;

namespace {

constexpr double kGravity = 9.81;  // m/s^2

Setup one_disk(const Vec2& position, const Vec2& velocity, double radius) {
  Setup setup;
  setup.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  setup.position = {position};
  setup.velocity = {velocity};
  setup.radius = {radius};
  setup.mass = {1.0};
  return setup;
}

std::vector<Wall> segments_around(const std::vector<Vec2>& corners) {
  std::vector<Wall> walls;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    walls.push_back({.name = std::to_string(k), .polygon = {corners[k], corners[(k + 1) % corners.size()]}});
  }
  return walls;
}

double energy(const Simulation& simulation) {
  const Summary summary = simulation.summary();
  return summary.kinetic_energy + summary.potential_energy;
}

}  // namespace

TEST_CASE("an elastic disk among corners and slopes under gravity keeps its energy over a million bounces") {
  // A pit with a wedge in it: edges at every angle, corners that stick out and corners that do not.
  Setup setup = one_disk({0.3, 2.0}, {0.1, 0.0}, 0.1);
  setup.gravity = {0.0, -kGravity};
  setup.walls = segments_around({{-1.0, 4.0}, {-1.0, 0.0}, {0.0, -0.5}, {1.0, 0.0}, {1.0, 4.0}});
  setup.walls.push_back({.name = "wedge", .polygon = {{-0.3, 0.4}, {0.3, 0.4}, {0.05, 0.9}}});
  Simulation simulation(setup);
  const double before = energy(simulation);
  constexpr double kPart = test::kSanitized ? 2e3 : 2e4;  // s
  for (int k = 1; k <= 10; ++k) {
    simulation.advance_to(kPart * k);
    simulation.audit();
  }
  // An edge's normal is rounded once and for all: each hit errs alike, by half a rounding of its square.
  const auto hits = static_cast<double>(simulation.counters().wall_hits);
  CHECK(hits > 15.0 * kPart);
  CHECK(std::abs(energy(simulation) / before - 1.0) < 2e-16 * hits);
}

TEST_CASE("a disk in a triangle flies like a point in long double, in the triangle of its centres") {
  const double height = std::sqrt(3.0);
  const std::vector<Vec2> corners = {{-1.0, 0.0}, {1.0, 0.0}, {0.0, height}};
  const double radius = 0.2;
  Setup setup = one_disk({0.1, 0.6}, {0.7, 0.31}, radius);
  setup.walls = segments_around(corners);
  Simulation simulation(setup);
  long double x[2] = {0.1L, 0.6L};
  long double v[2] = {0.7L, 0.31L};
  x[0] = setup.position[0].x(), x[1] = setup.position[0].y();
  v[0] = setup.velocity[0].x(), v[1] = setup.velocity[0].y();
  long double time = 0.0L;
  for (int bounce = 0; bounce < 200; ++bounce) {
    long double first = 1e9L;
    long double normal[2] = {0.0L, 0.0L};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 side = corners[(k + 1) % 3] - corners[k];
      const long double length = std::sqrt(static_cast<long double>(side.x()) * side.x() + side.y() * side.y());
      const long double n[2] = {-side.y() / length, side.x() / length};  // inward
      const long double gap = n[0] * (x[0] - corners[k].x()) + n[1] * (x[1] - corners[k].y()) - radius;
      const long double speed = n[0] * v[0] + n[1] * v[1];
      if (speed < 0.0L && gap / -speed < first) {
        first = gap / -speed;
        normal[0] = n[0], normal[1] = n[1];
      }
    }
    const long double middle = time + 0.5L * first;
    simulation.advance_to(static_cast<double>(middle));
    const Vec2 found = simulation.state().particles.position[0];
    REQUIRE(simulation.counters().wall_hits == static_cast<std::uint64_t>(bounce));
    CHECK(std::abs(static_cast<double>(x[0] + 0.5L * first * v[0]) - found.x()) < 1e-12);  // m: errors grow linearly
    CHECK(std::abs(static_cast<double>(x[1] + 0.5L * first * v[1]) - found.y()) < 1e-12);
    time += first;
    const long double speed = normal[0] * v[0] + normal[1] * v[1];
    for (const int axis : {0, 1}) {
      x[axis] += first * v[axis];
      v[axis] -= 2.0L * speed * normal[axis];
    }
  }
}

TEST_CASE("disks that fall onto a Galton board scatter as their mirror images do") {
  const auto fall = [](double sign) {
    Setup setup;
    setup.domain = {{-10.0, -30.0}, {10.0, 10.0}};
    setup.gravity = {0.0, -kGravity};
    setup.rules.walls.restitution = 0.5;
    setup.contact_duration = 1e-4;
    for (int row = 0; row < 8; ++row) {
      for (int column = -row; column <= row; column += 2) {
        const Vec2 pin(sign * 0.2 * column, -0.35 * row);
        setup.walls.push_back({.name = "pin",
                               .polygon = {pin + Vec2(-0.05, 0.0), pin + Vec2(0.0, -0.05), pin + Vec2(0.05, 0.0),
                                           pin + Vec2(0.0, 0.05)}});
      }
    }
    for (int k = 0; k < 60; ++k) {
      setup.position.emplace_back(sign * (0.0037 * k - 0.1), 1.0 + 0.5 * k);
      setup.velocity.emplace_back(Vec2::Zero());
      setup.radius.push_back(0.1);
      setup.mass.push_back(1.0);
    }
    setup.domain.hi.y() = 40.0;
    Simulation simulation(setup);
    simulation.advance_to(3.0);
    simulation.audit();
    CHECK(simulation.counters().wall_hits > 100);
    return simulation.state().particles.position;
  };
  const std::vector<Vec2> right = fall(1.0);
  const std::vector<Vec2> left = fall(-1.0);
  int same = 0;
  int scattered = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {  // corners are chaotic: rounding may tell them apart at last
    same += std::abs(right[i].x() + left[i].x()) < 1e-6 ? 1 : 0;
    scattered += std::abs(right[i].x()) > 0.4 ? 1 : 0;
  }
  CHECK(same > 50);
  CHECK(scattered > 10);
}

TEST_CASE("a moving piston does as much work on disks as momentum says, hit by hit") {
  // Between a fixed end and a piston that comes in: v grows by 2 V a hit, exactly, and v (L - 2 r) is the invariant.
  Setup setup = one_disk({0.0, 0.0}, {1.0, 0.0}, 0.25);
  const auto end = [](double from, double to) {
    return std::vector<Vec2>{{from, -1.0}, {to, -1.0}, {to, 1.0}, {from, 1.0}};
  };
  setup.walls = {{.name = "end", .polygon = end(-6.0, -5.0)},
                 {.name = "piston", .polygon = end(5.0, 6.0), .velocity = {-1.0 / 1024.0, 0.0}}};
  Simulation simulation(setup);
  simulation.advance_to(4000.0);
  simulation.audit();
  const double speed = std::abs(simulation.state().particles.velocity[0].x());
  const double hits = std::round((speed - 1.0) * 512.0);
  CHECK(speed == 1.0 + hits / 512.0);  // sums of powers of two: no rounding
  CHECK(std::abs(static_cast<double>(simulation.counters().wall_hits) - 2.0 * hits) <= 1.0);
  const double room = 9.5 - 4000.0 / 1024.0;
  CHECK(std::abs(speed * room / 9.5 - 1.0) < 2e-3);
}

TEST_CASE("a ball on a shaken plate is thrown as the plate's motion at the moment of contact says") {
  Setup setup = one_disk({0.0, 1.0}, {0.0, 0.0}, 0.1);
  setup.gravity = {0.0, -kGravity};
  setup.rules.walls.restitution = 0.7;
  const Oscillation shake{.amplitude = {0.0, 0.02}, .frequency = 15.0, .phase = 0.4};
  setup.walls = {
      {.name = "plate", .polygon = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 0.0}, {-1.0, 0.0}}, .oscillation = shake}};
  Simulation simulation(setup);
  // Beside it: the same by dense steps and bisection in long double.
  const auto plate = [&](long double t) {
    return 0.02L * std::sin(2.0L * std::numbers::pi_v<long double> * 15.0L * t + 0.4L);
  };
  const auto plate_velocity = [&](long double t) {
    const long double angular_frequency = 2.0L * std::numbers::pi_v<long double> * 15.0L;
    return 0.02L * angular_frequency * std::cos(angular_frequency * t + 0.4L);
  };
  long double y = 0.9L;  // of the lowest point
  long double v = 0.0L;
  long double begin = 0.0L;
  for (int hit = 0; hit < 6; ++hit) {
    const auto gap = [&](long double t) {
      const long double wait = t - begin;
      return y + wait * (v - 0.5L * kGravity * wait) - plate(t);
    };
    long double t = begin + 1e-6L;
    while (gap(t) > 0.0L) t += 1e-5L;
    long double before = t - 1e-5L;
    for (int step = 0; step < 70; ++step) (gap(0.5L * (before + t)) > 0.0L ? before : t) = 0.5L * (before + t);
    const long double wait = t - begin;
    const long double arriving = v - kGravity * wait - plate_velocity(t);
    y = plate(t);
    v = plate_velocity(t) - 0.7L * arriving;
    begin = t;
    simulation.advance_to(static_cast<double>(t) + 1e-7);
    CAPTURE(hit);
    REQUIRE(simulation.counters().wall_hits == static_cast<std::uint64_t>(hit + 1));
    CHECK(std::abs(simulation.state().particles.velocity[0].y() + kGravity * 1e-7 - static_cast<double>(v)) < 1e-9);
  }
  simulation.audit();
}

}  // namespace scree::hard_billiards_test
