#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/restitution.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::impacts_test {

using soft::Simulation;

// Impacts of two bodies after Y. C. Chung & J. Y. Ooi, Granular Matter 13 (2011), adapted to disks, whose moment of
// inertia is m r^2 / 2 and whose springs are linear, so that all of them have closed forms.
//
// The normal is x, from body 1, a disk or a wall, to disk 2; the tangent is y. J_n and J_t are the momenta that disk 2
// receives, v_n is the speed of approach, s = v2t - v1t - r1 w1 - r2 w2 the slip of 2 against 1:
//   J_n = (1 + e) m_eff v_n
//   I w' - I w = -r J_t for both disks (they are cogwheels), hence s' - s = 3 J_t / m_eff
// Gross sliding: J_t = -mu J_n sign(s), if |s| > 3 mu (1 + e) v_n, so that the slip never ends, and k_t |s| > mu k v_n,
// so that the friction spring is at its limit from the start.
// Sticking, mu without limit and e = 1: the slip is that of a spring k_t on the mass m_eff / 3 when the normal one, k
// on m_eff, has done half its period: s' = s cos(pi sqrt(3 k_t / k)).
namespace {

constexpr double kStiffness = 1e14;  // N/m: at 1 m/s some 1e-6 of the radius deep, and soon over
constexpr double kSpringRatio = 2.0 / 7.0;
constexpr double kSpeed = 0.5;  // m/s, of each disk along the normal

// Two disks that slip past each other turn their normal by s t_c / (r1 + r2) until they part, up to 4e-5 rad, which
// shares J_n out anew: on average 2e-5 / mu = 1e-4 of J_t. Depths, 1e-6 of a radius, and steps, a 700th of the contact
// (2.5 / 700^2, docs/theory.md), do less.
constexpr double kTolerance = 2e-4;

struct Body {
  double radius = 0.01;     // m
  double density = 2600.0;  // kg/m^2
  double tangential = 0.0;  // m/s
  double spin = 0.0;        // 1/s
  double normal = 0.0;      // m/s; before the impact kSpeed towards the other
  bool wall = false;

  double mass() const { return density * M_PI * radius * radius; }
  double inverse_mass() const { return wall ? 0.0 : 1.0 / mass(); }
};

double kinetic_energy(const Body& b) {
  const double rim = b.radius * b.spin;
  return 0.5 * b.mass() * (b.normal * b.normal + b.tangential * b.tangential + 0.5 * rim * rim);
}

struct Couple {
  Body one;
  Body two;

