#include "dem/soft/force_law.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace scree;
using namespace scree::soft;

TEST_CASE("damping ratios give the restitutions that published values say") {
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

TEST_CASE("a mixed pair takes the harmonic mean of stiffness, the smaller restitution and friction") {
  const Material soft = {.name = "soft", .density = 1.0, .stiffness = 1e5, .restitution = 0.9, .friction = 0.2};
  const Material hard = {.name = "hard", .density = 1.0, .stiffness = 3e5, .restitution = 0.3, .friction = 0.6};
  const PairLaw pair = mix(soft, hard);
  CHECK(std::abs(pair.stiffness - 1.5e5) < 1e-6);
  CHECK(pair.damping_ratio == damping_ratio(0.3));
  CHECK(pair.friction == 0.2);
  CHECK(mix(hard, soft).stiffness == pair.stiffness);
  CHECK(std::abs(mix(soft, soft).stiffness - 1e5) < 1e-9);
}

TEST_CASE("no law ever pulls") {
  const PairLaw law = {.stiffness = 1e6, .damping_ratio = 0.5, .friction = 0.5, .tangential_stiffness = 3e5};
  Overlap overlap;
  overlap.area = 1e-8;
  overlap.depth = 1e-6;
  overlap.chord_end = {0.01, 0.0};
  const Approach leaving = {.reduced_mass = 0.1, .lever_a = 0.005, .lever_b = 0.005, .speed = -10.0, .spin = 0.0};
  CHECK(area_law(law, overlap, {1.0, 0.0}, leaving).force == 0.0);
  CHECK(linear_law(law, overlap, leaving).force == 0.0);
}

TEST_CASE("the point of attack stays within the chord, however fast the bodies roll on each other") {
  const PairLaw law = {.stiffness = 1e6, .damping_ratio = 0.5, .friction = 0.5, .tangential_stiffness = 3e5};
  Overlap overlap;
  overlap.area = 1e-8;
  overlap.depth = 1e-6;
  overlap.chord_end = {0.01, 0.0};
  overlap.centroid = {0.005, 0.0};
  Approach approach = {.reduced_mass = 0.1, .lever_a = 0.005, .lever_b = 0.005, .speed = 0.0, .spin = 1e4};
  CHECK(std::abs(area_law(law, overlap, {1.0, 0.0}, approach).offset - 0.005) < 1e-15);
  approach.spin = 0.0;
  CHECK(area_law(law, overlap, {1.0, 0.0}, approach).offset == 0.0);
}

TEST_CASE("friction sticks below Coulomb's limit and slides at it") {
  const PairLaw law = {.stiffness = 1e6, .damping_ratio = 0.0, .friction = 0.5, .tangential_stiffness = 1e5};
  const Friction sticking = friction(law, 1.0, 10.0, 1e-5, 0.0, 1e-3);
  CHECK(std::abs(sticking.force + 1.0) < 1e-12);  // N
  CHECK_FALSE(sticking.sliding);
  const Friction sliding = friction(law, 1.0, 10.0, 0.0, -1.0, 1e-3);
  CHECK(sliding.sliding);
  CHECK(std::abs(sliding.force - 5.0) < 1e-12);    // N
  CHECK(std::abs(sliding.spring + 5e-5) < 1e-17);  // m: no longer than the limit stretches it
  const Friction unloaded = friction(law, 1.0, 0.0, 1e-3, 0.0, 1e-3);
  CHECK(unloaded.force == 0.0);
  CHECK(unloaded.spring == 0.0);
}
