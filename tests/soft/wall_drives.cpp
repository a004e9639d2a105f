#include "dem/soft/drives/wall_drives.hpp"

#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/drives/moving_walls.hpp"
#include "dem/soft/motion/loaded_length.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/sanitized.hpp"
#include "tests/soft/square_above_floor.hpp"
#include "tests/state_hash.hpp"

namespace scree::wall_drives_test {

using soft::Simulation;

namespace {

using test::kSide;

/// A lid above a square that stands on the floor.
Scene press(WallDrive drive) {
  Scene scene = test::square_above_floor(1e-6);
  scene.materials[0].friction = 0.0;
  scene.walls.push_back(test::box_wall({-0.5, 0.021}, {0.5, 0.1}));
  scene.walls[0].name = "floor";
  scene.walls[1].name = "lid";
  scene.walls[1].drive = std::move(drive);
  return scene;
}

Servo servo_down(double force) {
  return {.towards = {0.0, -2.0}, .force = force, .speed = 0.05};
}

/// A wall on one spring and dashpot that are fixed: F = k x + c v. @return error of the force over the target, by step
std::vector<double> errors_on_spring(const Servo& servo, double stiffness, double dashpot, double dt, int steps) {
  const double target = 10.0;  // N
  double x = 0.0;
  double v = 0.0;
  std::vector<double> errors;
  for (int step = 0; step < steps; ++step) {
    const double force = -(stiffness * x + dashpot * v);
    errors.push_back(std::abs(target + force) / target);
    const soft::WallLoad load{.force = force, .stiffness = stiffness, .damping = dashpot, .contacts = 1};
    v = soft::servo_speed(servo, target, load, v, dt);
    x += dt * v;
  }
  return errors;
}

}  // namespace

TEST_CASE("on a spring without dashpot the error of a servo falls by 1 - gain in each step") {
  for (const double gain : {0.1, 0.5, 0.9}) {
    CAPTURE(gain);
    const Servo servo{.towards = {1.0, 0.0}, .force = 10.0, .gain = gain, .speed = 1e9};
    const auto errors = errors_on_spring(servo, 1e6, 0.0, 1e-6, 20);
    CHECK(errors[0] == 1.0);
    for (std::size_t k = 1; k < 8; ++k) CHECK(std::abs(errors[k] / errors[k - 1] - (1.0 - gain)) < 1e-9);
  }
}

TEST_CASE("on a spring with a dashpot of any damping ratio the error of a servo falls to rounding" *
          doctest::skip(test::kSanitized)) {
  constexpr double kStiffness = 1e6;  // N/m
  constexpr double kMass = 1.0;       // kg, of the grain
  const double dt = std::numbers::pi / 50.0 / std::sqrt(kStiffness / kMass);
  for (const double damping_ratio : {0.0, 0.01, 0.1, 0.36, 1.0, 3.0, 30.0}) {
    for (const double gain : {0.05, 0.3, 0.8, 1.0}) {
      CAPTURE(damping_ratio);
      CAPTURE(gain);
      const double dashpot = 2.0 * damping_ratio * std::sqrt(kMass * kStiffness);
      const Servo servo{.towards = {1.0, 0.0}, .force = 10.0, .gain = gain, .speed = 1e9};
      const auto errors = errors_on_spring(servo, kStiffness, dashpot, dt, 3'000'000);
      // Where a step is shorter than half a digit of the position, it stays where it is.
      const double rounding = 0x1p-52 * (1.0 + 2.0 * dashpot / (kStiffness * dt)) / gain;
      CHECK(errors.back() < rounding + 1e-14);
      CHECK(*std::ranges::max_element(errors) <= 1.0 + 1e-12);  // it never overshoots by more than it lacks
    }
  }
}

TEST_CASE("a servo that follows what recedes is off its force by what the springs give in a step, over its gain") {
  constexpr double kStiffness = 1e6;  // N/m
  constexpr double kSpeed = 1e-4;     // m/s
  constexpr double kTarget = 10.0;    // N
  constexpr double kStep = 1e-5;      // s
  for (const double dashpot : {0.0, 100.0, 2000.0}) {
    for (const double gain : {0.1, 0.3, 1.0}) {
      CAPTURE(dashpot);
      CAPTURE(gain);
      const Servo servo{.towards = {1.0, 0.0}, .force = kTarget, .gain = gain, .speed = 1e9};
      double way = 0.0;  // of the wall beyond the far end of the spring
      double speed = 0.0;
      double missing = kTarget;
      for (int step = 0; step < 300000; ++step) {
        const double force = -(kStiffness * way + dashpot * (speed - kSpeed));
        missing = kTarget + force;
        const soft::WallLoad load{.force = force, .stiffness = kStiffness, .damping = dashpot, .contacts = 1};
        speed = soft::servo_speed(servo, kTarget, load, speed, kStep);
        way += kStep * (speed - kSpeed);
      }
      const double expected = kSpeed * kStiffness * kStep / gain;
      CHECK(std::abs(speed / kSpeed - 1.0) < 1e-9);
      CHECK(std::abs(missing / expected - 1.0) < 1e-8);
    }
  }
}

TEST_CASE("a servo on a disk whose floor sinks at a constant speed is off its force as the theory says" *
          doctest::skip(test::kSanitized)) {
  for (const double gain : {0.3, 1.0}) {
    for (const double speed : {5e-5, 2e-4}) {  // m/s
      CAPTURE(gain);
      CAPTURE(speed);
      Servo servo = servo_down(40.0);
      servo.gain = gain;
      Scene scene = press(servo);
      scene.materials[0].damping = 0.5;
      scene.particles = {test::placed(Disk{}, kSide, {{.position = {0.0, 0.5 * kSide + 1e-6}}})};
      scene.walls[0].velocity = {0.0, -speed};
      scene.soft.step = 1e-5;
      Simulation simulation(scene, {.threads = 1});
      simulation.advance_to(2.0);
      const DriveState lid = simulation.state().drives.at(0);
      const double expected = speed * scene.materials[0].stiffness * scene.soft.step.value() / gain;  // N
      CHECK(std::abs(lid.rate / speed - 1.0) < 1e-6);
      CHECK(std::abs((40.0 - lid.force) / expected - 1.0) < 1e-3);
    }
  }
}

TEST_CASE("a servo has its force as soon as a loose bed is compacted, and does not exceed it" *
          doctest::skip(test::kSanitized)) {
  constexpr double kWidth = 0.1;    // m
  constexpr double kForce = 200.0;  // N
  constexpr double kSample = 2e-4;  // s
  constexpr int kAveraged = 10;     // samples: a grain that hits the wall pushes for some steps
  for (const double restitution : {0.2, 0.6, 0.9}) {
    CAPTURE(restitution);
    Scene scene = test::empty_scene();
    scene.materials[0].restitution = restitution;
    scene.walls = {test::box_wall({-0.05, -0.05}, {kWidth + 0.05, 0.0}), test::box_wall({-0.05, 0.0}, {0.0, 0.2}),
                   test::box_wall({kWidth, 0.0}, {kWidth + 0.05, 0.2}), test::box_wall({0.0, 0.14}, {kWidth, 0.18})};
    scene.walls[3].drive = Servo{.towards = {0.0, -1.0}, .force = kForce, .speed = 0.1};
    const Fill loosely{.region = {{0.0, 0.0}, {kWidth, 0.14}}, .count = 90, .jitter = 0.05, .spacing = 0.0115};
    scene.particles = {{.how = loosely, .material = 0, .shape = Disk{}, .size = {0.008, 0.011}}};
    Simulation simulation(scene, {.threads = 1});
    double time = 0.0;
    double has_most = 0.0;  // when it has 90 % [s]
    double off = 0.0;       // when it is last off by more than 1 % [s]
    double greatest = 0.0;
    while (time < 1.0) {
      double share = 0.0;
      for (int k = 0; k < kAveraged; ++k) {
        simulation.advance_to(time += kSample);
        share += simulation.state().drives.at(0).force / kForce / kAveraged;
      }
      greatest = std::max(greatest, share);
      if (has_most == 0.0 && share > 0.9) has_most = time;
      if (std::abs(share - 1.0) > 0.01) off = time;
    }
    CHECK(has_most > 0.4);
    CHECK(off < has_most + 0.15);
    CHECK(greatest < 1.01);
  }
}

TEST_CASE("a servo without contact approaches, and is never faster than its greatest speed") {
  Servo servo{.towards = {1.0, 0.0}, .force = 1.0, .gain = 0.5, .speed = 0.2};
  CHECK(soft::servo_speed(servo, 1.0, {}, 0.0, 1e-6) == 0.2);
  servo.approach = 0.05;
  CHECK(soft::servo_speed(servo, 1.0, {}, 0.0, 1e-6) == 0.05);
  CHECK(soft::servo_speed(servo, 1.0, {.stiffness = 1.0, .contacts = 1}, 0.0, 1e-6) == 0.2);
  CHECK(soft::servo_speed(servo, 1.0, {.force = -9.0, .stiffness = 1.0, .contacts = 1}, 0.0, 1e-6) == -0.2);
}

TEST_CASE("a servo wall comes down on a grain and holds the force it is told, and energy balances" *
          doctest::skip(test::kThreadSanitizer)) {
  for (const double restitution : {1.0, 0.3, 0.05}) {
    CAPTURE(restitution);
    Scene scene = press(servo_down(40.0));
    scene.materials[0].restitution = restitution;
    if (restitution < 1.0) scene.soft.step = 1e-5;  // the residual is of first order in it
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(2.0);
    const State state = simulation.state();
    REQUIRE(state.drives.size() == 1);
    const DriveState& lid = state.drives[0];
    CHECK(lid.id == state.walls.id[1]);
    CHECK(lid.contacts == 1);
    const double close = restitution == 1.0 ? 0.5 : 1e-6;  // N; without dashpots the grain swings for long
    CHECK(std::abs(lid.force - 40.0) < close);
    CHECK(std::abs(-state.walls.force[1].y() + 40.0) < close);
    CHECK(std::abs(lid.rate) < 1e-3 * close);  // m/s
    const Summary summary = simulation.summary();
    CHECK(std::abs(lid.work - summary.wall_work) < 1e-9);
    CHECK(summary.wall_work > 0.0);
    CHECK(std::abs(summary.energy_residual) < 3e-3);
  }
}

TEST_CASE("a servo with a stress presses on what side walls leave free, or on the length it is given" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = press(Servo{.towards = {0.0, -1.0}, .stress = 200.0, .speed = 0.05});
  scene.walls.push_back(test::box_wall({-0.6, -0.1}, {-0.03, 0.3}));
  scene.walls.push_back(test::box_wall({0.05, -0.1}, {0.6, 0.3}));
  {
    Simulation simulation(scene, {.threads = 1});
    simulation.advance_to(2.0);
    const DriveState lid = simulation.state().drives.at(0);
    CHECK(std::abs(lid.length - 0.08) < 1e-12);        // m
    CHECK(std::abs(lid.force - 200.0 * 0.08) < 1e-6);  // N
  }
  std::get<Servo>(scene.walls[1].drive).length = 0.1;
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(2.0);
  CHECK(std::abs(simulation.state().drives.at(0).force - 20.0) < 1e-6);  // N
}

TEST_CASE("the force of a drive is known before the first step" * doctest::skip(test::kThreadSanitizer)) {
  const auto target = [](const WallDrive& drive) {
    Scene scene = press(Servo{});
    scene.walls[1].drive = drive;
    scene.gravity = {0.0, -10.0};
    return Simulation(scene, {.threads = 1}).state().drives.at(0).target;
  };
  CHECK(target(FreeWall{.along = {0.0, 1.0}, .mass = 20.0, .force = 50.0}) == -150.0);  // N
  CHECK(target(servo_down(40.0)) == 40.0);
  CHECK(target(Servo{.towards = {0.0, -1.0}, .stress = 200.0, .length = 0.5, .speed = 0.05}) == 100.0);
  CHECK(target(TorqueDrive{.torque = 2.0, .inertia = 0.5}) == 2.0);  // N m
}

TEST_CASE("a free wall falls freely, and rests on a grain with its weight" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = press(FreeWall{.along = {0.0, 1.0}, .mass = 20.0});
  scene.gravity = {0.0, -10.0};
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.01);
  const double t = simulation.time();
  const DriveState falling = simulation.state().drives.at(0);
  CHECK(std::abs(falling.coordinate + 5.0 * t * t) < 1e-12);  // m
  CHECK(std::abs(falling.rate + 10.0 * t) < 1e-12);           // m/s
  CHECK(falling.work == 0.0);
  simulation.advance_to(1.5);
  const DriveState resting = simulation.state().drives.at(0);
  CHECK(std::abs(resting.force + 200.0) < 1e-3);  // N, along `along`
  CHECK(std::abs(resting.rate) < 1e-6);
  CHECK(std::abs(simulation.summary().energy_residual) < 5e-3);
}

