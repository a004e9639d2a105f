#include "dem/soft/drives/cell.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "dem/measure/measurements.hpp"
#include "dem/soft/forces/pair_finder.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/complaint.hpp"
#include "tests/state_hash.hpp"

namespace scree::cell_test {

using namespace scree::soft;
using test::Dice;

namespace {

const Domain kDomain{.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, true}};

CellShape shape_of(double tilt, std::int32_t flips) {
  return {.centre = {5.0, 4.0}, .length = {10.0, 8.0}, .tilt = tilt, .flips = flips, .rate = {0.0, 0.0, 0.7}};
}

/// Grains in a cell of 1 m by 0.8 m, which is no square.
Scene cell_scene(const CellDrive& drive) {
  Scene scene = test::empty_scene();
  scene.domain = {{-0.5, -0.4}, {0.5, 0.4}, {true, true}};
  scene.domain.cell = drive;
  return scene;
}

/// Twelve rows by ten columns of grains that fill most of it, disks or hexagons, with small velocities.
Scene dense_scene(const CellDrive& drive, bool disks) {
  Scene scene = cell_scene(drive);
  Dice dice(3);
  Place place;
  for (int row = 0; row < 10; ++row) {
    for (int column = 0; column < 12; ++column) {
      Placed grain;
      grain.position = {-0.5 + (column + 0.5) / 12.0, -0.4 + (row + 0.5) * 0.08};
      grain.angle = dice.between(0.0, 1.0);
      grain.velocity.x() = dice.between(-0.5, 0.5);
      grain.velocity.y() = dice.between(-0.5, 0.5);
      place.push_back(grain);
    }
  }
  scene.particles = {disks ? test::placed(Disk{}, 0.079, place) : test::placed(RegularPolygon{6}, 0.072, place)};
  return scene;
}

/// Velocity beside the homogeneous flow.
Vec2 own_velocity(const State& state, std::size_t grain) {
  const Vec2& at = state.particles.position[grain];
  const double* const rate = state.cell.value().rate;
  return state.particles.velocity[grain] - Vec2(rate[0] * at.x() + rate[2] * at.y(), rate[1] * at.y());
}

}  // namespace

TEST_CASE("a position minus its periods outside of a tilted cell is inside it") {
  Periodic periodic(kDomain);
  Dice dice(1);
  int outside = 0;
  for (int k = 0; k < 10000; ++k) {
    const double tilt = dice.between(-5.0, 5.0);
    periodic.deform(shape_of(tilt, static_cast<std::int32_t>(dice.between(-4.0, 4.0))));
    const double x = dice.between(-40.0, 40.0);
    const Vec2 position(x, dice.between(-40.0, 40.0));
    const Image image = periodic.periods_outside(position);
    outside += image != Image{0, 0} ? 1 : 0;
    const Vec2 inside = position - periodic.shift(image);
    CHECK(inside.x() >= -1e-12);
    CHECK(inside.x() < 10.0 + 1e-12);
    CHECK(inside.y() >= 0.0);
    CHECK(inside.y() < 8.0 + 1e-12);
  }
  CHECK(outside > 9000);
}

TEST_CASE("that the tilt is set back changes no bit of the displacement of an image") {
  Periodic before(kDomain);
  Periodic after(kDomain);
  Dice dice(2);
  for (int k = 0; k < 1000; ++k) {
    CellShape shape = shape_of(dice.between(0.0, 8.0), 3);
    shape.length.x() = dice.between(8.0, 16.0);
    before.deform(shape);
    shape.tilt -= Periodic::in_quanta(shape.length.x(), shape.length.x());
    ++shape.flips;
    after.deform(shape);
    for (std::int32_t x = -40; x <= 40; ++x) {
      for (std::int32_t y = -5; y <= 5; ++y) CHECK(before.shift({x, y}) == after.shift({x, y}));
    }
  }
}

