#include <cmath>
#include <sstream>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

/// A thermostat in the soft mode. What it makes of velocities is tested in tests/hard/thermostat.cpp.
namespace scree::soft_thermostat_test {

using soft::Simulation;

namespace {

constexpr double kSize = 0.01;         // m
constexpr double kTemperature = 1e-6;  // J

/// Disks and squares in a periodic square, smooth and elastic or nearly so.
Scene gas(const Thermostat& thermostat, double restitution, std::uint64_t count = 200) {
  const double side = kSize * std::sqrt(static_cast<double>(count) / 0.3);
  Scene scene = test::empty_scene();
  scene.domain = {{0.0, 0.0}, {side, side}, {true, true}};
  scene.gravity.setZero();
  scene.materials[0] = {.name = "smooth", .density = 1.0, .stiffness = 1e2, .restitution = restitution};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {side, 0.5 * side}}, .count = count / 2, .jitter = 0.01},
                      .material = 0,
                      .shape = Disk{},
                      .size = {kSize, kSize}},
                     {.how = Fill{.region = {{0.0, 0.5 * side}, {side, side}}, .count = count / 2, .jitter = 0.01},
                      .material = 0,
                      .shape = RegularPolygon{4},
                      .size = {kSize, kSize}}};
  scene.thermostat = thermostat;
  scene.end = 100.0;
  return scene;
}

Thermostat bath() {
  return {.kind = Thermostat::Kind::langevin, .every = 2e-3, .temperature = kTemperature, .rate = 5.0, .turns = true};
}

Vec2 momentum(const State& state) {
  Vec2 sum = Vec2::Zero();
  for (std::size_t i = 0; i < state.particles.size(); ++i) sum += state.particles.mass[i] * state.particles.velocity[i];
  return sum;
}

}  // namespace

TEST_CASE("Langevin's kicks bring elastic grains to a temperature, in translation and rotation" *
          doctest::skip(test::kSanitized)) {
  Simulation simulation(gas(bath(), 1.0), {.threads = 1});
  double moving = 0.0;
  double turning = 0.0;
  constexpr int kSamples = 60;
  for (int k = 0; k < kSamples; ++k) {
    simulation.advance_to(0.8 + 0.1 * k);
    const ParticleState grains = simulation.state().particles;
    const double share = 1.0 / (kSamples * static_cast<double>(grains.size()));
    for (std::size_t i = 0; i < grains.size(); ++i) {
      moving += 0.5 * share * grains.mass[i] * grains.velocity[i].squaredNorm();
      turning += share * grains.inertia[i] * grains.angular_velocity[i] * grains.angular_velocity[i];
    }
  }
  CHECK(moving == doctest::Approx(kTemperature).epsilon(0.04));
  CHECK(turning == doctest::Approx(kTemperature).epsilon(0.06));
}

TEST_CASE("kicks keep the momentum, feed what collisions lose, and their energy is booked") {
  const Thermostat kicks{.kind = Thermostat::Kind::kicks, .every = 5e-3, .strength = 1e-2};
  Simulation simulation(gas(kicks, 0.8), {.threads = 1});
  const Vec2 before = momentum(simulation.state());
  simulation.advance_to(0.5);
  const Summary summary = simulation.summary();
  CHECK((momentum(simulation.state()) - before).norm() < 1e-15);
  CHECK(summary.kinetic_energy > 1e-6);
  CHECK(summary.energy_in > summary.kinetic_energy);
  CHECK(summary.dissipated_damping > 0.0);
  CHECK(std::abs(summary.energy_residual) < 1e-3);
}

TEST_CASE("with a thermostat a run has the same bits in pieces, after saving and on several threads") {
  const Scene scene = gas(bath(), 0.9, 400);
  Simulation whole(scene, {.threads = 1});
  whole.advance_to(0.1);
  Simulation pieces(scene, {.threads = 3});
  for (int k = 1; k <= 7; ++k) pieces.advance_to(0.1 * k / 7);
  CHECK(test::state_hash(pieces) == test::state_hash(whole));
  Simulation first(scene, {.threads = 2});
  first.advance_to(0.0371);
  std::stringstream saved;
  first.save(saved);
  Simulation resumed(scene, {.threads = 1});
  resumed.load(saved);
  resumed.advance_to(0.1);
  CHECK(test::state_hash(resumed) == test::state_hash(whole));
}

TEST_CASE("what a thermostat does not allow is refused by key") {
  const auto key_refused = [](const Thermostat& thermostat, auto change) -> std::string {
    Scene scene = gas(thermostat, 1.0, 4);
    change(scene);
    try {
      Simulation simulation(scene, {.threads = 1});
    } catch (const InvalidScene& error) {
      return error.key;
    }
    return "";
  };
  CHECK(key_refused(bath(), [](Scene&) {}) == "");
  CHECK(key_refused(bath(), [](Scene& s) {
          s.thermostat->every = 1e-9;
          s.end = 0.1;
        }) == "thermostat.every");
  CHECK(key_refused(bath(), [](Scene& s) { s.end = 3e6; }) == "thermostat.every");
  CHECK(key_refused(bath(), [](Scene& s) { s.domain.cell = CellDrive{.xy = {.rate = 1.0}}; }) == "domain.cell");
}

}  // namespace scree::soft_thermostat_test