TEST_CASE("a torque turns a wall, with all that move with it, against its inertia and its drag" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::empty_scene();
  scene.walls = {test::box_wall({0.1, -0.01}, {0.3, 0.01}), test::box_wall({-0.3, -0.01}, {-0.1, 0.01})};
  scene.walls[0].name = "blade";
  scene.walls[0].drive = TorqueDrive{.torque = 2.0, .inertia = 0.5, .about = Vec2(0.0, 0.0)};
  scene.walls[1].name = "other blade";
  scene.walls[1].moves_with = "blade";
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(0.5);
  const State state = simulation.state();
  const DriveState& vane = state.drives.at(0);
  const double t = simulation.time();
  CHECK(std::abs(vane.coordinate - 2.0 * t * t) < 1e-12);  // rad
  CHECK(std::abs(vane.rate - 4.0 * t) < 1e-12);            // rad/s
  for (const std::size_t wall : {0, 1}) {
    CHECK(std::abs(state.walls.angular_velocity[wall] - vane.rate) < 1e-12);
    CHECK(std::abs(state.walls.velocity[wall].norm() - 0.2 * vane.rate) < 1e-12);  // m/s
  }
  CHECK((state.walls.velocity[0] + state.walls.velocity[1]).norm() < 1e-12);
  std::get<TorqueDrive>(scene.walls[0].drive).drag = 1.0;
  Simulation slow(scene, {.threads = 1});
  slow.advance_to(5.0);
  CHECK(std::abs(slow.state().drives.at(0).rate - 2.0) < 1e-3);  // rad/s: torque over drag
}

