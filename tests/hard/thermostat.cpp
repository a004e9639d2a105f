#include "dem/thermostat.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/scene/scene_setup.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/scene.hpp"
#include "dem/state.hpp"
#include "tests/hard/refusals.hpp"
#include "tests/sanitized.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::thermostat_test {

using namespace scree::hard;
using test::state_hash;

namespace {

constexpr double kEnd = test::kSanitized ? 0.2 : 1.0;  // s
constexpr std::array<bool, 2> kBoth = {true, true};
constexpr std::array<bool, 2> kNone = {false, false};

/// Of two masses, in no order of their ids, that fly to the right and turn.
ParticleState grains(std::size_t count) {
  ParticleState all;
  for (std::size_t k = 0; k < count; ++k) {
    all.id.push_back(1 + (k * 7919) % count);
    all.mass.push_back(k % 2 == 0 ? 1.0 : 4.0);
    all.inertia.push_back(0.5 * all.mass.back());
    all.velocity.emplace_back(3.0 + std::sin(static_cast<double>(k)), std::cos(1.7 * static_cast<double>(k)));
    all.angular_velocity.push_back(std::sin(0.3 * static_cast<double>(k)));
  }
  return all;
}

double distance(const Motion& a, const Motion& b) {
  return (a - b).matrix().norm();
}

Vec2 momentum(const ParticleState& all, const std::vector<Motion>& velocity) {
  Vec2 sum = Vec2::Zero();
  for (std::size_t k = 0; k < all.size(); ++k) sum += all.mass[k] * linear(velocity[k]);
  return sum;
}
Vec2 momentum(const ParticleState& all) {
  Vec2 sum = Vec2::Zero();
  for (std::size_t k = 0; k < all.size(); ++k) sum += all.mass[k] * all.velocity[k];
  return sum;
}

/// Mean of m (v - mean)^2 / 2, and of I w^2, of the grains of a mass.
std::array<double, 2> temperatures(const ParticleState& all, const std::vector<Motion>& velocity, const Vec2& mean,
                                   double mass) {
  double moving = 0.0;
  double turning = 0.0;
  double count = 0.0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all.mass[k] != mass) continue;
    moving += 0.5 * mass * (linear(velocity[k]) - mean).squaredNorm();
    turning += all.inertia[k] * velocity[k].z() * velocity[k].z();
    count += 1.0;
  }
  return {moving / count, turning / count};
}

const Thermostat kKicks{.kind = Thermostat::Kind::kicks, .every = 0.01, .strength = 20.0};
const Thermostat kLangevin{
    .kind = Thermostat::Kind::langevin, .every = 0.1, .temperature = 2.0, .rate = 3.0, .turns = true};
const Thermostat kRescaling{.kind = Thermostat::Kind::rescaling, .every = 0.1, .temperature = 2.0, .turns = true};

/// An inelastic gas, 400 disks, 2000 collisions or so.
Scene gas(const Thermostat& thermostat) {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{0.0, 0.0}, {1.0, 1.0}, {true, true}};
  scene.materials[0] = {.name = "rough", .density = 1.0, .restitution = 0.8, .friction = 0.2};
  scene.particles = {{.how = Fill{.region = {{0.0, 0.0}, {1.0, 1.0}}, .count = 400, .jitter = 1.0},
                      .material = 0,
                      .shape = scree::Disk{},
                      .size = {0.02, 0.03}}};
  scene.thermostat = thermostat;
  scene.end = 1.0;
  return scene;
}

}  // namespace

