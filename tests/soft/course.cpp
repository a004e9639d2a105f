#include "dem/soft/motion/course.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/contact/rest.hpp"
#include "dem/soft/motion/wall_phases.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"
#include "tests/state_hash.hpp"

namespace scree::course_test {

using soft::Simulation;

namespace {

constexpr double kSide = 0.02;  // m

/// Two squares on the floor, one above the other, a little apart.
Scene stack() {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -10.0};
  scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 1e6, .restitution = 0.2, .friction = 0.5};
  scene.walls = {test::floor_wall()};
  scene.walls[0].name = "floor";
  scene.particles = {test::placed(test::square(), test::size_of_square(kSide),
                                  {{.position = {0.0, 0.5 * kSide + 1e-4}}, {.position = {0.0, 1.5 * kSide + 2e-4}}})};
  scene.end = 10.0;
  return scene;
}

/// Advances in chunks, and saves and loads into a new one after each.
StateHash hash_with_resumes(const Scene& scene, double end, std::uint64_t chunk, int threads) {
  std::string saved;
  for (;;) {
    Simulation simulation(scene, {.threads = threads});
    if (!saved.empty()) {
      std::istringstream in(saved);
      simulation.load(in);
    }
    simulation.advance_to(end, chunk);
    std::ostringstream out;
    simulation.save(out);
    saved = out.str();
    if (simulation.has_reached(end) || simulation.is_over()) return test::state_hash(simulation);
  }
}

/// The stack settles, the floor tilts and carries it away, a wall comes and a wall goes, gravity turns.
Scene staged() {
  Scene scene = stack();
  scene.walls.push_back(test::box_wall({0.011, 0.0}, {0.05, 0.1}));
  scene.walls[1].name = "gate";
  Wall late = test::box_wall({0.06, 0.0}, {0.08, 0.1});
  late.name = "late";
  late.stage = 1;
  late.velocity = {-0.1, 0.0};
  scene.walls.push_back(late);
  Stage settle{.name = "settle", .end = 0.5, .unbalanced = 1e-3};
  Stage push{.name = "push", .end = 0.05};
  push.remove = {1};
  Material slippery = scene.materials[0];
  slippery.friction = 0.1;
  slippery.stiffness = 2e6;
  push.materials = {{0, slippery}};
  PhaseOfMotion motion;
  motion.angular_velocity = -0.5;
  motion.about = Vec2(0.0, 0.0);
  push.motions = {{.walls = {0}, .motions = {motion}}};
  Stage turn{.name = "turn", .end = 0.05};
  turn.gravity = {{0.0, {0.0, -10.0}}, {0.04, {3.0, -9.0}}};
  scene.soft.stages = {settle, push, turn};
  return scene;
}

}  // namespace

TEST_CASE("in gravity that changes linearly a grain falls by the third power of time, and energy balances" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = stack();
  scene.walls.clear();
  scene.domain = {{-10.0, -10.0}, {10.0, 10.0}};
  scene.soft.gravity_table = {{0.0, {0.0, 0.0}}, {0.4, {2.0, -8.0}}, {0.5, {2.0, -8.0}}};
  scene.soft.step = 1e-4;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.4);
  const State state = simulation.state();
  const double t = simulation.time();
  CHECK(std::abs(state.particles.position[0].x() - 5.0 / 6.0 * t * t * t) < 1e-5);  // m
  CHECK(std::abs(state.particles.velocity[0].y() + 10.0 * t * t) < 1e-3);           // m/s
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
}

