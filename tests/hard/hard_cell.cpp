#include <cmath>
#include <cstdint>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/hard/scene/scene_simulation.hpp"
#include "dem/hard/simulation.hpp"
#include "tests/hard/cells.hpp"
#include "tests/scenes.hpp"

namespace scree::hard_cell_test {

using namespace scree::hard;
using test::Enskog;
using test::impulse_of;
using test::refused_key;
using test::temperature;

namespace {

using Grid = test::GridSimulation;

Setup sheared(const test::GasRecipe& recipe, double rate, double restitution) {
  return test::deforming(recipe, {.xy = {.rate = rate}}, restitution);
}

Setup rough_gas(double margin = 0.0) {
  Setup setup = sheared({.columns = 10, .rows = 10, .packing_fraction = 0.6, .smallest = 0.7}, 0.8, 0.9);
  setup.rules.disks.friction = 0.3;
  setup.margin = margin;
  return setup;
}

Scene cell_scene() {
  Scene scene = test::empty_scene();
  scene.mode = Mode::hard;
  scene.domain = {{-0.5, -0.4}, {0.5, 0.4}, {true, true}};
  scene.domain.cell = CellDrive{.xy = {.rate = 2.0}};
  scene.materials[0].stiffness = 0.0;
  scene.particles = {test::placed(scree::Disk{}, 0.1, {{.position = {0.2, 0.3}, .velocity = {0.0, -1.9}}})};
  return scene;
}

}  // namespace

TEST_CASE("a disk alone flies straight, and comes back in another row of images at the flow's velocity there") {
  SceneSimulation simulation(cell_scene());
  double in_flow = 2.0 * 0.3;  // with the flow, at the start
  for (int k = 1; k <= 40; ++k) {
    const double t = 0.05 * k;
    simulation.advance_to(t);
    const State state = simulation.state();
    const int rows = static_cast<int>(std::floor((0.3 - 1.9 * t + 0.4) / 0.8));
    const Vec2 at(0.2 + in_flow * t - rows * 1.6 * t, 0.3 - 1.9 * t - rows * 0.8);
    CHECK(std::abs(std::remainder(state.particles.position[0].x() - at.x(), 1.0)) < 1e-12);
    CHECK(std::abs(state.particles.position[0].y() - at.y()) < 1e-12);
    CHECK(std::abs(state.particles.velocity[0].x() - (in_flow - 1.6 * rows)) < 1e-12);
    CHECK(state.particles.image[0][1] == rows);
    CHECK(std::abs(std::remainder(state.cell->tilt - 1.6 * t, 1.0)) < 1e-12);
    CHECK(std::abs(state.cell->tilt) <= 0.5 + 1e-12);
    CHECK(std::abs(state.cell->strain[2] - 2.0 * t) < 1e-12);
    CHECK(std::abs(simulation.summary().energy_residual) < 1e-12);
  }
  CHECK(simulation.state().cell->work > 0.0);
}

TEST_CASE("a sheared gas has the same bits with any broadphase that may have it, any queue, margin and output") {
  test::check_same_bits(rough_gas, {0.05, 0.5}, test::kSanitized ? 5.0 : 15.0, test::kSanitized ? 1000 : 3000);
}

TEST_CASE("a sheared gas that is saved and loaded goes on with the same bits") {
  test::check_goes_on(rough_gas(), 2.7, 5.0);
}

TEST_CASE("a velocity that all disks have in common is no stress: of a sheared cell, and one whose lengths change") {
  for (const CellDrive& drive :
       {CellDrive{.xy = {.rate = 0.3}}, CellDrive{.xx = {.rate = -0.05}, .yy = {.rate = 0.05}}}) {
    const test::GasRecipe recipe{.columns = 10, .rows = 10, .packing_fraction = 0.3};
    const Setup at_rest = test::deforming(recipe, drive, 0.9);
    Setup carried = at_rest;
    for (Vec2& velocity : carried.velocity) velocity += Vec2(3.0, 7.0);
    Grid one(at_rest);
    Grid other(carried);
    // Soon after, while rounding makes no difference, and on the way between two rebasings of the clock.
    for (const double time : {0.1, 0.35, 0.7}) {
      one.advance_to(time);
      other.advance_to(time);
      const State a = one.state();
      const State b = other.state();
      for (int k = 0; k < 4; ++k) CHECK(std::abs(a.cell->stress[k] - b.cell->stress[k]) < 1e-9);
      CHECK(std::abs(other.summary().energy_residual) < 1e-12);
    }
    CHECK(one.counters().collisions > 30);
    // Given later, too.
    std::vector<std::uint64_t> ids;
    std::vector<Motion> faster;
    const ParticleState disks = one.state().particles;
    for (std::size_t i = 0; i < disks.size(); ++i) {
      ids.push_back(disks.id[i]);
      faster.emplace_back(disks.velocity[i].x() + 5.0, disks.velocity[i].y(), 0.0);
    }
    std::stringstream saved;
    one.save(saved);
    Grid again(at_rest);
    again.load(saved);
    CHECK(!one.set_velocities(ids, faster));
    one.advance_to(0.9);
    again.advance_to(0.9);
    for (int k = 0; k < 4; ++k) CHECK(std::abs(one.state().cell->stress[k] - again.state().cell->stress[k]) < 1e-9);
  }
}

TEST_CASE("the work of shear is what the disks gain and dissipate; rough ones, too") {
  for (const double restitution : {1.0, 0.8}) {
    CAPTURE(restitution);
    Setup setup = sheared({.columns = 10, .rows = 12, .packing_fraction = 0.5, .smallest = 0.6}, 0.5, restitution);
    if (restitution < 1.0) setup.rules.disks.friction = 0.4;
    Grid simulation(setup);
    const Summary before = simulation.summary();
    for (int k = 1; k <= 10; ++k) {
      simulation.advance_to(1.5 * k);
      const Summary now = simulation.summary();
      const State state = simulation.state();
      CHECK(std::abs(now.energy_residual) < 1e-11);
      CHECK(now.wall_work == state.cell->work);
      // V sigma_xy gamma t
      const double area = state.cell->length.prod();
      CHECK(std::abs(now.wall_work + 0.5 * area * impulse_of(state, 2)) < 1e-9 * now.kinetic_energy);
      const double dissipated = now.dissipated_damping + now.dissipated_friction;
      CHECK(std::abs(now.wall_work - (now.kinetic_energy - before.kinetic_energy + dissipated)) <
            1e-10 * now.energy_throughput);
      if (restitution == 1.0) CHECK(std::abs(dissipated) < 1e-12 * now.energy_throughput);
    }
    const Summary after = simulation.summary();
    if (restitution == 1.0) {
      CHECK(after.kinetic_energy > 2.0 * before.kinetic_energy);
    } else {
      CHECK(after.wall_work > 2.0 * before.kinetic_energy);
    }
    Vec2 momentum = Vec2::Zero();
    const State state = simulation.state();
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
      momentum +=
          state.particles.mass[i] * (state.particles.velocity[i] - Vec2(0.5 * state.particles.position[i].y(), 0.0));
    }
    CHECK(momentum.norm() < 1e-9);
  }
}