TEST_CASE("a thermostat keeps the net momentum along periodic axes, and gives each grain what its id says") {
  const ParticleState all = grains(200);
  ParticleState reversed;
  for (std::size_t k = all.size(); k-- > 0;) {
    reversed.id.push_back(all.id[k]);
    reversed.mass.push_back(all.mass[k]);
    reversed.inertia.push_back(all.inertia[k]);
    reversed.velocity.push_back(all.velocity[k]);
    reversed.angular_velocity.push_back(all.angular_velocity[k]);
  }
  for (const Thermostat& thermostat : {kKicks, kLangevin, kRescaling}) {
    CAPTURE(static_cast<int>(thermostat.kind));
    const std::vector<Motion> then = thermalised(thermostat, all, kBoth, 1, 1);
    CHECK((momentum(all, then) - momentum(all)).norm() < 1e-10 * momentum(all).norm());
    CHECK((momentum(all, thermalised(thermostat, all, kNone, 1, 1)) - momentum(all)).norm() > 1.0);
    const std::vector<Motion> other = thermalised(thermostat, reversed, kBoth, 1, 1);
    for (std::size_t k = 0; k < all.size(); ++k) {
      CHECK(distance(then[k], other[all.size() - 1 - k]) <
            1e-12 * distance(then[k], Motion::Zero()));  // but for the sums' rounding
    }
    if (thermostat.kind == Thermostat::Kind::rescaling) continue;
    CHECK(distance(thermalised(thermostat, all, kBoth, 1, 2)[0], then[0]) > 0.0);
    CHECK(distance(thermalised(thermostat, all, kBoth, 2, 1)[0], then[0]) > 0.0);
  }
}

TEST_CASE("rescaling gives the temperature to the last digits, and nothing to what is at rest") {
  const ParticleState all = grains(300);
  const std::vector<Motion> then = thermalised(kRescaling, all, kBoth, 1, 1);
  double moving = 0.0;
  double turning = 0.0;
  double mass = 0.0;
  for (const double one : all.mass) mass += one;
  const Vec2 mean = momentum(all) / mass;
  for (const double one : {1.0, 4.0}) {
    const auto [moves, turns] = temperatures(all, then, mean, one);
    moving += 0.5 * moves;
    turning += 0.5 * turns;
  }
  CHECK(moving == doctest::Approx(2.0).epsilon(1e-12));
  CHECK(turning == doctest::Approx(2.0).epsilon(1e-12));
  ParticleState still = grains(3);
  for (std::size_t k = 0; k < 3; ++k) still.velocity[k] = Vec2(1.0, 2.0), still.angular_velocity[k] = 0.0;
  for (const Motion& one : thermalised(kRescaling, still, kBoth, 1, 1))
    CHECK(distance(one, Motion(1.0, 2.0, 0.0)) == 0.0);
  CHECK(thermalised(kRescaling, {}, kBoth, 1, 1).empty());
}

TEST_CASE("kicks have their variance, whatever the mass; Langevin's have that of the temperature, and friction") {
  const ParticleState all = grains(20000 / test::kFewer);
  const double error = 5.0 / std::sqrt(static_cast<double>(all.size()));
  ParticleState still = all;
  for (std::size_t k = 0; k < all.size(); ++k) still.velocity[k].setZero(), still.angular_velocity[k] = 0.0;
  const double kept = std::exp(-0.3);
  for (const double mass : {1.0, 4.0}) {
    CAPTURE(mass);
    const auto [kicked, turned] = temperatures(all, thermalised(kKicks, still, kBoth, 1, 1), Vec2::Zero(), mass);
    CHECK(kicked == doctest::Approx(mass * 20.0 * 0.01).epsilon(error));
    CHECK(turned == 0.0);
    for (const double common : {0.0, 5.0}) {
      for (Vec2& velocity : still.velocity) velocity = Vec2(common, 0.0);
      const auto [moves, turns] =
          temperatures(all, thermalised(kLangevin, still, kBoth, 1, 1), Vec2(common, 0.0), mass);
      CHECK(moves == doctest::Approx(2.0 * (1.0 - kept * kept)).epsilon(error));
      CHECK(turns == doctest::Approx(2.0 * (1.0 - kept * kept)).epsilon(2.0 * error));
    }
    for (Vec2& velocity : still.velocity) velocity.setZero();
  }
  // Friction alone, towards the common velocity.
  Thermostat cold = kLangevin;
  cold.temperature = 1e-30;
  const std::vector<Motion> slower = thermalised(cold, all, kNone, 1, 1);
  for (std::size_t k = 0; k < 10; ++k) {
    CHECK((linear(slower[k]) - kept * all.velocity[k]).norm() < 1e-12);
    CHECK(slower[k].z() == doctest::Approx(kept * all.angular_velocity[k]).epsilon(1e-12));
  }
}

