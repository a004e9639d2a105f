#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "tests/sanitized.hpp"

namespace scree::hard_touching_test {

// Disks that touch: from the start, at rest, in flight together.

using namespace scree::hard;

namespace {

constexpr double kSide = 10.0;  // m

Setup box(bool periodic, std::vector<Vec2> position, const Vec2& velocity, double radius) {
  Setup setup;
  setup.domain = {{0.0, 0.0}, {kSide, kSide}};
  setup.domain.periodic = {periodic, periodic};
  setup.radius.assign(position.size(), radius);
  setup.mass.assign(position.size(), 1.0);
  setup.velocity.assign(position.size(), velocity);
  setup.position = std::move(position);
  return setup;
}

/// Three disks, each of which touches both others.
std::vector<Vec2> triangle(double radius) {
  const Vec2 corner(4.3, 5.1);
  return {corner, corner + Vec2(2.0 * radius, 0.0), corner + radius * Vec2(1.0, std::sqrt(3.0))};
}

/// Distances of all pairs less the diameter, the farthest from 0 [m].
double worst_gap(const Simulation& simulation, const Domain& domain) {
  const ParticleState now = simulation.state().particles;
  double worst = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = shorter_way(now.position[i] - now.position[j], domain).norm();
      worst = std::max(worst, std::abs(distance - now.radius[i] - now.radius[j]));
    }
  }
  return worst;
}

/// Rows of disks, each of which touches four others, over all of the box.
std::vector<Vec2> rows(double radius) {
  std::vector<Vec2> position;
  const int across = static_cast<int>(std::lround(0.5 * kSide / radius));
  for (int k = 0; k < across * across; ++k) {
    position.emplace_back(radius * (2 * (k % across) + 1), radius * (2 * (k / across) + 1));  // NOLINT
  }
  return position;
}

double energy(const Simulation& simulation) {
  return simulation.summary().kinetic_energy;
}

}  // namespace

TEST_CASE("three touching disks with equal velocities keep their relative positions over 200 km") {
  struct Flying {
    double radius;
    Vec2 velocity;
    Vec2 gravity;
  };
  for (const Flying& f : {Flying{0.5, {811.3, 603.7}, {0.0, 0.0}},
                          {0.005, {811.3, 603.7}, {0.0, 0.0}},
                          {0.05, {-141.0, 990.0}, {0.3, -9.81}},
                          {0.005, {-141.0, 990.0}, {0.3, -9.81}}}) {
    CAPTURE(f.radius);
    CAPTURE(f.gravity.y());
    Setup setup = box(true, triangle(f.radius), f.velocity, f.radius);
    setup.domain = {{0.1, 0.3}, {15.3, 14.1}, {true, true}};  // no whole steps of the digits
    setup.gravity = f.gravity;
    Simulation simulation(setup);
    for (int second = 1; second <= 200; ++second) {
      simulation.advance_to(second);
      simulation.audit();
    }
    CHECK(simulation.counters().collisions == 0);
    CHECK(worst_gap(simulation, setup.domain) < 1e-14 + 1e-12 * f.radius);  // m
    const Vec2 way = 200.0 * f.velocity + 20000.0 * f.gravity;
    const auto periods = simulation.images()[0];
    const Vec2 size = setup.domain.hi - setup.domain.lo;
    const Vec2 end = simulation.state().particles.position[0] + Vec2(periods[0] * size.x(), periods[1] * size.y());
    CHECK((end - setup.position[0] - way).norm() < 1e-13 * way.norm());
  }
}

TEST_CASE("disks that touch and are at rest stay at rest; without relative motion nothing happens") {
  for (const bool periodic : {false, true}) {
    for (const std::vector<Vec2>& position : {triangle(0.5), rows(0.5), rows(1.25)}) {
      const double radius = position.size() == 16 ? 1.25 : 0.5;
      CAPTURE(position.size());
      Simulation resting(box(periodic, position, Vec2::Zero(), radius));
      resting.advance_to(1e9);
      CHECK(resting.state().particles.position == position);
      CHECK(resting.counters().collisions + resting.counters().wall_hits + resting.counters().box_exits == 0);
      resting.audit();
      if (!periodic) continue;
      const Setup moving = box(true, position, {3.0, -7.0}, radius);
      Simulation simulation(moving);
      simulation.advance_to(test::kSanitized ? 500.0 : 5000.0);
      simulation.audit();
      CHECK(simulation.counters().collisions == 0);
      CHECK(simulation.counters().box_exits > 0);
    }
  }
}

TEST_CASE(
    "two touching disks collide at once if they approach, and not if they slide, separate or have equal velocities") {
  struct Case {
    Vec2 relative;  // velocity
    std::uint64_t collisions;
  };
  for (const Case& c : {Case{{-1.0, 0.0}, 1},
                        {{-1e-300, 0.0}, 1},
                        {{-1.0, 5.0}, 1},
                        {{0.0, 1.0}, 0},
                        {{0.0, 0.0}, 0},
                        {{1e-300, 1.0}, 0},
                        {{1.0, 0.0}, 0}}) {
    CAPTURE(c.relative);
    Setup setup = box(true, {{2.0, 5.0}, {3.0, 5.0}}, Vec2::Zero(), 0.5);
    setup.velocity[1] = c.relative;
    Simulation simulation(setup);
    simulation.advance_to(0.0);
    CHECK(simulation.counters().collisions == c.collisions);
    simulation.advance_to(0.5);
    CHECK(simulation.counters().collisions == c.collisions);
    CHECK(simulation.state().particles.velocity[0].x() == (c.collisions == 1 ? c.relative.x() : 0.0));
    simulation.audit();
  }
}

TEST_CASE("a disk shot into rows that touch sets them moving, with all its energy and momentum") {
  for (const double restitution : {1.0, 0.9}) {
    CAPTURE(restitution);
    std::vector<Vec2> position = rows(0.5);
    std::erase_if(position, [](const Vec2& p) { return (p - Vec2(6.0, 5.0)).cwiseAbs().maxCoeff() > 2.0; });
    position.emplace_back(2.0, 5.1);  // NOLINT
    Setup setup = box(true, position, Vec2::Zero(), 0.5);
    setup.rules.disks.restitution = restitution;
    setup.velocity.back() = {100.0, 1.0};
    Simulation simulation(setup);
    const double before = energy(simulation);
    for (int k = 1; k <= 20; ++k) {
      simulation.advance_to(0.05 * k);
      simulation.audit();
    }
    CHECK(simulation.counters().collisions > 80);
    Vec2 momentum = Vec2::Zero();
    int moving = 0;
    for (const Vec2& velocity : simulation.state().particles.velocity) {
      momentum += velocity;
      moving += velocity.isZero() ? 0 : 1;
    }
    CHECK(moving == std::ssize(position));
    CHECK((momentum - setup.velocity.back()).norm() < 1e-11);
    CHECK(std::abs(simulation.summary().energy_residual) < 1e-12);
    if (restitution == 1.0) CHECK(std::abs(energy(simulation) / before - 1.0) < 1e-12);
  }
}

}  // namespace scree::hard_touching_test