TEST_CASE("an elastic gas that is sheared slowly has Enskog's viscosity" * doctest::skip(test::kSanitized)) {
  constexpr double kRate = 0.1;
  constexpr double kFraction = 0.2;
  Grid simulation(sheared({.columns = 24, .rows = 24, .packing_fraction = kFraction}, kRate, 1.0));
  simulation.advance_to(10.0);
  const State begin = simulation.state();
  double expected = 0.0;
  const int looks = 60;
  for (int k = 1; k <= looks; ++k) {
    simulation.advance_to(10.0 + k);
    expected += Enskog(kFraction).viscosity * kRate * std::sqrt(temperature(simulation));
  }
  const double shear = impulse_of(begin, 2) - impulse_of(simulation.state(), 2);
  MESSAGE("viscosity over Enskog's: " << shear / expected);
  CHECK(std::abs(shear / expected - 1.0) < 0.08);
}

TEST_CASE("an inelastic gas in steady shear has the temperature and stress of kinetic theory" *
          doctest::skip(test::kSanitized)) {
  constexpr double kRate = 1.0;
  constexpr double kFraction = 0.3;
  constexpr double kRestitution = 0.97;
  const Enskog theory(kFraction);
  const double steady = theory.viscosity * kRate * kRate / (theory.loss * (1.0 - kRestitution * kRestitution));
  Grid simulation(sheared({.columns = 24, .rows = 24, .packing_fraction = kFraction}, kRate, kRestitution));
  simulation.advance_to(30.0);
  const State begin = simulation.state();
  const Summary before = simulation.summary();
  double mean = 0.0;
  const int looks = 120;
  for (int k = 1; k <= looks; ++k) {
    simulation.advance_to(30.0 + 0.5 * k);
    mean += temperature(simulation) / looks;
  }
  const Summary after = simulation.summary();
  const double stress = (impulse_of(begin, 2) - impulse_of(simulation.state(), 2)) / (0.5 * looks);
  MESSAGE("temperature over that of the theory: " << mean / steady << ", stress: "
                                                  << stress / (theory.viscosity * kRate * std::sqrt(steady)));
  CHECK(std::abs(mean / steady - 1.0) < 0.1);
  CHECK(std::abs(stress / (theory.viscosity * kRate * std::sqrt(steady)) - 1.0) < 0.1);
  const double work = after.wall_work - before.wall_work;
  const double dissipated = after.dissipated_damping - before.dissipated_damping;
  CHECK(std::abs(dissipated / work - 1.0) < 0.03);
}

