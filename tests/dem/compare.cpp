#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "dem/compare/comparison.hpp"
#include "dem/compare/ensemble.hpp"
#include "dem/compare/gas_theory.hpp"
#include "dem/compare/quantities.hpp"
#include "dem/compare/stiffness_limit.hpp"
#include "dem/errors.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/soft/simulation.hpp"

namespace scree::compare_test {

namespace {

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

/// Its own runs, with as few in hard mode as there can be: for tests that look at the first ones only.
Ensemble few(const Scene& scene) {
  Ensemble runs = ensemble(scene, 1);
  runs.twins.resize(2);
  return runs;
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
  run(few(scene), 1, [&](const Moment&, const State& soft, const State& hard) {
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
    run(few(scene), 1, [&](const Moment& moment, const State& soft, const State& hard) {
      if (looked++ > 0) return;
      CHECK(moment.between.at(0).position_largest == 0.0);
      CHECK(moment.between.at(0).velocity_largest == 0.0);
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
  const Limit found = limit(few(three()), stiffnesses, 1, [&](const StiffnessRow&) { ++runs; });
  CHECK(runs == 4);
  CHECK(found.time >= 0.7);
  for (std::size_t k = 1; k < found.rows.size(); ++k) {
    CHECK(found.rows[k].errors[kPositionError].value < found.rows[k - 1].errors[kPositionError].value);
    CHECK(std::abs(found.rows[k].contact_time / found.rows[k - 1].contact_time - std::sqrt(0.1)) < 1e-12);
  }
  CHECK(found.rows.back().errors[kPositionError].value < 1e-3);
  CHECK(found.errors[3] == "contacts");
  CHECK(found.rows.back().errors[3].value == 0.0);
  for (const auto error : {kPositionError, kVelocityError}) {
    const auto exponent = slope(found, error);
    REQUIRE(exponent);
    CHECK(std::abs(exponent->value + 0.5) < 0.02);
    CHECK(std::abs(exponent->value + 0.5) < 4.0 * exponent->error);
    CHECK(exponent->error < 0.02);
    CHECK(exponent->points == 4);
  }
}

TEST_CASE("with a dashpot the steps of a contact grow with the root of the stiffness, and trajectories converge") {
  Scene scene = three();
  scene.materials[0].restitution = 0.8;
  const std::array<double, 3> stiffnesses = {1e4, 1e5, 1e6};
  const Limit found = limit(few(scene), stiffnesses, 1, [](const StiffnessRow&) {});
  CHECK(std::abs(found.rows[0].step / found.rows[2].step - 100.0) < 1e-9);
  const auto exponent = slope(found, kPositionError);
  REQUIRE(exponent);
  CHECK(std::abs(exponent->value + 0.5) < 0.05);
}

TEST_CASE("twins of polygons begin with the same grains, and outlines that are drawn are the same in both") {
  Scene scene = gas();
  scene.particles[0].shape = RandomPolygon{};
  std::get<Fill>(scene.particles[0].how).region = {{0.0, 0.0}, {1.0, 0.8}};
  scene.particles[0].size = {0.06, 0.1};
  scene.particles.push_back({.how = Place{{.position = {0.5, 0.9}, .angle = 0.3}},
                             .material = 0,
                             .shape = RegularPolygon{4},
                             .size = {0.03, 0.03}});
  scene.materials[0].restitution = 0.8;
  scene.materials[0].friction = 0.2;
  const Twins both = twins(scene);
  CHECK(both.hard.hard.contact_duration == contact_time(both));
  std::size_t seen = 0;
  run(few(scene), 1, [&](const Moment& moment, const State& soft, const State& hard) {
    if (seen++ > 0) return;
    CHECK(moment.between.at(0).position_largest == 0.0);
    CHECK(moment.between.at(0).velocity_largest == 0.0);
    CHECK(soft.particles.size() == hard.particles.size());
    CHECK(soft.particles.mass == hard.particles.mass);
    for (std::size_t i = 0; i < soft.particles.size(); ++i) {  // the soft mode keeps its inverse
      CHECK(soft.particles.inertia[i] == doctest::Approx(hard.particles.inertia[i]).epsilon(1e-15));
    }
    CHECK(soft.particles.angle == hard.particles.angle);
  });
  CHECK(seen == 11);
  const Ensemble runs = ensemble(scene, 1);
  CHECK(runs.reseeded);  // seeds draw outlines and angles
}

/// A square that flies with a corner ahead into the side of another one, off its centre.
Scene squares(double friction, double restitution) {
  Scene scene = gas();
  scene.materials[0].friction = friction;
  scene.materials[0].restitution = restitution;
  scene.particles = {{.how = Place{{.position = {0.3, 0.51}, .angle = 0.6, .velocity = {1.0, 0.0}},
                                   {.position = {0.6, 0.49}, .angle = 0.1, .velocity = {-0.5, 0.1}}},
                      .material = 0,
                      .shape = RegularPolygon{4},
                      .size = {0.15, 0.15}}};
  scene.hard.contact_duration = 1e-9;
  scene.end = 0.3;
  scene.output_every = 0.3;
  return scene;
}

TEST_CASE("an impact of a corner that is smooth and elastic converges with the cube root of the stiffness") {
  const std::array<double, 3> stiffnesses = {1e5, 1e6, 1e7};
  const Scene scene = squares(0.0, 1.0);
  const Limit found = limit(few(scene), stiffnesses, 1, [](const StiffnessRow&) {});
  // A corner has F = Y A / l with A >= depth^2 and l <= size: m v' = -K depth^2 lasts 2.81 (3 m / (2 K v))^(1/3). In
  // this time grains turn no faster than if all energy were rotation; by that angle the impulse's direction may be
  // wrong.
  const double size = 0.15;  // across corners
  const double approach = 1.4;
  const double reduced_mass = 0.25 * size * size;
  const double fastest_spin = approach * std::sqrt(0.5 / (size * size / 12.0));
  for (const StiffnessRow& row : found.rows) {
    CAPTURE(row.stiffness);
    const double lasts = 2.81 * std::cbrt(1.5 * reduced_mass * size / (row.stiffness * approach));
    CHECK(row.errors[kVelocityError].value < fastest_spin * lasts);
    CHECK(row.errors[kPositionError].value < (0.5 + fastest_spin * scene.end) * approach * lasts / size);
  }
  for (const auto error : {kPositionError, kVelocityError}) {
    const auto exponent = slope(found, error);
    REQUIRE(exponent);
    CHECK(std::abs(exponent->value + 1.0 / 3.0) < 0.05);
  }
}

TEST_CASE("an exponent is that of errors beyond chance, and none is fitted to two of them or to noise") {
  Limit limit{.errors = {"power law", "zero", "power law, then chance", "noise", "two points", "of a bed"}};
  limit.caveats = {"", "", "", "", "", "not comparable"};
  for (const double stiffness : {1.0, 10.0, 100.0, 1000.0}) {
    const double law = 3.0 / stiffness;
    limit.rows.push_back(
        {.stiffness = stiffness,
         .errors = {
             {law, {}, 0.0}, {0.0, {}, 0.0}, {std::max(law, 0.02), {}, 0.025}, {law, 0.1, 4.0}, {law, {}, 0.2}}});
  }
  const auto exact = slope(limit, 0);
  REQUIRE(exact);
  CHECK(std::abs(exact->value + 1.0) < 1e-14);
  CHECK(exact->error < 1e-14);
  CHECK(exact->points == 4);
  CHECK_FALSE(slope(limit, 1));
  const auto without_chance = slope(limit, 2);
  REQUIRE(without_chance);
  CHECK(std::abs(without_chance->value + 1.0) < 1e-14);
  CHECK(without_chance->points == 3);
  CHECK_FALSE(slope(limit, 3));
  CHECK_FALSE(slope(limit, 4));
  CHECK_FALSE(slope(limit, 5));
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

TEST_CASE("a mixture collides as often as its pairs do, each with its own distance and masses") {
  // Half of the disks are three times as large: the mean over the four pairs, by hand, at a packing fraction of 0.3.
  ParticleState particles;
  particles.id = {1, 2};
  particles.radius = {1.0, 3.0};
  particles.mass = {1.0, 9.0};
  const double eta = 0.3;
  const double alone = 1.0 / 0.7;
  const double equal = (1.0 - 7.0 * eta / 16.0) / 0.49;
  const double density = eta / (0.25 * std::numbers::pi * 20.0);  // number per area
  const auto rate = [&](double a, double b) {
    const double at_contact = alone + (equal - alone) * (4.0 * a * b / (a + b)) * 4.0 / 20.0;
    const double reduced = a * a * b * b / (a * a + b * b);  // mass
    return density * at_contact * 2.0 * (a + b) * std::sqrt(0.5 * std::numbers::pi / reduced);
  };
  const double expected = 0.25 * (rate(1, 1) + 2.0 * rate(1, 3) + rate(3, 3));
  Gas gas{
      .packing_fraction = eta, .mean_diameter = 4.0, .mean_mass = 5.0, .narrowness = 16.0 / 20.0, .temperature = 1.0};
  const double plain = collision_rate(gas);
  gas.mixture = mixture_factor(particles, eta);
  CHECK(std::abs(collision_rate(gas) / expected - 1.0) < 1e-12);
  CHECK(gas.mixture > 1.02);
  CHECK(std::abs(collision_rate(gas) / plain - gas.mixture) < 1e-14);
  particles.radius = particles.mass = {2.0, 2.0};
  CHECK(mixture_factor(particles, eta) == 1.0);
  particles.radius = {2.0, 2.0 * (1.0 + 1e-9)};
  CHECK(std::abs(mixture_factor(particles, eta) - 1.0) < 1e-8);
}

TEST_CASE("the scene determines which quantities are compared") {
  const auto names = [](Scene scene) {
    scene.end = 0.3;
    const Ensemble both = few(scene);
    std::string list;
    for (const ComparedQuantity& quantity : quantities(run(both, 1, kNobody), both.twins[0].hard)) {
      list += quantity.name + (quantity.theory_name.empty() ? " " : "* ");
      CHECK(quantity.caveat.empty() == (scene.gravity.isZero() || quantity.name.starts_with("mean_") ||
                                        quantity.name == "kinetic_energy" || !quantity.over_time()));
      CHECK(quantity.x.size() > 1);
      CHECK(quantity.soft.size() == 1);
      CHECK(quantity.hard.size() == 2);
      for (const auto* runs : {&quantity.soft, &quantity.hard}) {
        for (const Series& series : *runs) {
          CHECK(series.values.size() == quantity.x.size());
          CHECK(series.theory.size() == (quantity.theory_name.empty() ? 0 : quantity.x.size()));
          CHECK(std::ranges::all_of(series.values, [](double value) { return std::isfinite(value); }));
        }
      }
    }
    return list;
  };
  const std::string gas_names =
      "kinetic_energy contacts collision_rate* pressure* mean_square_displacement radial_distribution "
      "velocity_distribution* ";
  CHECK(names(gas()) == gas_names);
  Scene scene = gas();
  scene.materials[0].restitution = 0.9;
  CHECK(names(scene) ==
        "kinetic_energy* contacts collision_rate* pressure mean_square_displacement radial_distribution "
        "velocity_distribution* ");
  scene = gas();
  scene.domain.periodic = {false, false};
  scene.domain.reflecting = true;
  CHECK(names(scene) ==
        "kinetic_energy contacts collision_rate* pressure* wall_pressure radial_distribution velocity_distribution* ");
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
  const Ensemble both = few(scene);
  const Comparison found = run(both, 1, kNobody);
  CHECK(found.moments.back().hard[0].left == 3);
  CHECK(found.moments.back().soft[0].left == 3);
  CHECK(std::abs(found.moments.back().hard[0].mass_left - 3.0 * std::numbers::pi * 0.0025) < 1e-15);
  for (const ComparedQuantity& quantity : quantities(found, both.twins[0].hard)) {
    if (quantity.name != "flow_rate") continue;
    const double duration = quantity.x.back() - quantity.x.front() + 0.1;
    // A frame is a step late at most.
    CHECK(std::abs(value(quantity, quantity.hard[0].values) * duration - 3.0) < 0.01);
    CHECK(value(quantity, quantity.soft).value > 0.0);
    return;
  }
  FAIL("no flow rate");
}

TEST_CASE("two copies that differ by 1e-12 give the time scale of chaos") {
  const Comparison found = run(few(gas()), 1, kNobody);
  CHECK(found.moments.front().chaos.velocity_largest > 0.0);
  CHECK(found.moments.front().chaos.velocity_largest < 2.0 * kNudge);
  CHECK(found.moments.front().chaos.position_largest == 0.0);
  const auto growth = chaos(found);
  REQUIRE(growth);
  const double grown = found.moments.back().chaos.position_rms / found.moments[1].chaos.position_rms;
  CHECK(grown > 100.0);
  CHECK(growth->rate.value < 3.0 / (0.3 * 0.9) * std::log(grown));
  CHECK(growth->rate.value > std::log(grown) / (3.0 * 0.9));
  CHECK(growth->rate.error > 0.0);
  CHECK(growth->rate.points >= kChaosMoments);
}

TEST_CASE("the growth of chaos is fitted where disks collide, and to no fewer than four frames") {
  // Disks fly until 0.4, where the difference grows in proportion to time; collide until 1, where it grows as exp(20
  // t); and rest from then on.
  Comparison found;
  found.mean_diameter = 0.1;
  found.disks = 10;
  for (int k = 0; k <= 15; ++k) {
    const double t = 0.1 * k;
    const double apart = t < 0.45 ? 1e-12 * t : 4e-13 * std::exp(20.0 * (std::min(t, 1.0) - 0.4));
    const std::uint64_t contacts = t < 0.35 ? 0 : static_cast<std::uint64_t>(10 * std::min(k, 10));
    found.moments.push_back({.time = t,
                             .soft = {},
                             .hard = {Figures{.gas = {}, .contacts = contacts}},
                             .between = {},
                             .chaos = {.position_rms = apart},
                             .of_twins = {}});
  }
  const auto growth = chaos(found);
  REQUIRE(growth);
  CHECK(std::abs(growth->rate.value - 20.0) < 1e-9);
  CHECK(growth->rate.points == 6);  // the last is as large as the difference gets
  CHECK(std::abs(growth->from - 0.4) < 1e-12);
  CHECK(std::abs(growth->to - 0.9) < 1e-12);
  found.moments.resize(8);  // three that are no end of the growth are left
  CHECK_FALSE(chaos(found));
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
      scene.soft.step = 2e-8;
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
  run(few(scene), 1, [&](const Moment&, const State& soft, const State& hard) {
    CHECK(soft.particles.mass[0] == 0.002);
    CHECK(std::abs(hard.particles.radius[1] - 0.075) < 1e-15);
    CHECK(soft.particles.mass == hard.particles.mass);
  });
  CHECK(both.hard.hard.contact_duration == contact_time(both));
  const Twins stiffer = with_stiffness(both, 4e4);
  CHECK(stiffer.soft.materials[0].stiffness == 4e4);
  CHECK(std::abs(stiffer.hard.hard.contact_duration / both.hard.hard.contact_duration - 0.5) < 1e-15);
}

TEST_CASE("a contact duration that the scene gives is the hard twin's, with any stiffness") {
  Scene scene = three();
  scene.hard.contact_duration = 1e-6;
  const Twins both = twins(scene);
  CHECK(both.hard.hard.contact_duration == 1e-6);
  CHECK(with_stiffness(both, 4e4).hard.hard.contact_duration == 1e-6);
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
  CHECK(key_of(scene) == "nothing");
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
  scene.hard.reverse = 0.5;
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

}  // namespace scree::compare_test