TEST_CASE("pairs in a cell that is sheared are those that comparing all images finds, for every broadphase") {
  for (std::size_t kind = 0; kind < kBroadphaseNames.size(); ++kind) {
    CAPTURE(kBroadphaseNames[kind]);
    Dice dice(7);
    Bodies bodies;
    for (std::uint64_t id = 1; id <= 30; ++id) {
      const double radius = dice.between(0.1, 1.2);
      const double x = dice.between(0.0, 10.0);
      const double y = dice.between(0.0, 8.0);
      bodies.add(id, 0, 0, 1.0, 1.0, radius, radius, {});
      bodies.position.back() = {x, y, 0.0};
    }
    PairFinder finder(kDomain, static_cast<BroadphaseKind>(kind));
    finder.set_spans({});
    CellShape shape = shape_of(0.0, 0);
    finder.deform(shape);
    Placement placement;
    placement.add_missing(bodies);
    finder.insert(0, bodies, placement);
    finder.insert_images(bodies, placement);
    std::map<PairKey, int> boxes;
    std::size_t across = 0;
    for (int step = 0; step < 200; ++step) {
      for (const PairChange& change : finder.changes()) boxes[change.key] += change.boxes;
      finder.changes().clear();
      std::erase_if(boxes, [](const auto& entry) { return entry.second == 0; });
      std::map<PairKey, int> expected;
      const Periodic& periodic = finder.periodic();
      for (std::uint32_t a = 0; a < bodies.size(); ++a) {
        for (std::uint32_t b = a + 1; b < bodies.size(); ++b) {
          for (int x = -4; x <= 4; ++x) {
            for (int y = -2; y <= 2; ++y) {
              const Image away = periodic.named(x, y);
              if (!placement.box[a].overlaps(placement.box[b].shifted(periodic.shift(away)))) continue;
              const Image image{away[0] - bodies.image[b][0] + bodies.image[a][0],
                                away[1] - bodies.image[b][1] + bodies.image[a][1]};
              expected[{.a = bodies.id[a], .b = bodies.id[b], .image = image}] = 1;
            }
          }
        }
      }
      REQUIRE(boxes.size() == expected.size());
      for (const auto& [key, count] : expected) {
        REQUIRE(boxes.contains(key));
        across += key.image != Image{0, 0} ? 1 : 0;
      }
      for (std::uint32_t body = 0; body < bodies.size(); ++body) {
        const double x = dice.between(-0.2, 0.3);
        bodies.position[body] += Motion(x, dice.between(-0.2, 0.3), 0.0);
      }
      shape.tilt += 0.31;  // some six times around
      if (shape.tilt > 5.0) shape.tilt -= 10.0, ++shape.flips;
      shape.length.y() = 8.0 + std::sin(0.1 * step);
      finder.deform(shape);
      wrap(finder.periodic(), bodies);
      placement.update(bodies);
      finder.update(bodies, placement);
    }
    CHECK(shape.flips == 6);
    CHECK(across > 1000);
  }
}

TEST_CASE("a grain that reaches across no side of a cell has one box, and one beyond a side where it does") {
  Bodies bodies;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    bodies.add(id, 0, 0, 1.0, 1.0, 0.5, 0.5, {});
    bodies.position.back() = {3.0 * static_cast<double>(id), 4.0, 0.0};
  }
  PairFinder finder(kDomain, BroadphaseKind::all_pairs);
  finder.set_spans({});
  Placement placement;
  placement.add_missing(bodies);
  finder.insert(0, bodies, placement);
  finder.insert_images(bodies, placement);
  finder.deform(shape_of(0.0, 0));
  finder.update(bodies, placement);
  CHECK(finder.proxies().size() == 2);
  bodies.position[1].x() = 9.9;
  placement.update(bodies);
  finder.update(bodies, placement);
  CHECK(finder.proxies().size() == 3);
}