TEST_CASE("a wall that a torque turns is as fast far from the origin as near it" *
          doctest::skip(test::kThreadSanitizer)) {
  // 1 m from its centre to its end, at 2 rad/s: a bound that counted from the origin would stop the run.
  for (const double far : {0.0, 1e5}) {
    CAPTURE(far);
    Scene scene = test::empty_scene();
    scene.domain.lo.x() += far;
    scene.domain.hi.x() += far;
    scene.walls = {test::box_wall({far - 0.01, -0.01}, {far + 1.0, 0.01})};
    scene.walls[0].drive = TorqueDrive{.torque = 2.0, .inertia = 0.5, .drag = 1.0, .about = Vec2(far, 0.0)};
    scene.particles = {test::placed(Disk{}, 0.01, {{.position = {far + 3.0, 3.0}}})};
    Simulation simulation(scene, {.threads = 1});
    CHECK_NOTHROW(simulation.advance_to(2.0));
    CHECK(simulation.state().drives.at(0).rate > 1.9);  // rad/s
  }
}

TEST_CASE("a run that goes on from the middle of a servo has the bits of one that never stopped" *
          doctest::skip(test::kThreadSanitizer)) {
  Scene scene = test::pouring_scene(60);
  scene.walls.push_back(test::box_wall({-0.11, 0.25}, {0.11, 0.3}));
  scene.walls.back().name = "lid";
  scene.walls.back().drive = Servo{.towards = {0.0, -1.0}, .stress = 300.0, .speed = 0.5, .approach = 0.5};
  Simulation whole(scene, {.threads = 1});
  whole.advance_to(0.45);
  REQUIRE(whole.state().drives.at(0).contacts > 0);
  std::stringstream saved;
  whole.save(saved);
  whole.advance_to(0.5);
  for (const int threads : {1, 3}) {
    Simulation resumed(scene, {.threads = threads});
    saved.clear();
    saved.seekg(0);
    resumed.load(saved);
    resumed.advance_to(0.5);
    CHECK(test::state_hash(resumed) == test::state_hash(whole));
    CHECK(resumed.state().drives[0].work == whole.state().drives[0].work);
  }
}

