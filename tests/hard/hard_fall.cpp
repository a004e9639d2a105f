#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/simulation.hpp"
#include "tests/sanitized.hpp"

namespace scree::hard_fall_test {

using namespace scree::hard;

namespace {

constexpr double kGravity = 9.81;  // m/s^2

/// One disk of 1 cm above the floor of a box 1 m wide.
Setup ball(double height, const Vec2& velocity, double restitution = 1.0) {
  Setup setup;
  setup.domain = {{0.0, 0.0}, {1.0, 10.0}};
  setup.gravity = {0.0, -kGravity};
  setup.position = {{0.4, 0.01 + height}};
  setup.velocity = {velocity};
  setup.radius = {0.01};
  setup.mass = {2.0};
  setup.rules.walls.restitution = restitution;
  return setup;
}

double energy(const Simulation& simulation) {
  const Summary summary = simulation.summary();
  return summary.kinetic_energy + summary.potential_energy;
}

}  // namespace

TEST_CASE(
    "a ball bounces to heights that fall by the square of the restitution, until the geometric sum of its times") {
  const double h = 1.3;  // m
  const double e = 0.8;
  Simulation simulation(ball(h, {0.0, 0.0}, e));
  const double fall = std::sqrt(2.0 * h / kGravity);
  double touch = fall;
  for (int n = 1; n <= 40; ++n) {
    const double flight = 2.0 * fall * std::pow(e, n);
    CAPTURE(n);
    simulation.advance_to(touch + 0.5 * flight);
    CHECK(simulation.counters().wall_hits == static_cast<std::uint64_t>(n));
    const double height = h * std::pow(e, 2 * n);
    const double found = simulation.state().particles.position[0].y() - 0.01;
    CHECK(std::abs(found - height) < 1e-15 + 1e-11 * height);  // m
    touch += flight;
  }
  CHECK(touch < fall * (1.0 + e) / (1.0 - e));
}

TEST_CASE("an elastic ball in a box keeps its energy to 1e-12 over a million bounces") {
  for (const Vec2& velocity : {Vec2(0.0, 0.0), Vec2(0.7, 0.3)}) {
    Simulation simulation(ball(0.13, velocity));
    const double before = energy(simulation);
    const double bounce = 2.0 * std::sqrt(2.0 * 0.15 / kGravity);  // s, at most
    constexpr double kBounces = test::kSanitized ? 1e5 : 1e6;
    simulation.advance_to(kBounces * bounce);
    simulation.audit();
    CHECK(static_cast<double>(simulation.counters().wall_hits) > kBounces);
    CHECK(std::abs(energy(simulation) / before - 1.0) < 1e-12);
  }
}

TEST_CASE("a projectile flies its parabola, whatever boxes it crosses") {
  for (const double margin : {0.0, 0.002, 0.3}) {
    Setup setup = ball(0.5, {0.5, 3.0});
    setup.domain.periodic = {true, false};
    setup.margin = margin;
    Simulation simulation(setup);
    for (int k = 1; k <= 60; ++k) {
      const double t = 0.01 * k;
      simulation.advance_to(t);
      const ParticleState now = simulation.state().particles;
      CHECK(std::abs(now.position[0].x() - std::fmod(0.4 + 0.5 * t, 1.0)) < 1e-15);
      CHECK(std::abs(now.position[0].y() - (0.51 + t * (3.0 - 0.5 * kGravity * t))) < 1e-14);
      CHECK(std::abs(now.velocity[0].y() - (3.0 - kGravity * t)) < 1e-14);
      simulation.audit();
    }
    CHECK(simulation.counters().wall_hits == 0);
  }
}

TEST_CASE("the centre of mass of a cloud falls freely, also while its disks collide") {
  Setup setup = ball(5.0, {0.0, 0.0});
  setup.domain.periodic = {true, false};
  setup.domain.hi.y() = 100.0;
  setup.domain.lo.y() = -100.0;
  for (int k = 1; k < 20; ++k) {
    setup.position.emplace_back(0.4 + 0.025 * (k % 5), 5.01 + 0.025 * (k / 5));  // NOLINT
    setup.velocity.emplace_back(0.1 * (k % 7 - 3), 0.2 * (k % 3 - 1));
    setup.radius.push_back(0.01);
    setup.mass.push_back(1.0 + k % 2);
  }
  const auto centre = [](const Simulation& simulation) {
    const ParticleState now = simulation.state().particles;
    double height = 0.0;
    double mass = 0.0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      height += now.mass[i] * now.position[i].y();
      mass += now.mass[i];
    }
    return height / mass;
  };
  double velocity = 0.0;
  double mass = 0.0;
  for (std::size_t i = 0; i < setup.mass.size(); ++i) {
    velocity += setup.mass[i] * setup.velocity[i].y();
    mass += setup.mass[i];
  }
  velocity /= mass;
  Simulation simulation(setup);
  const double start = centre(simulation);
  simulation.advance_to(2.0);
  CHECK(simulation.counters().collisions > 20);
  CHECK(std::abs(centre(simulation) - (start + 2.0 * velocity - 0.5 * kGravity * 4.0)) < 1e-13);
  simulation.audit();
}

}  // namespace scree::hard_fall_test