TEST_CASE("what does not go together with a cell of hard disks is refused at its key") {
  const Scene good = cell_scene();
  CHECK(refused_key(good) == "");
  Scene scene = good;
  scene.domain.cell->yy = {.rate = 1.0, .stress = 100.0};
  CHECK(refused_key(scene) == "domain.cell.yy.stress");
  scene = good;
  scene.domain.cell->xx.rate = -20.1;
  CHECK(refused_key(scene) == "domain.cell.xx.rate");
  scene = good;
  scene.domain.cell->xy.rate = 1e9;
  CHECK(refused_key(scene) == "domain.cell.xy.rate");
  scene = good;
  scene.gravity = {0.0, -1.0};
  CHECK(refused_key(scene) == "gravity");
  scene = good;
  scene.walls = {test::box_wall({-0.5, -0.4}, {0.5, -0.3})};
  CHECK(refused_key(scene) == "walls");
  scene = good;
  scene.measure = Measure{};
  CHECK(refused_key(scene) == "measure");
  scene = good;
  scene.hard.growth.rate = 0.1;
  CHECK(refused_key(scene) == "growth");
  scene = good;
  scene.hard.well = {1.5, -0.1};
  CHECK(refused_key(scene) == "well");
  scene = good;
  scene.hard.reverse = 0.1;
  CHECK(refused_key(scene) == "time.reverse");
  scene = good;
  scene.particles.clear();
  CHECK(refused_key(scene) == "particles");
  scene = good;
  scene.broadphase = BroadphaseKind::linked_cells;
  CHECK(refused_key(scene) == "broadphase");
  scene = good;
  scene.hard.arithmetic = Arithmetic::exact;
  CHECK(refused_key(scene) == "domain.cell");
  scene = good;
  std::get<Place>(scene.particles[0].how)[0].size = 0.6;
  CHECK(refused_key(scene) == "radius");
  CHECK_THROWS_AS(require_way_back(good), InvalidScene);
}

}  // namespace scree::hard_cell_test