TEST_CASE("two grains collide in the flow of a cell as they do anywhere else in it: across its sides, at any tilt" *
          doctest::skip(test::kThreadSanitizer)) {
  const auto collide = [](const Vec2& shift, const ShapeSpec& shape, double local_damping, double rate) {
    Scene scene = cell_scene({.xy = {.rate = rate}});
    scene.soft.local_damping = local_damping;
    const auto inside = [](Vec2 p) { return Vec2(p.x() - std::round(p.x()), p.y() - 0.8 * std::round(p.y() / 0.8)); };
    scene.particles = {
        test::placed(shape, 0.05,
                     {{.position = inside(Vec2(-0.06, 0.002) + shift), .angle = 0.3, .velocity = {1.0, 0.7}},
                      {.position = inside(Vec2(0.02, 0.04) + shift), .angle = 1.1, .velocity = {-1.0, -0.2}}})};
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(0.08);
    return std::pair{simulation.state(), simulation.summary()};
  };
  const std::vector<ShapeSpec> shapes = {Disk{}, RegularPolygon{5}};
  for (const ShapeSpec& shape : shapes) {
    for (const auto& how : {std::pair{0.0, 2.0}, std::pair{0.3, 2.0}, std::pair{0.0, 15.0}}) {
      const double local_damping = how.first;
      const double rate = how.second;
      CAPTURE(shape.index());
      CAPTURE(local_damping);
      CAPTURE(rate);
      const auto [here, energies] = collide({0.0, 0.0}, shape, local_damping, rate);
      CHECK((own_velocity(here, 0) - Vec2(1.0, 0.7)).norm() > 0.5);
      CHECK(energies.dissipated_damping > 0.01);
      for (const Vec2& shift : {Vec2(0.5, 0.0), Vec2(0.0, 0.38), Vec2(0.52, 0.39), Vec2(-0.47, -0.4)}) {
        CAPTURE(shift.transpose());
        const auto [there, energies_there] = collide(shift, shape, local_damping, rate);
        for (std::size_t i = 0; i < 2; ++i) {
          CHECK((own_velocity(there, i) - own_velocity(here, i)).norm() < 1e-8);                             // m/s
          CHECK(std::abs(there.particles.angular_velocity[i] - here.particles.angular_velocity[i]) < 1e-6);  // 1/s
        }
        CHECK(std::abs(energies_there.dissipated_damping / energies.dissipated_damping - 1.0) < 1e-6);
        CHECK(std::abs(energies_there.dissipated_friction - energies.dissipated_friction) < 1e-9);  // J
        CHECK(std::abs(energies_there.wall_work - energies.wall_work) < 1e-9);
        CHECK(std::abs(energies_there.energy_residual) < 1e-3);
      }
    }
  }
}