TEST_CASE("walls that cannot be driven as asked are refused by key") {
  const auto complaint = [](const Scene& scene) -> std::string {
    try {
      const soft::MovingWalls walls(scene);
      return "";
    } catch (const InvalidScene& error) {
      return error.what();
    }
  };
  Scene scene = press(servo_down(1.0));
  CHECK(complaint(scene).empty());
  scene.walls[1].velocity = {0.0, 0.1};
  CHECK(complaint(scene).find("walls[1].servo") != std::string::npos);
  scene.walls[1].velocity = {0.1, 0.0};
  CHECK(complaint(scene).empty());
  scene.walls[1].motions = {{.from = 1.0, .until = {}, .velocity = {0.1, 0.0}}};
  CHECK(complaint(scene).empty());
  scene.walls[1].motions[0].velocity = {0.0, 0.1};
  CHECK(complaint(scene).find("walls[1].servo") != std::string::npos);
  scene.walls[1].motions = {};
  scene.walls[1].angular_velocity = 1.0;
  CHECK(complaint(scene).find("walls[1].servo") != std::string::npos);
  scene = press(servo_down(1.0));
  scene.walls[0].moves_with = "lid";
  CHECK(complaint(scene).find("walls[0].moves_with") != std::string::npos);
  scene = press(Servo{.towards = {1.0, 0.0}, .force = 1.0, .speed = 1.0});
  scene.domain = {.lo = {-0.5, -1.0}, .hi = {0.5, 1.0}, .periodic = {true, false}};
  CHECK(complaint(scene).find("walls[1].servo") != std::string::npos);
}

TEST_CASE("a lid that is too light for its contacts is told" * doctest::skip(test::kThreadSanitizer)) {
  Scene scene = press(FreeWall{.along = {0.0, -1.0}, .mass = 1e-5, .force = 1.0});
  Simulation simulation(scene, {.threads = 1});
  try {
    simulation.advance_to(0.1);
    FAIL("nothing was said");
  } catch (const PhysicsError& error) {
    CHECK(std::string(error.what()).find("'lid' is too light") != std::string::npos);
  }
}

}  // namespace scree::wall_drives_test
