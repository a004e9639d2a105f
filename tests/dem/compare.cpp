#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "dem/compare/comparison.hpp"
#include "dem/compare/gas_theory.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/compare/stiffness_limit.hpp"
#include "dem/errors.hpp"
#include "dem/hard/collision_rule.hpp"
#include "dem/soft/simulation.hpp"

namespace {

using namespace scree;
using namespace scree::compare;

/// A periodic box of disks of one elastic smooth material.
Scene gas() {
  Scene scene;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.materials = {{.name = "ball", .density = 1.0, .stiffness = 1e4}};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = 25, .jitter = 1.0},
                      .material = 0,
                      .shape = Disk{},
                      .size = {0.08, 0.12}}};
  scene.end = 1.0;
  scene.output_every = 0.1;
  return scene;
}

/// Three disks that meet a few times.
Scene three() {
  Scene scene = gas();
  scene.particles = {{.how = Place{{.position = {0.2, 0.5}, .velocity = {1.0, 0.05}},
                                   {.position = {0.55, 0.52}, .velocity = {-0.3, 0.1}},
                                   {.position = {0.8, 0.45}, .velocity = {-0.9, 0.0}}},
                      .material = 0,
                      .shape = Disk{},
                      .size = {0.1, 0.1}}};
  scene.end = 0.7;
  scene.output_every = 0.7;
  return scene;
}

const Watch kNobody = [](const Moment&, const State&, const State&) {};

/// Normal and tangential velocity of the contact after over before, of two disks that meet with a spin.
struct Rebound {
  double normal;      // relative velocity of the centres along the normal [m/s]
  double tangential;  // of the surfaces, along the tangent [m/s]
};

Rebound rebound(const ParticleState& particles, double radius) {
  const Vec2 velocity = particles.velocity[1] - particles.velocity[0];
  const double spins = particles.angular_velocity[0] + particles.angular_velocity[1];
  return {velocity.x(), velocity.y() - radius * spins};
}

/// Two equal disks side by side, that approach with 1 m/s along x and slip with `slip` m/s along y.
Scene impact(double slip, double spin, Material material) {
  Scene scene = gas();
  scene.materials = {std::move(material)};
  scene.particles = {
      {.how = Place{{.position = {0.45, 0.5}, .velocity = {0.5, 0.0}, .angular_velocity = spin},
                    {.position = {0.55 + 1e-8, 0.5}, .velocity = {-0.5, slip}, .angular_velocity = spin}},
       .material = 0,
       .shape = Disk{},
       .size = {0.1, 0.1}}};
  scene.end = 1e-4;  // five times as long as they touch
  scene.output_every = 1e-4;
  return scene;
}

struct Rebounds {
  Rebound soft;
  Rebound hard;
};
Rebounds rebounds(const Scene& scene) {
  Rebounds found{};
  run(twins(scene), 1, [&](const Moment&, const State& soft, const State& hard) {
    found = {rebound(soft.particles, 0.05), rebound(hard.particles, 0.05)};
  });
  return found;
}

Material stiff(double restitution, double friction) {
  Material material;
  material.name = "stiff";
  material.density = 1.0;
  material.stiffness = 1e8;
  material.restitution = restitution;
  material.friction = friction;
  return material;
}

}  // namespace

TEST_CASE("twins begin with the same disks to the last bit") {
  Scene scene = gas();
  for (const bool reflecting : {false, true}) {
    CAPTURE(reflecting);
    scene.domain.periodic = {!reflecting, !reflecting};
    scene.domain.reflecting = reflecting;
    std::size_t looked = 0;
    run(twins(scene), 1, [&](const Moment& moment, const State& soft, const State& hard) {
      if (looked++ > 0) return;
      CHECK(moment.between.position_largest == 0.0);
      CHECK(moment.between.velocity_largest == 0.0);
      CHECK(soft.particles.size() == 25);
      CHECK(soft.particles.mass == hard.particles.mass);
      CHECK(soft.walls.size() == (reflecting ? 4 : 0));
    });
    CHECK(looked == 11);
  }
}