TEST_CASE("the turns of a thermostat are from + every, from + 2 every ..., until the end") {
  Thermostat some = kKicks;
  some.every = 0.5;
  some.from = 1.0;
  some.until = 2.0;
  CHECK(time_of(some, 1) == 1.5);
  CHECK(time_of(some, 2) == 2.0);
  CHECK(std::isinf(time_of(some, 3)));
}

TEST_CASE("a thermostated gas has the same bits in pieces, after saving, with any broadphase and on several threads") {
  std::vector<Scene> scenes;
  for (const Thermostat& thermostat : {kKicks, kLangevin, kRescaling}) scenes.push_back(gas(thermostat));
  scenes.push_back(gas(kKicks));
  scenes.back().thermostat.reset();
  scenes.back().domain.periodic = {false, true};
  scenes.back().domain.reflecting = true;
  scenes.back().domain.side_temperature = {1e-4, 4e-4, 0.0, 0.0};
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    CAPTURE(k);
    const Scene& scene = scenes[k];
    SceneSimulation whole(scene);
    whole.advance_to(kEnd);
    whole.audit();
    const auto expected = state_hash(whole);
    CHECK(whole.counters().collisions > 500 * kEnd);

    SceneSimulation in_pieces(scene);
    for (int piece = 1; piece <= 40; ++piece) {  // some of them end at turns
      in_pieces.advance_to(kEnd * piece / 40.0);
      (void)in_pieces.state();
    }
    CHECK((state_hash(in_pieces) == expected));

    SceneSimulation first(scene);
    first.advance_to(0.5 * kEnd);  // at a turn
    std::stringstream saved;
    first.save(saved);
    SceneSimulation second(scene, {}, 1, MadeFor::load);
    second.load(saved);
    second.advance_to(0.731 * kEnd, 137);  // ends within
    second.advance_to(kEnd);
    CHECK((state_hash(second) == expected));

    SceneSimulation sorted(scene, BroadphaseKind::sort_and_update);
    sorted.advance_to(kEnd);
    CHECK((state_hash(sorted) == expected));

    SceneSimulation threaded(scene, {}, 3);
    threaded.advance_to(kEnd);
    CHECK((state_hash(threaded) == expected));

    const Summary summary = whole.summary();  // what a thermostat gives counts as energy that comes in
    CHECK(std::abs(summary.energy_residual) < 1e-12);
  }
}

TEST_CASE("what cannot be beside a thermostat is refused by its key") {
  const auto refused = [](const char* key, const std::function<void(Scene&)>& spoil) {
    test::check_refused(gas(kKicks), key, spoil);
  };
  CHECK_NOTHROW((void)setup_from(gas(kKicks)));
  refused("arithmetic", [](Scene& s) {
    s.materials[0] = {.name = "smooth", .density = 1.0, .restitution = 1.0};
    s.hard.arithmetic = Arithmetic::exact;
  });
  refused("domain.cell", [](Scene& s) { s.domain.cell = CellDrive{}; });
  refused("time.reverse", [](Scene& s) { s.hard.reverse = 0.5; });
  refused("thermostat.every", [](Scene& s) { s.thermostat->every = 0.9e-9; });
  refused("measure.free_flights", [](Scene& s) { s.measure.emplace().free_flights = true; });
  refused("growth", [](Scene& s) {
    s.materials[0] = {.name = "smooth", .density = 1.0, .restitution = 1.0};
    s.hard.growth.rate = 1.0;
  });
}

}  // namespace scree::thermostat_test
