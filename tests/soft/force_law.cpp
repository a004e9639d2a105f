#include "dem/soft/contact/force_law.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/contact/laws/laws.hpp"

namespace scree::force_law_test {

using namespace scree::soft;

namespace {

PairLaw some_law() {
  return {{.stiffness = 1e6,
           .damping_ratio = 0.5,
           .friction = 0.5,
           .dynamic_friction = 0.5,
           .tangential_stiffness = 3e5,
           .tangential_damping_ratio = 0.5}};
}

}  // namespace

TEST_CASE("damping ratios give the published restitutions") {
  struct Known {
    double restitution;
    double zeta;
  };
  for (const Known& known : {Known{0.9, 0.0342652}, Known{0.5, 0.2552756}, Known{0.3, 0.4972394}, Known{0.1, 1.2431879},
                             Known{0.05, 1.9453462}}) {
    CAPTURE(known.restitution);
    CHECK(std::abs(damping_ratio(known.restitution) - known.zeta) < 1e-7);
  }
  CHECK(std::abs(restitution(1.0) - std::exp(-2.0)) < 1e-12);
  CHECK(std::abs(restitution(100.0) * 4.0 * 100.0 * 100.0 - 1.0) < 1e-3);
  CHECK(damping_ratio(1.0) == 0.0);
}

TEST_CASE("restitution and damping ratio are inverse to each other") {
  for (double e = 0.001; e < 1.0; e += 0.001) {
    CAPTURE(e);
    CHECK(std::abs(restitution(damping_ratio(e)) / e - 1.0) < 1e-11);
  }
  CHECK_THROWS(damping_ratio(0.0));
  CHECK_THROWS(damping_ratio(1.5));
}

TEST_CASE("restitution agrees with the clipped oscillator, integrated in small steps") {
  // x'' = -x - 2 zeta x', x(0) = 0, x'(0) = 1, until the force x + 2 zeta x' vanishes.
  for (const double zeta : {0.03, 0.3, 0.999, 1.0, 1.7}) {
    CAPTURE(zeta);
    const double dt = 1e-5;
    double x = 0.0;
    double v = 1.0;
    double t = 0.0;
    while (x + 2.0 * zeta * v > 0.0) {
      const double half = v - 0.5 * dt * (x + 2.0 * zeta * v);
      x += dt * half;
      v = (half - 0.5 * dt * x) / (1.0 + zeta * dt);
      t += dt;
    }
    CHECK(std::abs(-v - restitution(zeta)) < 1e-4);
    CHECK(std::abs(t - contact_time(zeta, 1.0)) < 1e-3);
  }
}

TEST_CASE("restitution of the force that is not clipped: the oscillator's amplitude after half a period") {
  for (const double e : {0.05, 0.3, 0.9}) {
    const double zeta = unclipped_damping_ratio(e);
    CHECK(std::abs(std::exp(-M_PI * zeta / std::sqrt(1.0 - zeta * zeta)) / e - 1.0) < 1e-12);
  }
  CHECK(unclipped_damping_ratio(1.0) == 0.0);
  CHECK_THROWS(unclipped_damping_ratio(0.0));
}

TEST_CASE("no law ever pulls, except linear_unclipped") {
  const OverlapSize<double> overlap = {.area = 1e-8, .depth = 1e-6, .chord = 0.01};
  const ContactKinematics leaving = {.reduced_mass = 0.1,
                                     .lever_arm_a = 0.005,
                                     .lever_arm_b = 0.005,
                                     .speed = -10.0,
                                     .inverse_effective_radius = 400.0,
                                     .curvature = 400.0};
  CHECK(AreaLaw::force(some_law(), overlap, leaving).force == 0.0);
  CHECK(AreaPotential<4>::force(some_law(), overlap, leaving).force == 0.0);
  CHECK(AreaPotential<3>::force(some_law(), overlap, leaving).force == 0.0);
  CHECK(LinearLaw::force(some_law(), overlap, leaving).force == 0.0);
  CHECK(HertzLaw::force(some_law(), overlap, leaving).force == 0.0);
  CHECK(UnclippedLinearLaw::force(some_law(), overlap, leaving).force < 0.0);
}

TEST_CASE("the point of application stays within the chord, however fast the bodies roll on each other") {
  const OverlapSize<double> overlap = {.area = 1e-8, .depth = 1e-6, .chord = 0.01};
  ContactKinematics kinematics = {.reduced_mass = 0.1,
                                  .lever_arm_a = 0.005,
                                  .lever_arm_b = 0.005,
                                  .relative_angular_velocity = 1e4,
                                  .inverse_effective_radius = 400.0};
  CHECK(std::abs(AreaLaw::force(some_law(), overlap, kinematics).offset - 0.005) < 1e-15);
  CHECK(std::abs(AreaPotential<4>::force(some_law(), overlap, kinematics).offset - 0.005) < 1e-15);
  kinematics.relative_angular_velocity = 0.0;
  CHECK(AreaLaw::force(some_law(), overlap, kinematics).offset == 0.0);
}

TEST_CASE("friction sticks below Coulomb's limit and slides at it") {
  PairLaw law = some_law();
  law.tangential_damping_ratio = 0.0;
  law.tangential_stiffness = 1e5;
  const Friction sticking = friction(law, 1.0, 10.0, {.displacement = 1e-5}, 0.0, 0.0);
  CHECK(std::abs(sticking.force + 1.0) < 1e-12);  // N
  CHECK_FALSE(sticking.sliding);
  const Friction sliding = friction(law, 1.0, 10.0, {}, -1.0, -1e-3);
  CHECK(sliding.sliding);
  CHECK(std::abs(sliding.force - 5.0) < 1e-12);          // N
  CHECK(std::abs(sliding.displacement + 5e-5) < 1e-17);  // m: no longer than the limit stretches it
  for (const double normal_force : {0.0, -3.0}) {
    const Friction unloaded = friction(law, 1.0, normal_force, {.displacement = 1e-3}, 0.0, 0.0);
    CHECK(unloaded.force == 0.0);
    CHECK(unloaded.displacement == 0.0);
  }
}

TEST_CASE("a contact sticks up to static friction, slides with dynamic friction, and sticks again below that") {
  PairLaw law = some_law();
  law.dynamic_friction = 0.3;
  law.tangential_damping_ratio = 0.0;
  law.tangential_stiffness = 1e5;
  const auto at = [&](double displacement, bool sliding) {
    return friction(law, 1.0, 10.0, {.displacement = displacement, .sliding = sliding}, 0.0, 0.0);
  };
  CHECK(std::abs(at(4.9e-5, false).force + 4.9) < 1e-12);  // N
  CHECK_FALSE(at(4.9e-5, false).sliding);
  CHECK(std::abs(at(5.1e-5, false).force + 3.0) < 1e-12);
  CHECK(at(5.1e-5, false).sliding);
  CHECK(std::abs(at(5.1e-5, false).displacement - 3e-5) < 1e-17);  // m
  CHECK(std::abs(at(3.1e-5, true).force + 3.0) < 1e-12);
  CHECK(at(3.1e-5, true).sliding);
  CHECK_FALSE(at(2.9e-5, true).sliding);
}

TEST_CASE("rolling resistance: a spring at the rolling radius, up to its share of the normal force") {
  PairLaw law = some_law();
  law.rolling_friction = 0.1;
  law.tangential_damping_ratio = 0.0;
  const double radius = 0.005;  // of a disk on a wall
  const ContactKinematics kinematics = {.reduced_mass = 1.0,
                                        .lever_arm_a = 0.0,
                                        .lever_arm_b = 0.0,
                                        .relative_angular_velocity = 2.0,
                                        .inverse_effective_radius = 1 / radius};
  const double turn = 2e-7;  // rad
  const Friction held = rolling(law, kinematics, 10.0, {}, turn);
  CHECK(std::abs(held.displacement - turn * radius) < 1e-20);  // m
  CHECK(std::abs(held.force + 3e5 * turn * radius) < 1e-15);   // N; against the spin
  const Friction given_way = rolling(law, kinematics, 10.0, {.displacement = 1e-3}, turn);
  CHECK(std::abs(given_way.force + 1.0) < 1e-12);  // N: 0.1 of 10 N
  CHECK(given_way.sliding);
}

}  // namespace scree::force_law_test