TEST_CASE("a difference pairs disks by their number, and takes the shorter way around") {
  const Domain domain{{0.0, 0.0}, {1.0, 2.0}, {true, false}};
  ParticleState a;
  a.id = {1, 2, 3};
  a.position = {{0.05, 0.1}, {0.5, 0.5}, {0.2, 0.2}};
  a.velocity = {{1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  ParticleState b;
  b.id = {5, 7};  // the second of a has left b
  b.position = {{0.95, 0.1}, {0.2, 1.7}};
  b.velocity = {{1.0, 0.0}, {3.0, 4.0}};
  const Difference found = difference(a, 1, b, 5, domain);
  CHECK(std::abs(found.position_largest - 1.5) < 1e-15);
  CHECK(std::abs(found.position_rms - std::sqrt((0.01 + 2.25) / 2.0)) < 1e-15);
  CHECK(found.velocity_largest == 5.0);
  CHECK(found.velocity_mean == 2.5);
  CHECK(std::abs(found.velocity_rms - 5.0 / std::numbers::sqrt2) < 1e-15);
  CHECK(difference({}, 1, b, 5, domain).position_rms == 0.0);
}

TEST_CASE("before chaos, trajectories of elastic disks converge with the root of the stiffness") {
  const std::array<double, 4> stiffnesses = {1e4, 1e5, 1e6, 1e7};
  std::size_t runs = 0;
  const Limit found = limit(twins(three()), stiffnesses, 1, [&](const StiffnessRow&) { ++runs; });
  CHECK(runs == 4);
  CHECK(found.time >= 0.7);
  for (std::size_t k = 1; k < found.rows.size(); ++k) {
    CHECK(found.rows[k].errors[kPositionError] < found.rows[k - 1].errors[kPositionError]);
    CHECK(std::abs(found.rows[k].contact_time / found.rows[k - 1].contact_time - std::sqrt(0.1)) < 1e-12);
  }
  CHECK(found.rows.back().errors[kPositionError] < 1e-3);
  CHECK(found.errors[3] == "contacts");
  CHECK(found.rows.back().errors[3] == 0.0);
  for (const auto error : {kPositionError, kVelocityError}) {
    const auto exponent = slope(found, error);
    REQUIRE(exponent);
    CHECK(std::abs(*exponent + 0.5) < 0.02);
  }
}

TEST_CASE("with a dashpot the steps of a contact grow with the root of the stiffness, and trajectories converge") {
  Scene scene = three();
  scene.materials[0].restitution = 0.8;
  const std::array<double, 3> stiffnesses = {1e4, 1e5, 1e6};
  const Limit found = limit(twins(scene), stiffnesses, 1, [](const StiffnessRow&) {});
  CHECK(std::abs(found.rows[0].step / found.rows[2].step - 100.0) < 1e-9);
  const auto exponent = slope(found, kPositionError);
  REQUIRE(exponent);
  CHECK(std::abs(*exponent + 0.5) < 0.05);
}

TEST_CASE("a slope is that of the straight line through the logarithms") {
  Limit limit{.chance = {0.0, 0.0, 0.1}};
  for (const double stiffness : {1.0, 10.0, 100.0, 1000.0}) {
    limit.rows.push_back({.stiffness = stiffness, .errors = {3.0 / stiffness, 0.0, std::max(3.0 / stiffness, 0.1)}});
  }
  CHECK(std::abs(*slope(limit, 0) + 1.0) < 1e-14);
  CHECK_FALSE(slope(limit, 1));
  CHECK(std::abs(*slope(limit, 2) + 1.0) < 1e-14);  // without those that are chance
}

TEST_CASE(
    "the difference of a quantity is that of its mean, of its end, or the area between its curves, over the hard "
    "one's") {
  ComparedQuantity quantity{
      .name = {}, .title = {}, .x = {1.0, 2.0, 3.0}, .soft = {1.0, 2.0, 6.0}, .hard = {2.0, 2.0, 4.0}};
  quantity.compared = Compared::mean;
  CHECK(value(quantity, quantity.soft) == 3.0);
  CHECK(std::abs(difference(quantity, quantity.soft) - 1.0 / 8.0) < 1e-15);
  quantity.compared = Compared::last;
  CHECK(value(quantity, quantity.soft) == 6.0);
  CHECK(difference(quantity, quantity.soft) == 0.5);
  quantity.compared = Compared::curve;
  CHECK(std::abs(difference(quantity, quantity.soft) - 3.0 / 8.0) < 1e-15);
  CHECK(difference(quantity, quantity.hard) == 0.0);
  quantity.hard = {0.0, 0.0, 0.0};
  CHECK(std::isinf(difference(quantity, quantity.soft)));
  CHECK(difference({}, {}) == 0.0);
}

TEST_CASE("a gas has the pressure, the collision rate and the cooling of kinetic theory") {
  for (const auto& [eta, z] : {std::pair(0.1, 1.236144), std::pair(0.3, 2.06326), std::pair(0.5, 4.1063)}) {
    CHECK(std::abs(compressibility({.packing_fraction = eta, .narrowness = 1.0}) / z - 1.0) < 0.005);
  }
  ParticleState particles;  // one large disk, three small ones, in 2 m^2
  particles.id = {1, 2, 3, 4};
  particles.radius = {0.3, 0.1, 0.1, 0.1};
  particles.mass = {9.0, 1.0, 1.0, 1.0};
  particles.velocity = {{1.0, 0.0}, {1.0, 3.0}, {1.0, -3.0}, {1.0, 0.0}};
  const Gas gas = gas_of(particles, 2.0);
  CHECK(std::abs(gas.packing_fraction - 0.06 * std::numbers::pi) < 1e-15);
  CHECK(std::abs(gas.mean_diameter - 0.3) < 1e-15);
  CHECK(std::abs(gas.narrowness - 0.09 / 0.12) < 1e-15);
  CHECK(std::abs(gas.fluctuation_energy - 9.0) < 1e-14);
  CHECK(std::abs(gas.temperature - 3.0) < 1e-14);
  CHECK(std::abs(pressure(gas) - 4.5 * compressibility(gas)) < 1e-13);
  // dT/dt = -(1 - e^2) Gamma T / 2 of Haff's law, at the start
  const double loss = (cooled_energy(gas, 0.9, 0.0) - cooled_energy(gas, 0.9, 1e-6)) / 1e-6;
  CHECK(std::abs(loss / (0.5 * 0.19 * collision_rate(gas) * 9.0) - 1.0) < 1e-4);
  CHECK(collision_rate(gas_of({}, 2.0)) == 0.0);
}

TEST_CASE("the scene determines which quantities are compared") {
  const auto names = [](Scene scene) {
    scene.end = 0.3;
    const Twins both = twins(scene);
    std::string list;
    for (const ComparedQuantity& quantity : quantities(run(both, 1, kNobody), both.hard)) {
      list += quantity.name + (quantity.theory.empty() ? " " : "* ");
      CHECK(quantity.x.size() > 1);
      for (const auto* values : {&quantity.soft, &quantity.hard, &quantity.again}) {
        CHECK(values->size() == quantity.x.size());
        CHECK(std::ranges::all_of(*values, [](double value) { return std::isfinite(value); }));
      }
    }
    return list;
  };
  const std::string gas_names =
      "kinetic_energy contacts collision_rate pressure* mean_square_displacement radial_distribution "
      "velocity_distribution* ";
  CHECK(names(gas()) == gas_names);
  Scene scene = gas();
  scene.materials[0].restitution = 0.9;
  CHECK(names(scene) ==
        "kinetic_energy* contacts collision_rate pressure mean_square_displacement radial_distribution "
        "velocity_distribution* ");
  scene = gas();
  scene.domain.periodic = {false, false};
  scene.domain.reflecting = true;
  CHECK(names(scene) ==
        "kinetic_energy contacts collision_rate pressure* wall_pressure radial_distribution velocity_distribution* ");
  scene.gravity = {0.0, -1.0};
  CHECK(names(scene) == "kinetic_energy contacts collision_rate mean_height height_profile radial_distribution ");
  scene.measure = Measure{.from = 0.1, .region = {{0.0, 0.0}, {1.0, 1.0}}, .velocity_distribution = {{2.0, 10}}};
  CHECK(
      names(scene) ==
      "kinetic_energy contacts collision_rate mean_height height_profile radial_distribution velocity_distribution* ");
}

TEST_CASE("where disks leave, their number and the flow are compared") {
  Scene scene = three();
  scene.domain.periodic = {false, false};
  scene.end = 6.0;
  scene.output_every = 0.1;
  const Twins both = twins(scene);
  const Comparison found = run(both, 1, kNobody);
  CHECK(found.moments.back().hard.left == 3);
  CHECK(found.moments.back().soft.left == 3);
  CHECK(std::abs(found.moments.back().hard.mass_left - 3.0 * std::numbers::pi * 0.0025) < 1e-15);
  for (const ComparedQuantity& quantity : quantities(found, both.hard)) {
    if (quantity.name != "flow_rate") continue;
    const double duration = quantity.x.back() - quantity.x.front() + 0.1;
    CHECK(std::abs(value(quantity, quantity.hard) * duration - 3.0) < 0.01);  // a frame is a step late at most
    CHECK(value(quantity, quantity.soft) > 0.0);
    return;
  }
  FAIL("no flow rate");
}

TEST_CASE("two copies that differ by 1e-12 give the time scale of chaos") {
  const Comparison found = run(twins(gas()), 1, kNobody);
  CHECK(found.moments.front().chaos.velocity_largest > 0.0);
  CHECK(found.moments.front().chaos.velocity_largest < 2.0 * kNudge);
  CHECK(found.moments.front().chaos.position_largest == 0.0);
  const auto time = chaos_time(found);
  REQUIRE(time);
  const double grown = found.moments.back().chaos.position_rms / found.moments[1].chaos.position_rms;
  CHECK(grown > 100.0);
  CHECK(*time > 0.3 * 0.9 / std::log(grown));
  CHECK(*time < 3.0 * 0.9 / std::log(grown));
}

TEST_CASE(
    "at high stiffness both modes rebound with the same normal velocity, and with the same tangential one when they "
    "slide") {
  for (const double e : {1.0, 0.9, 0.5}) {
    for (const double friction : {0.0, 0.1}) {
      for (const double slip : {0.0, 0.9, 1.5, 3.0}) {
        for (const double spin : {-4.0, 0.0, 4.0}) {
          CAPTURE(e);
          CAPTURE(friction);
          CAPTURE(slip);
          CAPTURE(spin);
          const double tangential = slip - 0.1 * spin;
          const Rebounds found = rebounds(impact(slip, spin, stiff(e, friction)));
          const double speed = std::hypot(1.0, tangential);
          CHECK(std::abs(found.hard.normal - e) < 0.01);
          CHECK(std::abs(found.soft.normal - found.hard.normal) < 0.01 * speed);
          // In gross slip: 3 mu (1 + e) is less than the slip, with a margin for how springs load and unload.
          if (friction > 0.0 && std::abs(tangential) < 7.0 * friction * (1.0 + e)) continue;
          CHECK(std::abs(found.soft.tangential - found.hard.tangential) < 0.01 * speed);
        }
      }
    }
  }
}

TEST_CASE("a contact that sticks throughout has the tangential restitution of the springs") {
  for (const double e : {1.0, 0.9, 0.6}) {
    for (const double ratio : {0.1, kTangentialRatio, 1.0}) {
      CAPTURE(e);
      CAPTURE(ratio);
      Material material = stiff(e, 1e6);
      material.tangential_stiffness = ratio;
      const double beta = sticking_restitution(material);
      Scene scene = impact(0.01, 0.0, material);
      scene.step = 2e-8;
      const Rebounds found = rebounds(scene);
      CHECK(std::abs(found.hard.tangential / 0.01 + beta) < 1e-3);
      CHECK(std::abs(found.soft.tangential / 0.01 + beta) < 0.02);
    }
  }
  Material springs_only = stiff(1.0, 1.0);
  springs_only.tangential_stiffness = 1.0 / 3.0;  // both springs have the same period
  CHECK(std::abs(sticking_restitution(springs_only) - 1.0) < 1e-12);
}

TEST_CASE("a tangential restitution that the scene gives is the hard twin's") {
  Scene scene = gas();
  scene.materials[0].friction = 0.3;
  scene.materials[0].tangential_restitution = 0.4;
  CHECK(twins(scene).hard.pairs.at(0).mixed.tangential_restitution == 0.4);
}

TEST_CASE("masses and sizes of single disks are kept, and the hard twin's contact duration is the soft one's time") {
  Scene scene = three();
  auto& disks = std::get<Place>(scene.particles[0].how);
  disks[0].mass = 0.002;
  disks[1].size = 0.15;
  const Twins both = twins(scene);
  run(both, 1, [&](const Moment&, const State& soft, const State& hard) {
    CHECK(soft.particles.mass[0] == 0.002);
    CHECK(std::abs(hard.particles.radius[1] - 0.075) < 1e-15);
    CHECK(soft.particles.mass == hard.particles.mass);
  });
  CHECK(both.hard.contact_duration == contact_time(both));
  const Twins stiffer = with_stiffness(both, 4e4);
  CHECK(stiffer.soft.materials[0].stiffness == 4e4);
  CHECK(std::abs(stiffer.hard.contact_duration / both.hard.contact_duration - 0.5) < 1e-15);
}

TEST_CASE("a contact duration that the scene gives is the hard twin's, with any stiffness") {
  Scene scene = three();
  scene.contact_duration = 1e-6;
  const Twins both = twins(scene);
  CHECK(both.hard.contact_duration == 1e-6);
  CHECK(with_stiffness(both, 4e4).hard.contact_duration == 1e-6);
}

TEST_CASE("a feature that one of the modes does not have is refused with its key") {
  const auto key_of = [](const Scene& scene) {
    try {
      twins(scene);
    } catch (const InvalidScene& error) {
      return error.key;
    }
    return std::string("nothing");
  };
  CHECK(key_of(gas()) == "nothing");
  Scene scene = gas();
  scene.particles[0].shape = RegularPolygon{};
  CHECK(key_of(scene) == "particles[0].shape");
  scene = gas();
  scene.particles[0].how = Pour{.count = 1, .rate = 1.0, .region = {}};
  CHECK(key_of(scene) == "particles[0].pour");
  scene = gas();
  scene.materials[0].cohesion = 1.0;
  CHECK(key_of(scene) == "materials.ball.cohesion");
  scene = gas();
  scene.materials[0].rolling_friction = 0.1;
  CHECK(key_of(scene) == "materials.ball.rolling_friction");
  scene = gas();
  scene.reverse = 0.5;
  CHECK(key_of(scene) == "time.reverse");
  scene = gas();
  scene.disk_law = "hertz";
  CHECK(key_of(scene) == "contact.disks");
  scene = gas();
  scene.particles.clear();
  CHECK(key_of(scene) == "particles");
  scene = gas();
  scene.pairs = {{0, 0, scene.materials[0]}};
  CHECK(key_of(scene) == "nothing");
  scene.pairs[0].mixed.restitution_law = RestitutionLaw::bizon;
  CHECK(key_of(scene) == "contact.pairs[0].restitution_law");
  scene.materials[0].restitution_law = RestitutionLaw::viscoelastic;
  CHECK(key_of(scene) == "materials.ball.restitution_law");
}
