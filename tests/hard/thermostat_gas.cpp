#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <doctest/doctest.h>

#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "tests/hard/cells.hpp"
#include "tests/scenes.hpp"

/// Gases that a thermostat feeds, beside the kinetic theory of inelastic disks.
namespace scree::thermostat_gas_test {

using namespace scree::hard;

namespace {

constexpr double kDiameter = 0.01;  // m
constexpr double kArea = 0.25 * std::numbers::pi * kDiameter * kDiameter;
constexpr double kMass = kArea;  // 1 kg/m^2

/// Smooth disks in a periodic square.
Scene gas(std::uint64_t count, double packing_fraction, double restitution, const Thermostat& thermostat) {
  const double side = std::sqrt(static_cast<double>(count) * kArea / packing_fraction);
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{0.0, 0.0}, {side, side}, {true, true}};
  scene.materials[0] = {.name = "smooth", .density = 1.0, .restitution = restitution};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {side, side}}, .count = count, .jitter = 0.1},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {kDiameter, kDiameter}}};
  scene.thermostat = thermostat;
  scene.end = 1e3;
  return scene;
}

/// Collisions of a disk a second by Enskog's theory. @param temperature k T [J]
double collision_rate(double packing_fraction, double temperature) {
  const double density = packing_fraction / kArea;
  return 2.0 * density * kDiameter * test::Enskog(packing_fraction).contact_value *
         std::sqrt(std::numbers::pi * temperature / kMass);
}

struct Moments {
  double temperature;  // k T [J]
  double excess;       // a_2 = <c^4> / (2 <c^2>^2) - 1
  double error;        // of a_2, by ten parts of the run
};

/// @param collisions of a disk between two samples, and before the first fifty times as many
Moments steady_state(const Scene& scene, int samples, double collisions, double expected_temperature) {
  SceneSimulation simulation(scene);
  const auto disks = static_cast<double>(simulation.particles());
  const double packing_fraction = kArea * disks / (scene.domain.hi - scene.domain.lo).prod();
  const double interval = collisions / collision_rate(packing_fraction, expected_temperature);
  double time = 50.0 * interval;
  double all_squares = 0.0;
  double all_fourths = 0.0;
  double count = 0.0;
  constexpr int kParts = 10;
  double sum = 0.0;
  double sum_of_squares = 0.0;
  for (int part = 0; part < kParts; ++part) {
    double squares = 0.0;
    double fourths = 0.0;
    double here = 0.0;
    for (int k = 0; k < samples / kParts; ++k, time += interval) {
      simulation.advance_to(time);
      const State state = simulation.state();
      Vec2 mean = Vec2::Zero();
      for (const Vec2& velocity : state.particles.velocity) mean += velocity / disks;
      double square_here = 0.0;
      double fourth_here = 0.0;
      for (const Vec2& velocity : state.particles.velocity) {
        const double square = (velocity - mean).squaredNorm();
        square_here += square;
        fourth_here += square * square;
      }
      squares += square_here;
      fourths += fourth_here;
      here += disks;
    }
    const double excess = fourths / here / (2.0 * (squares / here) * (squares / here)) - 1.0;
    sum += excess;
    sum_of_squares += excess * excess;
    all_squares += squares;
    all_fourths += fourths;
    count += here;
  }
  const double mean = sum / kParts;
  const double variance = (sum_of_squares / kParts - mean * mean) / (kParts - 1);
  const double square = all_squares / count;
  return {0.5 * kMass * square, all_fourths / count / (2.0 * square * square) - 1.0, std::sqrt(variance)};
}

}  // namespace