TEST_CASE("the unbalanced force ratio is 1 in free fall and 0 at rest; the run is over then") {
  Scene scene = stack();
  scene.soft.until_unbalanced = 1e-5;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.001);
  CHECK_FALSE(simulation.is_over());
  simulation.advance_to(10.0);
  CHECK(simulation.is_over());
  CHECK(simulation.time() < 2.0);
  const State state = simulation.state();
  const double weight = 10.0 * state.particles.mass[0];  // N
  for (const Vec2& force : state.particles.force) CHECK(force.norm() < 1e-4 * weight);
  CHECK(std::abs(state.walls.force[0].y() + 2.0 * weight) < 1e-4 * weight);
  const double end = simulation.time();
  simulation.advance_to(20.0);
  CHECK(simulation.time() == end);
  for (const std::uint64_t chunk : {1'000ULL, 1'000'000ULL}) {
    CHECK(hash_with_resumes(scene, 10.0, chunk, chunk == 1'000 ? 1 : 2) == test::state_hash(simulation));
  }
}

TEST_CASE("grains that still fall, or are still to be poured, are not at rest" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = stack();
  scene.gravity.setZero();
  scene.soft.until_unbalanced = 0.5;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.01);
  CHECK_FALSE(simulation.is_over());
}

TEST_CASE("a run at rest waits for walls that come, go or move, but not beyond its end" *
          doctest::skip(test::kThreadSanitizer)) {
  const auto end_with = [](const auto& change) {
    Scene scene = stack();
    scene.soft.until_unbalanced = 1e-3;
    scene.walls.push_back(test::box_wall({1.0, 0.0}, {1.1, 0.1}));
    scene.walls[1].name = "gate";
    change(scene.walls[1]);
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(2.0);
    return simulation.is_over() ? simulation.time() : 0.0;
  };
  const double alone = end_with([](Wall&) {});
  CHECK(alone > 0.01);
  CHECK(alone < 0.5);
  const auto waits_for = [&](double time, const auto& change) {
    const double end = end_with(change);
    CHECK(end > time);
    CHECK(end < time + 0.2);
  };
  waits_for(0.6, [](Wall& wall) { wall.until = 0.6; });
  waits_for(0.7, [](Wall& wall) { wall.from = 0.7; });
  waits_for(0.8, [](Wall& wall) { wall.motions = {{.from = 0.8, .until = {}, .velocity = {0.1, 0.0}}}; });
  waits_for(0.9, [](Wall& wall) { wall.motions = {{.from = 0.1, .until = 0.9, .velocity = {0.1, 0.0}}}; });
  waits_for(1.0, [](Wall& wall) {
    PhaseOfMotion motion{.from = 0.5};
    motion.table = {{0.0, {0.0, 0.0}, 0.0}, {0.5, {0.1, 0.0}, 0.0}};
    wall.motions = {motion};
  });
  CHECK(end_with([](Wall& wall) { wall.until = 20.0; }) == alone);
}

TEST_CASE("a run at rest waits until a servo has its force, and a free wall lies on the grains" *
          doctest::skip(test::kThreadSanitizer)) {
  for (const WallDrive& drive :
       {WallDrive(Servo{.towards = {0.0, -1.0}, .force = 50.0, .speed = 0.1}),
        WallDrive(FreeWall{.along = {0.0, 1.0}, .mass = 5.0, .force = 45.0})}) {  // falls with 1 m/s^2
    Scene scene = stack();
    scene.soft.until_unbalanced = 1e-3;
    Wall lid = test::box_wall({-0.5, 0.1}, {0.5, 0.2});  // 6 cm above the stack, which is at rest much earlier
    lid.name = "lid";
    lid.drive = drive;
    scene.walls.push_back(lid);
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(5.0);
    CHECK(simulation.is_over());
    const DriveState state = simulation.state().drives.at(0);
    CHECK(state.contacts > 0);
    CHECK(std::abs(state.force - state.target) < 0.011 * std::abs(state.target));
    scene.walls[1].until = 0.01;  // nobody waits for what is gone
    Simulation without(scene, {.threads = 1});
    without.advance_to(5.0);
    CHECK(without.time() < 0.6 * simulation.time());
  }
}

TEST_CASE("a lid goes on to press as a stage moves it across, and what cannot be is told before the run") {
  Scene scene = stack();
  scene.materials[0].friction = 0.05;  // the stack stands
  Wall lid = test::box_wall({-0.5, 0.041}, {0.5, 0.1});
  lid.name = "lid";
  scene.walls.push_back(lid);
  const Servo servo{.towards = {0.0, -1.0}, .force = 50.0, .speed = 0.05};
  scene.walls[1].drive = servo;
  scene.soft.step = 5e-6;  // the energy residual of the lid's impact is of first order in it
  Stage press{.name = "press", .end = 0.3};
  Stage shear{.name = "shear", .end = 0.1};
  shear.motions = {{.walls = {1}, .motions = {{.from = 0.0, .until = {}, .velocity = {0.05, 0.0}}}, .drive = servo}};
  scene.soft.stages = {press, shear};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.2999);
  while (simulation.course().stage() == 0) simulation.advance_to(1.0, 1);
  simulation.advance_to(1.0, 1);
  CHECK(std::abs(simulation.state().drives.at(0).rate) < 1e-3);  // m/s: it feels the stack in its first step
  simulation.advance_to(1.0);
  const State state = simulation.state();
  CHECK(std::abs(state.walls.velocity[1].x() - 0.05) < 1e-12);    // m/s
  CHECK(std::abs(state.drives.at(0).force - 50.0) < 0.5);         // N
  CHECK(std::abs(state.walls.force[1].x() + 0.05 * 50.0) < 0.1);  // N: it rubs
  CHECK(std::abs(simulation.summary().energy_residual) < 1e-3);
  CHECK(hash_with_resumes(scene, 1.0, 5'000, 1) == test::state_hash(simulation));
  scene.soft.stages[1].motions[0].motions[0].velocity = {0.05, 0.01};
  CHECK_THROWS_WITH_AS(
      Simulation(scene, {.threads = 1}),
      "stages[1].motions: walls[1].servo: is given beside a rotation, or a motion along its direction, "
      "must be across that motion",
      InvalidScene);
}

TEST_CASE("stages: each begins with the state of the one before, and its times and changes hold" *
          doctest::skip(test::kThreadSanitizer)) {
  const Scene scene = staged();
  Simulation simulation(scene, {.threads = 1});
  CHECK(simulation.state().walls.size() == 2);
  simulation.advance_to(0.5);
  const double begin = [&] {
    REQUIRE(simulation.course().stage() >= 1);
    return simulation.course().begun()[1].time;
  }();
  CHECK(begin < 0.45);
  simulation.advance_to(1.0);
  CHECK(simulation.is_over());
  REQUIRE(simulation.course().begun().size() == 3);
  CHECK(std::abs(simulation.course().begun()[2].time - (begin + 0.05)) < 1e-4);
  CHECK(std::abs(simulation.time() - (begin + 0.1)) < 2e-4);
  const State state = simulation.state();
  REQUIRE(state.walls.size() == 2);
  CHECK(state.walls.name[0] == "floor");
  CHECK(state.walls.name[1] == "late");
  CHECK(state.walls.number == std::vector<std::uint32_t>{0, 2});  // one is gone
  CHECK(std::abs(state.walls.angular_velocity[0] + 0.5) < 1e-12);
  // The wall that came moves from its stage on.
  CHECK(std::abs(state.walls.outlines.vertices[state.walls.outlines.first[1]].x() - (0.06 - 0.1 * 0.1)) < 2e-4);
  CHECK(std::abs(simulation.summary().energy_residual) < 0.02);
}

TEST_CASE("stages have the same bits for threads, calls, and resumes in the middle of any") {
  const Scene scene = staged();
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(1.0);
  CHECK(hash_with_resumes(scene, 1.0, 1'000, 1) == test::state_hash(simulation));
  CHECK(hash_with_resumes(scene, 1.0, 1'000'000, 2) == test::state_hash(simulation));
  // Back from a later stage into an earlier one, as a run does where something goes wrong.
  std::ostringstream early;
  {
    Simulation other(scene, {.threads = 1});
    other.advance_to(0.01);
    other.save(early);
  }
  std::istringstream in(early.str());
  simulation.load(in);
  CHECK(simulation.course().stage() == 0);
  simulation.advance_to(1.0);
  CHECK(hash_with_resumes(scene, 1.0, 1'000'000, 1) == test::state_hash(simulation));
}

TEST_CASE("a servo wall goes on through stages, and stops where a stage says so" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = stack();
  Wall lid = test::box_wall({-0.5, 0.05}, {0.5, 0.1});
  lid.name = "lid";
  lid.drive = Servo{.towards = {0.0, -1.0}, .force = 50.0, .speed = 0.5};
  scene.walls.push_back(lid);
  Stage press{.name = "press", .end = 0.3};
  Stage on{.name = "on", .end = 0.2};
  Stage hold{.name = "hold", .end = 0.05};
  hold.motions = {{.walls = {1}}};
  scene.soft.stages = {press, on, hold};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.49);
  REQUIRE(simulation.course().stage() == 1);
  REQUIRE(simulation.state().drives.size() == 1);
  CHECK(std::abs(simulation.state().drives[0].force - 50.0) < 0.5);
  simulation.advance_to(0.51);
  REQUIRE(simulation.course().stage() == 2);
  CHECK(simulation.state().drives.empty());
  CHECK(simulation.state().walls.velocity[1].isZero());
  CHECK(std::abs(-simulation.state().walls.force[1].y() + 50.0) < 1.0);
}

TEST_CASE("way and work of a drive are those since the start, whatever stages changed" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = stack();
  Wall lid = test::box_wall({-0.5, 0.05}, {0.5, 0.1});
  lid.name = "lid";
  const Servo servo{.towards = {0.0, -1.0}, .force = 50.0, .speed = 0.05};
  lid.drive = servo;
  scene.walls.push_back(lid);
  Servo harder = servo;
  harder.force = 200.0;
  Stage press{.name = "press", .end = 0.3};
  Stage hold{.name = "hold", .end = 0.05};
  hold.motions = {{.walls = {1}}};
  Stage again{.name = "again", .end = 0.2};
  again.motions = {{.walls = {1}, .drive = harder}};
  scene.soft.stages = {press, hold, again};
  Simulation simulation(scene, {.threads = 1});
  const auto lid_now = [&] { return simulation.state().drives.at(0); };
  const auto sunk = [&] {  // of the lid's lower side
    const State state = simulation.state();
    double lowest = 1.0;
    for (std::size_t k = state.walls.outlines.first[1]; k < state.walls.outlines.vertices.size(); ++k) {
      lowest = std::min(lowest, state.walls.outlines.vertices[k].y());
    }
    return 0.05 - lowest;
  };
  simulation.advance_to(0.29);
  const DriveState first = lid_now();
  CHECK(first.coordinate > 0.005);  // m
  CHECK(std::abs(first.coordinate - sunk()) < 1e-12);
  while (simulation.course().stage() < 2) simulation.advance_to(1.0, 1);
  const DriveState begins = lid_now();
  CHECK(begins.target == 200.0);
  CHECK(std::abs(begins.coordinate - first.coordinate) < 1e-5);
  CHECK(std::abs(begins.coordinate - sunk()) < 1e-12);
  CHECK(begins.work > 0.9 * first.work);
  std::ostringstream saved;
  simulation.save(saved);
  simulation.advance_to(1.0);
  const DriveState last = lid_now();
  CHECK(std::abs(last.coordinate - sunk()) < 1e-12);
  CHECK(last.coordinate > begins.coordinate);
  // The floor is at rest, and the lid moved by its drives only; half a step's power goes to none of two drives.
  CHECK(std::abs(last.work - simulation.summary().wall_work) < simulation.dt() * 50.0 * 0.05);
  Simulation resumed(scene, {.threads = 1});
  std::istringstream in(saved.str());
  resumed.load(in);
  resumed.advance_to(1.0);
  CHECK(resumed.state().drives.at(0).work == last.work);
  CHECK(resumed.state().drives.at(0).coordinate == last.coordinate);
}

TEST_CASE("a wall has its motions one after the other, each from where it is") {
  Wall wall = test::box_wall({-1.0, -1.0}, {1.0, 1.0});
  PhaseOfMotion line;
  line.from = 1.0;
  line.until = 2.0;
  line.velocity = {0.5, 0.0};
  PhaseOfMotion turn;
  turn.from = 3.0;
  turn.angular_velocity = 0.5 * std::numbers::pi;
  turn.about = Vec2(1.0, 0.0);
  PhaseOfMotion shake;
  shake.from = 4.0;
  shake.oscillation = {.amplitude = {0.0, 0.1}, .frequency = 1.0, .phase = 0.5 * std::numbers::pi};
  PhaseOfMotion table;
  table.from = 5.0;
  table.table = {{0.0, {0.0, 0.0}, 0.0}, {1.0, {1.0, 0.0}, 0.0}, {2.0, {1.0, 2.0}, 1.0}};
  wall.motions = {line, turn, shake, table};
  const soft::WallPhases phases(wall, Vec2::Zero(), {});
  const auto near = [](const Vec2& a, const Vec2& b) { return (a - b).norm() < 1e-12; };
  CHECK(near(phases.at(0.5).displacement, {0.0, 0.0}));
  CHECK(near(phases.at(1.5).displacement, {0.25, 0.0}));
  CHECK(near(phases.at(1.5).velocity, {0.5, 0.0}));
  CHECK(near(phases.at(2.5).displacement, {0.5, 0.0}));
  CHECK(near(phases.at(2.5).velocity, {0.0, 0.0}));
  // About its right side, which is at (1.5, 0) by then: the centroid goes from 1 m left of it to 1 m below.
  CHECK(near(phases.at(4.0 - 1e-13).displacement, {1.5, -1.0}));
  CHECK(std::abs(phases.at(4.0).angle - 0.5 * std::numbers::pi) < 1e-12);
  CHECK(near(phases.at(4.5).displacement, {1.5, -1.2}));  // from the top of its oscillation to the bottom
  CHECK(near(phases.at(5.5).displacement, {2.0, -1.0}));
  CHECK(near(phases.at(5.5).velocity, {1.0, 0.0}));
  CHECK(std::abs(phases.at(6.5).angle - 0.5 * std::numbers::pi - 0.5) < 1e-12);
  CHECK(std::abs(phases.at(6.5).angular_velocity - 1.0) < 1e-12);
  CHECK(near(phases.at(9.0).displacement, {2.5, 1.0}));
  // Velocities are the derivatives of places, and none is faster than the bound.
  for (double t = 0.01; t < 8.0; t += 0.0501) {
    constexpr double h = 1e-6;  // s
    const Vec2 slope = (phases.at(t + h).displacement - phases.at(t - h).displacement) / (2.0 * h);
    CAPTURE(t);
    CHECK((slope - phases.at(t).velocity).norm() < 1e-5);
    CHECK(phases.at(t).velocity.norm() + std::abs(phases.at(t).angular_velocity) * std::numbers::sqrt2 <=
          phases.max_speed(std::numbers::sqrt2) + 1e-9);
  }
}

TEST_CASE("a wall that comes later is not there before, and must not come where a grain is") {
  Scene scene = stack();
  Wall lid = test::box_wall({-0.05, 0.05}, {0.05, 0.06});
  lid.name = "lid";
  lid.from = 0.1;
  lid.motions = {{.from = 0.15, .until = {}, .velocity = {0.0, 0.1}}};
  scene.walls.push_back(lid);
  Simulation simulation(scene, {.threads = 1});
  CHECK(simulation.state().walls.size() == 1);
  simulation.advance_to(0.12);
  CHECK(simulation.state().walls.size() == 2);
  CHECK(hash_with_resumes(scene, 0.12, 100, 1) == test::state_hash(simulation));
  simulation.advance_to(0.2);
  CHECK(std::abs(simulation.state().walls.outlines.vertices.back().y() - 0.065) < 0.006);
  scene.walls[1] = test::box_wall({-0.05, 0.02}, {0.05, 0.06});
  scene.walls[1].name = "lid";
  scene.walls[1].from = 0.1;
  Simulation bad(scene, {.threads = 1});
  CHECK_THROWS_AS(bad.advance_to(0.2), PhysicsError);
}

TEST_CASE("grains of an earlier run are taken over with ids, velocities and friction, and go on as they would have" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = stack();
  scene.gravity = {2.0, -10.0};  // friction holds
  Simulation before(scene, {.threads = 1});
  before.advance_to(0.3);
  Scene next = scene;
  auto inherited = std::make_shared<Inherited>(before.hand_over());
  next.soft.initial_depth = inherited->max_depth_ratio * (1.0 + 1e-6);
  next.particles[0].how = Place{};
  next.start = Start{.from = "before", .hash = "1", .groups = 1, .inherited = inherited};
  Simulation after(next, {.threads = 1});
  const State old = before.state();
  const State fresh = after.state();
  REQUIRE(fresh.particles.size() == 2);
  CHECK(fresh.particles.id == old.particles.id);
  CHECK(fresh.particles.position[1] == old.particles.position[1]);
  CHECK(fresh.particles.velocity[1] == old.particles.velocity[1]);
  CHECK(fresh.walls.id[0] > old.particles.id[1]);
  before.advance_to(0.4);
  after.advance_to(0.1);
  // Without its friction springs the stack would slip by some tens of nanometres until they are loaded again.
  for (const std::size_t k : {0, 1}) {
    CHECK((after.state().particles.position[k] - before.state().particles.position[k]).norm() < 1e-9);
  }
  const Summary summary = after.summary();  // next to nothing moves: the springs' energy is the scale
  CHECK(std::abs(summary.energy_residual * summary.energy_throughput) < 1e-3 * summary.elastic_energy);
  // It resumes without the earlier run.
  std::ostringstream out;
  after.save(out);
  Scene saved = next;
  saved.start->inherited.reset();
  Simulation resumed(saved, {.threads = 1});
  std::istringstream in(out.str());
  resumed.load(in);
  CHECK(resumed.step_reason() == after.step_reason());
  after.advance_to(0.2);
  resumed.advance_to(0.2);
  CHECK(test::state_hash(resumed) == test::state_hash(after));
  // Grains inside a new wall are refused.
  next.walls.push_back(test::box_wall({-0.05, 0.03}, {0.05, 0.06}));
  next.walls[1].name = "lid";
  try {
    Simulation refused(next, {.threads = 1});
    FAIL("not refused");
  } catch (const InvalidScene& error) {
    CHECK(error.key == "start.from");
  }
}

}  // namespace scree::course_test