TEST_CASE("a grain alone moves with the flow: its rows pass each other, it comes back displaced and slower" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = cell_scene({.xy = {.rate = 2.0}});
  scene.particles = {test::placed(Disk{}, 0.05, {{.position = {0.1, 0.3}, .velocity = {0.0, 0.4}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(1.0);
  const double t = simulation.time();
  const State state = simulation.state();
  // In the lab it flies straight on: 0.3 + 0.4 t is below 0.8 + 0.4, so it crossed the top once.
  CHECK(state.particles.image[0][1] == 1);
  CHECK(std::abs(state.particles.position[0].y() - (0.3 + 0.4 * t - 0.8)) < 1e-9);
  const double x = 0.1 + 2.0 * 0.3 * t - 2.0 * 0.8 * t;  // less the tilt
  CHECK(std::abs(std::remainder(state.particles.position[0].x() - x, 1.0)) < 1e-9);
  CHECK(std::abs(state.particles.velocity[0].x() - (2.0 * 0.3 - 2.0 * 0.8)) < 1e-9);
  CHECK(std::abs(state.cell->strain[2] - 2.0 * t) < 1e-9);
  CHECK(std::abs(std::remainder(state.cell->tilt - 1.6 * t, 1.0)) < 1e-9);
  CHECK(std::abs(state.cell->tilt) <= 0.5);
}

TEST_CASE("the work of a sheared cell is what its grains dissipate, and it does not depend on threads or broadphase") {
  for (const bool disks : {true, false}) {
    CAPTURE(disks);
    const Scene scene = dense_scene({.xy = {.rate = 2.0}}, disks);
    Simulation simulation(scene, {.threads = 1});
    std::size_t contacts = 0;
    std::size_t across = 0;
    const int looks = test::kSanitized ? 10 : 60;
    for (int k = 1; k <= looks; ++k) {
      simulation.advance_to(0.01 * k);
      for (const ContactState& contact : simulation.state().contacts) {
        ++contacts;
        across += contact.image_shift.isZero() ? 0 : 1;
      }
    }
    CHECK(contacts > 10);
    CHECK(across > 0);
    CHECK(across < contacts / 2);
    const Summary summary = simulation.summary();
    CHECK(std::abs(summary.energy_residual) < 1e-3);
    CHECK(summary.wall_work == simulation.state().cell->work);
    const double dissipated = summary.dissipated_damping + summary.dissipated_friction + summary.dissipated_law;
    CHECK(dissipated > 0.1 * summary.energy_in);
    if (!test::kSanitized) CHECK(summary.wall_work > 0.01 * dissipated);
    Simulation other(scene, {.threads = 3, .broadphase = BroadphaseKind::linked_cells});
    other.advance_to(0.05);
    other.advance_to(simulation.time());
    CHECK(test::state_hash(other) == test::state_hash(simulation));
  }
}

TEST_CASE("a run that is saved in the middle of shear goes on with the same bits") {
  const Scene scene = dense_scene({.xy = {.rate = 3.0}}, false);
  Simulation whole(scene, {.threads = 1});
  whole.advance_to(0.25);
  REQUIRE(whole.state().cell->tilt < 0.0);  // it was set back
  std::stringstream file;
  whole.save(file);
  Simulation resumed(scene, {.threads = 2, .made_for = MadeFor::load});
  resumed.load(file);
  CHECK(test::state_hash(resumed) == test::state_hash(whole));
  whole.advance_to(0.4);
  resumed.advance_to(0.4);
  CHECK(test::state_hash(resumed) == test::state_hash(whole));
  CHECK(resumed.state().cell->work == whole.state().cell->work);
  CHECK(resumed.summary() == whole.summary());
}

TEST_CASE("a stage sets a cell in shear: grains that were at rest move with the flow, and their own energy stays" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = dense_scene({}, true);
  scene.soft.stages = {{.name = "settle", .end = 0.05},
                       {.name = "shear", .end = 0.2, .cell = CellDrive{.xy = {.rate = 2.0}}}};
  scene.end = 0.25;
  Simulation simulation(scene, {.threads = 1});
  Summary before = simulation.summary();
  while (simulation.course().stage() == 0) {
    before = simulation.summary();
    simulation.advance_to(simulation.time() + simulation.dt());
  }
  CHECK(before.wall_work == 0.0);
  CHECK(simulation.state().cell->rate[2] == 2.0);
  CHECK(std::abs(simulation.summary().kinetic_energy / before.kinetic_energy - 1.0) < 0.02);
  double faster = 0.0;
  const State state = simulation.state();
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    faster += state.particles.velocity[i].x() * state.particles.position[i].y();
  }
  CHECK(faster > 0.0);
  std::stringstream file;
  simulation.save(file);
  Simulation resumed(scene, {.threads = 1, .made_for = MadeFor::load});
  resumed.load(file);
  simulation.advance_to(0.1);
  resumed.advance_to(0.1);
  CHECK(test::state_hash(resumed) == test::state_hash(simulation));
}

TEST_CASE(
    "lengths grow by the exponential of the strain; a grain alone keeps its place in the cell, or loses its own "
    "speed") {
  Scene scene = cell_scene({.xx = {.rate = -0.5}, .yy = {.rate = 1.0}, .xy = {.rate = 2.0}});
  scene.particles = {test::placed(Disk{}, 0.05, {{.position = {0.2, 0.1}}, {.position = {-0.2, -0.1}}}),
                     test::placed(Disk{}, 0.03, {{.position = {0.0, 0.2}, .velocity = {0.1, 0.3}}})};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.6);
  const double t = simulation.time();
  const State state = simulation.state();
  const CellState& cell = *state.cell;
  CHECK(std::abs(cell.length.x() / std::exp(-0.5 * t) - 1.0) < 1e-7);
  CHECK(std::abs(cell.length.y() / (0.8 * std::exp(t)) - 1.0) < 1e-7);
  CHECK(std::abs(cell.strain[0] + 0.5 * t) < 1e-9);
  // b_x' = L_xx b_x + L_xy b_y
  const double tilt = 2.0 * 0.8 / 1.5 * (std::exp(t) - std::exp(-0.5 * t));
  CHECK(std::abs(std::remainder(cell.tilt - tilt, cell.length.x())) < 1e-5);
  const Vec2 place(0.2 * std::exp(-0.5 * t) + 0.1 * tilt / 0.8, 0.1 * std::exp(t));
  const Vec2 off = state.particles.position[0] - place;
  CHECK(std::abs(off.y()) < 1e-6);
  CHECK(std::abs(std::remainder(off.x(), cell.length.x())) < 1e-6);
  CHECK(own_velocity(state, 0).norm() < 1e-5);
  CHECK((state.particles.position[0] + state.particles.position[1]).norm() < 1e-9);
  // c' = -L c
  const double own_y = 0.3 * std::exp(-t);
  CHECK(std::abs(own_velocity(state, 2).y() - own_y) < 1e-5);
  const double own_x = 0.1 * std::exp(0.5 * t) - 2.0 * 0.3 / 1.5 * (std::exp(0.5 * t) - std::exp(-t));
  CHECK(std::abs(own_velocity(state, 2).x() - own_x) < 1e-5);
  const Summary summary = simulation.summary();
  CHECK(std::abs(summary.energy_residual) < 1e-5);
}

namespace {

/// Two disks in a row that touch each other on both sides, in a cell with a stress along x.
struct Row {
  static constexpr double kRadius = 0.1;
  Simulation simulation;

  explicit Row(double mass, double damping, double stress) : simulation(scene(mass, damping, stress), {.threads = 1}) {}

  static Scene scene(double mass, double damping, double stress) {
    Scene scene = test::empty_scene();
    scene.materials[0].restitution = 1.0;
    scene.soft.initial_depth = 0.01;
    scene.domain = {{0.0, 0.0}, {4.0 * kRadius - 1e-5, 0.5}, {true, true}};
    scene.domain.cell = CellDrive{.xx = {.rate = 5.0, .stress = stress}, .mass = mass, .damping = damping};
    scene.particles = {
        test::placed(Disk{}, 2.0 * kRadius, {{.position = {kRadius, 0.2}}, {.position = {3.0 * kRadius - 5e-6, 0.2}}})};
    return scene;
  }
};

}  // namespace

TEST_CASE(
    "a cell with a stress finds the length at which its grains bear it, and swings with its mass on their springs") {
  constexpr double kStress = 100.0;  // N/m
  Row damped(20.0, 1.0, kStress);
  double least = 1.0;
  for (int k = 1; k <= 200; ++k) {
    damped.simulation.advance_to(0.01 * k);
    least = std::min(least, damped.simulation.state().cell->length.x());
  }
  const State state = damped.simulation.state();
  REQUIRE(state.contacts.size() == 2);  // the same pair, through both sides
  CHECK(std::abs(state.cell->stress[0] / kStress - 1.0) < 1e-6);
  const double length = state.cell->length.x();
  const double stiffness = state.contacts[0].force_normal / state.contacts[0].depth;
  CHECK(std::abs(state.contacts[0].force_normal / (kStress * 0.5) - 1.0) < 1e-6);
  CHECK(std::abs(4.0 * Row::kRadius - length - 2.0 * kStress * 0.5 / stiffness) < 1e-9);
  CHECK(length - least < 1e-3 * (4.0 * Row::kRadius - length));  // critically damped: it does not overshoot
  const Summary summary = damped.simulation.summary();
  CHECK(std::abs(summary.energy_residual) < 1e-3);
  CHECK(std::abs(summary.wall_work - (summary.kinetic_energy + summary.elastic_energy - summary.energy_in)) <
        1e-4 * summary.elastic_energy);

  // M l^2 e'' = -K e with K = 2 k (2 R)^2, M = 20 * 2 m, l = 4 R
  Row free(20.0, 0.0, kStress);
  const double omega = std::sqrt(stiffness / (4.0 * 20.0 * state.particles.mass[0]));
  const double dt = free.simulation.dt();
  std::vector<double> turns;  // times at which the rate changes its sign
  double before = -1.0;
  while (turns.size() < 9) {
    free.simulation.advance_to(free.simulation.time() + dt);
    const double rate = free.simulation.state().cell->rate[0];
    if (rate * before < 0.0) turns.push_back(free.simulation.time());
    if (rate != 0.0) before = rate;
    REQUIRE(free.simulation.time() < 10.0);
  }
  const double half_period = (turns.back() - turns.front()) / 8.0;
  CHECK(std::abs(half_period * omega / 3.141592653589793 - 1.0) < 0.01);
}

TEST_CASE("a packing is pressed to a stress, waits for it, and is sheared under it; resumed it has the same bits" *
          doctest::skip(test::kThreadSanitizer)) {
  CellDrive press{.xx = {.rate = 1.0, .stress = 500.0}, .yy = {.rate = 1.0, .stress = 500.0}, .mass = 0.05};
  Scene scene = dense_scene(press, false);
  scene.soft.stages = {
      {.name = "press", .end = 5.0, .unbalanced = 1e-3},
      {.name = "shear", .end = 0.3, .cell = CellDrive{.yy = {.rate = 1.0, .stress = 500.0}, .xy = {.rate = 1.0}}}};
  scene.end = 5.3;
  Simulation simulation(scene, {.threads = 1});
  while (simulation.course().stage() == 0) simulation.advance_to(simulation.time() + simulation.dt());
  CHECK(simulation.time() < 4.0);
  const State pressed = simulation.state();
  CHECK(std::abs(pressed.cell->stress[0] / 500.0 - 1.0) < 0.02);
  CHECK(std::abs(pressed.cell->stress[1] / 500.0 - 1.0) < 0.02);
  CHECK(pressed.cell->length.x() < 0.95);
  std::stringstream file;
  simulation.advance_to(simulation.time() + 0.05);
  simulation.save(file);
  Simulation resumed(scene, {.threads = 2, .made_for = MadeFor::load});
  resumed.load(file);
  const double end = simulation.time() + 0.2;
  simulation.advance_to(end);
  resumed.advance_to(end);
  CHECK(test::state_hash(resumed) == test::state_hash(simulation));
  CHECK(simulation.state().cell->rate[0] == 0.0);
  CHECK(simulation.state().cell->stress[2] < -50.0);
  CHECK(std::abs(simulation.summary().energy_residual) < 5e-3);
}

TEST_CASE("a velocity that all grains have in common changes neither how a cell yields to a stress nor its stress" *
          doctest::skip(test::kThreadSanitizer)) {
  const CellDrive press{.xx = {.rate = 1.0, .stress = 500.0}, .yy = {.rate = 1.0, .stress = 500.0}, .mass = 0.05};
  for (const CellDrive& drive : {press, CellDrive{.xy = {.rate = 1.0}}}) {
    Scene scene = dense_scene(drive, true);
    Simulation at_rest(scene, {.threads = 1});
    for (Placed& grain : std::get<Place>(scene.particles[0].how)) grain.velocity += Vec2(2.0, -1.0);
    Simulation carried(scene, {.threads = 1});
    for (const double time : {0.002, 0.01}) {  // before a contact begins a step later, by rounding
      at_rest.advance_to(time);
      carried.advance_to(time);
      const CellState one = at_rest.state().cell.value();
      const CellState other = carried.state().cell.value();
      for (int k = 0; k < 4; ++k) CHECK(std::abs(one.stress[k] - other.stress[k]) < 1e-8);  // N/m, of a thousand
      for (int k = 0; k < 3; ++k) CHECK(std::abs(one.rate[k] - other.rate[k]) < 1e-12);     // 1/s, of 0.05
      CHECK(std::abs(carried.summary().energy_residual) < 5e-3);
    }
  }
}

TEST_CASE("what is measured in a cell is its stress, and temperature and texture of its grains beside the flow" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = dense_scene({.xx = {.rate = -0.3}, .yy = {.rate = -0.2}, .xy = {.rate = 2.0}}, true);
  scene.measure = Measure{.every = 0.02, .region = {scene.domain.lo, scene.domain.hi}, .texture = true};
  Simulation simulation(scene, {.threads = 1});
  Measurements measurements(scene);
  Eigen::Matrix2d contacts = Eigen::Matrix2d::Zero();  // integral over the area and the time since the last sample
  int samples = 0;
  double last = 0.0;
  while (samples < (test::kSanitized ? 2 : 6)) {
    simulation.advance_to(simulation.time() + 0.5 * simulation.dt());  // one step
    const State state = simulation.state();
    const double area = state.cell->length.prod();
    for (const ContactState& contact : state.contacts) {
      contacts += simulation.dt() * (contact.centre2 - contact.centre1) * contact.force.transpose();
    }
    if (!simulation.has_reached(measurements.next())) continue;
    const double begin = std::exchange(last, state.time);
    const auto sample = measurements.take(state, simulation.transfers());
    const Eigen::Matrix2d mean = contacts / (area * (state.time - begin));
    contacts.setZero();
    if (!sample) continue;
    ++samples;
    const ParticleState& p = state.particles;
    CHECK(sample->particles == p.size());
    double grains = 0.0;
    Eigen::Matrix2d kinetic = Eigen::Matrix2d::Zero();
    double energy = 0.0;
    double mass = 0.0;
    Vec2 momentum = Vec2::Zero();
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec2 own = own_velocity(state, i);
      grains += 3.141592653589793 * p.radius[i] * p.radius[i];
      kinetic += p.mass[i] * own * own.transpose() / area;
      energy += 0.5 * p.mass[i] * own.squaredNorm();
      mass += p.mass[i];
      momentum += p.mass[i] * own;
    }
    CHECK(std::abs(sample->packing_fraction * area / grains - 1.0) < 1e-7);
    energy -= 0.5 * momentum.squaredNorm() / mass;
    kinetic -= momentum * momentum.transpose() / (mass * area);
    CHECK(std::abs(sample->temperature * (static_cast<double>(p.size()) - 1.0) / energy - 1.0) < 1e-9);
    CHECK((sample->velocity - momentum / mass).norm() < 1e-9);
    CHECK((sample->contact_pressure - mean).norm() < 1e-6 * mean.norm());
    const double* const stress = state.cell->stress;
    const Eigen::Matrix2d now = sample->texture->domain_stress + kinetic;
    const double scale = 1e-7 * now.norm();
    CHECK(std::abs(now(0, 0) - stress[0]) < scale);
    CHECK(std::abs(now(1, 1) - stress[1]) < scale);
    CHECK(std::abs(now(0, 1) - stress[2]) < scale);
    CHECK(std::abs(now(1, 0) - stress[3]) < scale);
    CHECK((sample->texture->stress - sample->texture->domain_stress).norm() < scale);
  }
}

TEST_CASE("what does not go together with a cell that deforms is refused at its key") {
  const Scene good = dense_scene({.xy = {.rate = 2.0}}, true);
  CHECK(test::complaint(good).text.empty());
  Scene scene = good;
  scene.domain.periodic = {true, false};
  CHECK(test::complaint(scene).key == "domain.cell");
  scene = good;
  scene.walls = {test::box_wall({-0.5, -0.4}, {0.5, -0.3})};
  CHECK(test::complaint(scene).key == "walls");
  scene = good;
  scene.gravity = {0.0, -1.0};
  CHECK(test::complaint(scene).key == "gravity");
  scene = good;
  scene.measure = Measure{.every = 0.1, .region = {scene.domain.lo, scene.domain.hi}};
  CHECK(test::complaint(scene).text.empty());
  scene.measure->region.hi.y() -= 0.1;
  CHECK(test::complaint(scene).key == "measure.region");
  scene = good;
  scene.measure = Measure{.every = 0.1, .region = {scene.domain.lo, scene.domain.hi}};
  scene.measure->height_profile = Measure::HeightProfile{5};
  CHECK(test::complaint(scene).key == "measure.height_profile");
  scene.measure->height_profile.reset();
  scene.measure->mean_square_displacement = true;
  CHECK(test::complaint(scene).key == "measure.mean_square_displacement");
  scene = good;
  scene.particles[0].fixed = {false, false, true};
  CHECK(test::complaint(scene).key == "particles[0].fixed");
  scene = good;
  scene.particles[0].how = Pour{.count = 3, .rate = 1.0, .from = 0.0, .region = {{0.0, 0.0}, {0.1, 0.1}}};
  CHECK(test::complaint(scene).key == "particles[0].pour");
  scene = good;
  scene.domain.cell.reset();
  scene.soft.stages = {{.name = "shear", .end = 0.2, .cell = CellDrive{.xy = {.rate = 2.0}}}};
  CHECK(test::complaint(scene).key == "stages[0].cell");
}

TEST_CASE("images that another finder repeats get the numbers that they have where they were found, at any tilt") {
  Dice dice(9);
  Bodies bodies;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    const double radius = dice.between(0.5, 1.9);
    bodies.add(id, 0, 0, 1.0, 1.0, radius, radius, {});
    const double x = dice.between(0.0, 10.0);
    bodies.position.back() = {x, dice.between(0.0, 8.0), 0.0};
  }
  PairFinder finder(kDomain, BroadphaseKind::all_pairs);
  PairFinder repeats(kDomain, BroadphaseKind::all_pairs);
  Placement placement;
  placement.add_missing(bodies);
  CellShape shape = shape_of(0.0, 0);
  for (PairFinder* const each : {&finder, &repeats}) {
    each->set_spans({});
    each->deform(shape);
    each->insert(0, bodies, placement);
    each->insert_images(bodies, placement);
  }
  std::vector<PairFinder::ImageChange> changes;
  finder.note_image_changes(&changes);
  std::vector<PairFinder::ProxyChanges> since;  // the last time
  std::size_t repeated = 0;
  for (int step = 0; step < 300; ++step) {
    for (std::uint32_t body = 0; body < bodies.size(); ++body) {
      const double x = dice.between(-0.6, 0.9);
      bodies.position[body] += Motion(x, dice.between(-0.6, 0.9), 0.0);
    }
    shape.tilt += 0.7;
    if (shape.tilt > 5.0) shape.tilt -= 10.0, ++shape.flips;
    finder.deform(shape);
    repeats.deform(shape);
    placement.update(bodies);
    finder.update(bodies, placement);
    repeated += changes.size();
    PairFinder::ProxyChanges& now = since.emplace_back();
    std::ranges::reverse(changes);  // in whatever order they are told
    for (const PairFinder::ImageChange& change : changes) {
      if (change.is_needed) {
        now.begun.push_back(change.proxy);
      } else {
        now.ended.emplace_back(change.proxy, change.box);
      }
    }
    changes.clear();
    repeats.sort_as_update(now.begun);
    wrap(finder.periodic(), bodies);
    if (step % 7 > 0) continue;
    repeats.repeat(std::exchange(since, {}));
    const Proxies& expected = finder.proxies();
    REQUIRE(repeats.proxies().size() == expected.size());
    for (ProxyId id = 0; id < expected.size(); ++id) {
      const Proxy proxy = repeats.proxies()[id];
      REQUIRE(proxy.body == expected[id].body);
      if (proxy.body != Proxies::kUnused) REQUIRE(proxy.image == expected[id].image);
    }
  }
  CHECK(shape.flips > 15);
  CHECK(repeated > 1000);
}

}  // namespace scree::cell_test