TEST_CASE("kicks and collisions balance at the temperature of Enskog's theory, with the theory's fourth moment") {
  // So dilute, and so few, that neighbours do not come to move together (examples/driven_gas.yaml).
  constexpr double kPackingFraction = 0.02;
  constexpr double kTemperature = kMass * 0.01;  // speeds of some 0.1 m/s along an axis
  for (const double e : {0.9, 0.5}) {
    CAPTURE(e);
    // A disk gains m s in a second, and loses (1 - e^2) k T in every second of its collisions.
    const double rate = collision_rate(kPackingFraction, kTemperature);
    const double strength = 0.5 * rate * (1.0 - e * e) * kTemperature / kMass;
    const Thermostat kicks{.kind = Thermostat::Kind::kicks, .every = 0.2 / rate, .strength = strength};
    Scene scene = gas(196, kPackingFraction, e, kicks);
    scene.hard.contact_duration = 1e-4 / rate;                            // at 0.5 a few disks collapse now and then
    const Moments found = steady_state(scene, 1200, 2.07, kTemperature);  // at any moment between kicks
    // T. P. C. van Noije & M. H. Ernst, Granular Matter 1 (1998) 57, Eq. (38), for two dimensions.
    const double excess = 16.0 * (1.0 - e) * (1.0 - 2.0 * e * e) / (185.0 - 153.0 * e + 30.0 * (1.0 - e) * e * e);
    CHECK(found.error < 0.004);
    CHECK(std::abs(found.excess - excess) < 0.01);
    CHECK(found.temperature == doctest::Approx(kTemperature).epsilon(0.02));
  }
}

TEST_CASE("Langevin's thermostat holds an elastic gas at its temperature, and heats what was cold") {
  constexpr double kTemperature = kMass * 0.04;
  const double rate = collision_rate(0.2, kTemperature);
  const Thermostat bath{
      .kind = Thermostat::Kind::langevin, .every = 0.5 / rate, .temperature = kTemperature, .rate = 0.5 * rate};
  const Moments found = steady_state(gas(400, 0.2, 1.0, bath), 600, 2.0, kTemperature);
  CHECK(found.temperature == doctest::Approx(kTemperature).epsilon(0.01));
  CHECK(std::abs(found.excess) < 4.0 * found.error);
}

TEST_CASE("thermal sides bring a gas to their temperature, and let disks out as its flux does") {
  constexpr double kTemperature = kMass * 0.04;
  Scene scene = gas(400, 0.1, 1.0, {});
  scene.thermostat.reset();
  scene.domain.periodic = {false, true};
  scene.domain.reflecting = true;
  scene.domain.side_temperature = {kTemperature, kTemperature, 0.0, 0.0};
  const Moments found = steady_state(scene, 600, 6.0, kTemperature);
  CHECK(found.temperature == doctest::Approx(kTemperature).epsilon(0.03));
  CHECK(std::abs(found.excess) < 4.0 * found.error);
}

TEST_CASE("thermal sides bring polygons to their temperature, in translation and rotation") {
  constexpr double kTemperature = kMass * 0.04;
  Scene scene = gas(100, 0.1, 1.0, {});
  scene.thermostat.reset();
  scene.particles[0].shape = RegularPolygon{3};
  scene.domain.periodic = {false, true};
  scene.domain.reflecting = true;
  scene.domain.side_temperature = {kTemperature, kTemperature, 0.0, 0.0};
  SceneSimulation simulation(scene);
  const double interval = 3.0 / collision_rate(0.1, kTemperature);
  double moving = 0.0;
  double turning = 0.0;
  constexpr int kSamples = test::kSanitized ? 60 : 600;
  for (int k = -40; k < kSamples; ++k) {
    simulation.advance_to((k + 41) * interval);
    if (k < 0) continue;
    const ParticleState grains = simulation.state().particles;
    for (std::size_t i = 0; i < grains.size(); ++i) {
      const double share = 1.0 / (kSamples * static_cast<double>(grains.size()));
      moving += 0.5 * share * grains.mass[i] * grains.velocity[i].squaredNorm();
      turning += share * grains.inertia[i] * grains.angular_velocity[i] * grains.angular_velocity[i];
    }
  }
  CHECK(moving == doctest::Approx(kTemperature).epsilon(test::kSanitized ? 0.2 : 0.04));
  CHECK(turning == doctest::Approx(kTemperature).epsilon(test::kSanitized ? 0.2 : 0.04));
  const Summary summary = simulation.summary();
  CHECK(std::abs(summary.energy_residual) < 1e-9);
}

TEST_CASE("rescaling holds an inelastic gas at its temperature") {
  constexpr double kTemperature = kMass * 0.01;
  const double rate = collision_rate(0.2, kTemperature);
  const Thermostat rescaling{.kind = Thermostat::Kind::rescaling, .every = 0.05 / rate, .temperature = kTemperature};
  const Moments found = steady_state(gas(400, 0.2, 0.95, rescaling), 100, 1.0, kTemperature);
  CHECK(found.temperature == doctest::Approx(kTemperature).epsilon(0.005));
}

}  // namespace scree::thermostat_gas_test