  double reduced_mass() const { return 1.0 / (one.inverse_mass() + two.inverse_mass()); }
  double approach() const { return one.normal - two.normal; }
  double slip() const { return two.tangential - one.tangential - one.radius * one.spin - two.radius * two.spin; }
};

const Body kWall{.radius = 0.0, .wall = true};

Couple approaching(Body one, Body two) {
  if (!one.wall) one.normal = kSpeed;
  two.normal = -kSpeed;
  return {one, two};
}

Material material(const Body& body, double restitution, double friction) {
  return {.name = body.wall ? "wall" : "disk " + std::to_string(body.radius) + ", " + std::to_string(body.density),
          .density = body.density,
          .stiffness = kStiffness,
          .restitution = restitution,
          .friction = friction};
}

struct Impact {
  Couple after;
  double depth = 0.0;     // m, at most
  double force = 0.0;     // N, at most
  double duration = 0.0;  // s
  double dt = 0.0;        // s
};

/// The bodies start a nanometre apart.
Impact impact(const Couple& before, double restitution, double friction) {
  Scene scene = test::empty_scene();
  scene.materials = {material(before.one, restitution, friction), material(before.two, restitution, friction)};
  if (before.one.wall) scene.walls = {test::box_wall({-1.0, -1.0}, {0.0, 1.0})};
  const auto add = [&](const Body& body, double x, int material) {
    const Placed place{.position = {x, 0.0}, .velocity = {body.normal, body.tangential}, .angular_velocity = body.spin};
    scene.particles.push_back(
        {.how = Place{place}, .material = material, .shape = Disk{}, .size = {2.0 * body.radius, 2.0 * body.radius}});
  };
  if (!before.one.wall) add(before.one, -before.one.radius, 0);
  add(before.two, before.two.radius + 1e-9, 1);
  scene.soft.step = 0.1 * soft::time_step(scene).dt;

  Simulation simulation(scene, {.threads = 1});
  Impact result{.after = before, .dt = simulation.dt()};
  while (simulation.time() < 1e-3) {
    simulation.advance_to(1.0, 1);
    const State state = simulation.state();
    if (state.contacts.empty()) {
      if (result.duration > 0.0) break;
      continue;
    }
    result.duration += simulation.dt();
    result.depth = std::max(result.depth, state.contacts[0].depth);
    result.force = std::max(result.force, state.contacts[0].force_normal);
  }
  REQUIRE(result.duration > 0.0);
  const ParticleState particles = simulation.state().particles;
  std::size_t i = 0;
  for (Body* body : {&result.after.one, &result.after.two}) {
    if (body->wall) continue;
    body->normal = particles.velocity[i].x();
    body->tangential = particles.velocity[i].y();
    body->spin = particles.angular_velocity[i++];
  }
  return result;
}

/// Momentum that disk 2 received along the tangent [kg m/s]; the disks' spins must have changed by as much.
double tangential_momentum(const Couple& before, const Couple& after) {
  const double received = before.two.mass() * (after.two.tangential - before.two.tangential);
  const double scale = before.reduced_mass() * before.approach();
  const auto spun = [](const Body& a, const Body& b) { return -0.5 * a.mass() * a.radius * (b.spin - a.spin); };
  CHECK(std::abs(spun(before.two, after.two) - received) < kTolerance * std::abs(received) + 1e-12 * scale);
  if (!before.one.wall) {
    const double given = before.one.mass() * (before.one.tangential - after.one.tangential);
    CHECK(std::abs(spun(before.one, after.one) - received) < kTolerance * std::abs(received) + 1e-12 * scale);
    CHECK(std::abs(given - received) < 1e-12 * scale);
  }
  return received;
}

/// Body 2 of half the size, three times as large, of the same size and 1/20 of the density, alike; and against a wall.
std::vector<Couple> partners() {
  std::vector<Couple> pairs;
  for (const Body& one : {Body{}, kWall}) {
    for (const Body& two : {Body{}, Body{.radius = 0.005}, Body{.radius = 0.03}, Body{.density = 130.0}}) {
      pairs.push_back(approaching(one, two));
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("elastic normal impact: duration, depth and force of half a period; velocities after it obey Newton's laws") {
  for (const Couple& before : partners()) {
    CAPTURE(before.one.wall);
    CAPTURE(before.two.radius);
    CAPTURE(before.two.density);
    const Impact found = impact(before, 1.0, 0.0);
    const double omega = std::sqrt(kStiffness / before.reduced_mass());
    const double depth = before.approach() / omega;
    CHECK(std::abs(found.duration - M_PI / omega) <= found.dt);
    CHECK(std::abs(found.depth / depth - 1.0) < kTolerance);
    CHECK(std::abs(found.force / (kStiffness * depth) - 1.0) < kTolerance);
    const double momentum = 2.0 * before.reduced_mass() * before.approach();
    CHECK(std::abs(found.after.two.normal - before.two.normal - momentum * before.two.inverse_mass()) <
          kTolerance * before.approach());
    CHECK(std::abs(found.after.one.normal - before.one.normal + momentum * before.one.inverse_mass()) <
          kTolerance * before.approach());
    CHECK(found.after.two.tangential == 0.0);
    CHECK(found.after.two.spin == 0.0);
  }
}

// A single phase of the step: up to beta dt (docs/theory.md).
TEST_CASE("normal impact with restitution: disks of any masses separate with e times the speed of approach") {
  for (const Couple& before : partners()) {
    for (const double e : {0.2, 0.5, 0.8}) {
      CAPTURE(before.one.wall);
      CAPTURE(before.two.radius);
      CAPTURE(before.two.density);
      CAPTURE(e);
      const Impact found = impact(before, e, 0.0);
      const double beta = damping_ratio(e) * std::sqrt(kStiffness / before.reduced_mass());
      CHECK(std::abs(found.after.approach() / (-e * before.approach()) - 1.0) < 1.2 * beta * found.dt);
    }
  }
}

// At 56 and 76 degrees of incidence.
TEST_CASE("oblique impact in gross sliding: friction takes mu times the normal momentum, at any angle and spin") {
  constexpr double kFriction = 0.2;
  for (const Couple& partner : partners()) {
    for (const double e : {0.5, 1.0}) {
      for (const double slip : {-4.0, -1.5, 1.5, 4.0}) {  // over the speed of approach
        for (const bool by_spin : {false, true}) {
          CAPTURE(partner.one.wall);
          CAPTURE(partner.two.radius);
          CAPTURE(partner.two.density);
          CAPTURE(e);
          CAPTURE(slip);
          CAPTURE(by_spin);
          Couple before = partner;
          (by_spin ? before.two.spin : before.two.tangential) =
              slip * before.approach() / (by_spin ? -before.two.radius : 1.0);
          const Impact found = impact(before, e, kFriction);
          const double normal = before.two.mass() * (found.after.two.normal - before.two.normal);
          const double expected = -kFriction * normal * std::copysign(1.0, slip);
          const double got = tangential_momentum(before, found.after);
          CHECK(std::abs(got / expected - 1.0) < kTolerance);
        }
      }
    }
  }
}

// Where the disks part, the friction spring, which nothing limits, is still stretched by sin(omega_t t_c) of its
// amplitude. Its force ends with a step, up to half a step too early or too late.
TEST_CASE("oblique impact with unlimited friction: the tangential velocity rebounds as with a spring") {
  for (const Couple& partner : partners()) {
    for (const double slip : {-0.2, 0.05, 1.0}) {
      for (const bool by_spin : {false, true}) {
        CAPTURE(partner.one.wall);
        CAPTURE(partner.two.radius);
        CAPTURE(partner.two.density);
        CAPTURE(slip);
        CAPTURE(by_spin);
        Couple before = partner;
        (by_spin ? before.two.spin : before.two.tangential) =
            slip * before.approach() / (by_spin ? -before.two.radius : 1.0);
        const Impact found = impact(before, 1.0, 1e4);
        tangential_momentum(before, found.after);
        const double turned = M_PI * std::sqrt(3.0 * kSpringRatio);  // omega_t t_c
        const double per_step = turned * found.dt / found.duration;  // omega_t dt
        CHECK(std::abs(found.after.slip() / before.slip() - std::cos(turned)) <
              0.5 * per_step * std::sin(turned) + kTolerance);
      }
    }
  }
}

TEST_CASE(
    "oblique impact between sticking and sliding: friction grows up to Coulomb's limit, and no energy is gained") {
  constexpr double kFriction = 0.3;
  double least = 0.0;  // of J_t / J_n so far; it is negative, against the slip
  for (const double slip : {0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9}) {
    CAPTURE(slip);
    Couple before = approaching(kWall, Body{});
    before.two.tangential = slip * before.approach();
    const Impact found = impact(before, 1.0, kFriction);
    const double ratio =
        tangential_momentum(before, found.after) / (before.two.mass() * (found.after.two.normal - before.two.normal));
    CHECK(ratio < least + kTolerance * kFriction);
    CHECK(ratio > -kFriction * (1.0 + kTolerance));
    CHECK(kinetic_energy(found.after.two) < kinetic_energy(before.two) * (1.0 + kTolerance));
    least = ratio;
  }
  CHECK(std::abs(least / kFriction + 1.0) < kTolerance);  // slip > 3 mu (1 + e): gross sliding
}

}  // namespace scree::impacts_test
