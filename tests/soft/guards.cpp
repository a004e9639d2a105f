#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::guards_test {

using soft::Simulation;

namespace {

constexpr double kSize = 0.02;  // m
constexpr double kRadius = 0.5 * kSize;
constexpr double kMass = 2600.0 * std::numbers::pi * kRadius * kRadius;
constexpr double kStiffness = 1e6;  // N/m, of the empty scene

/// Of a disk on a wall [1/s].
double frequency() {
  return std::sqrt(kStiffness / kMass);
}

Scene disk_above_floor(Placed how) {
  Scene scene = test::empty_scene();
  scene.walls = {test::floor_wall()};
  scene.particles = {test::placed(Disk{}, kSize, {how})};
  return scene;
}

/// @return what the run that ends in trouble says
std::string trouble(const Scene& scene, double until = 1.0) {
  Simulation simulation(scene, {.threads = 1});
  try {
    simulation.advance_to(until);
  } catch (const PhysicsError& error) {
    return error.what();
  }
  return {};
}

void check_says(const std::string& message, const std::vector<std::string>& parts) {
  CAPTURE(message);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
}

Scene falling(double phase) {
  Scene scene = disk_above_floor({.position = {0.0, kRadius + 1e-4}, .velocity = {0.0, -0.1}});
  scene.soft.step = phase / frequency();
  return scene;
}

}  // namespace

TEST_CASE("a time step of more than a twentieth of a contact's period ends the run, a shorter one does not") {
  const double limit = 0.1 * std::numbers::pi;
  check_says(trouble(falling(1.01 * limit)),
             {"at t = ", "particle 2 and wall 'wall' touch with a stiffness of 1e+06 N/m", "19.8 steps", "must be 20",
              "try time.step: "});
  CHECK(trouble(falling(0.99 * limit), 0.02).empty());
}

TEST_CASE("a grain between two contacts needs a shorter step than one contact") {
  Scene scene = test::empty_scene();
  constexpr double kSqueezed = kRadius - 1e-5;
  scene.soft.initial_depth = 1e-3;
  scene.walls = {test::box_wall({-0.1, -0.1}, {-kSqueezed, 0.1}), test::box_wall({kSqueezed, -0.1}, {0.1, 0.1})};
  scene.particles = {test::placed(Disk{}, kSize, {{.position = {0.0, 0.0}}})};
  scene.soft.step = 0.2 / frequency();
  CHECK(trouble(scene, 0.1).empty());  // sqrt(2) * 0.2 is below the limit
  scene.soft.step = 0.25 / frequency();
  check_says(trouble(scene, 0.1), {"particle 3 oscillates on its contacts", "try time.step: "});
}

TEST_CASE("strong damping needs a shorter step") {
  Scene scene = falling(0.2);
  scene.materials[0].damping = 1.5;
  scene.materials[0].tangential_damping = 0.0;
  check_says(trouble(scene), {"touch with a stiffness of", "and must be 35.1 or more"});
}

TEST_CASE("the automatic step allows for strong damping with every integrator") {
  Scene scene = test::empty_scene();
  scene.particles = {test::placed(Disk{}, kSize,
                                  {{.position = {-1.01 * kRadius, 0.0}, .velocity = {0.1, 0.0}},
                                   {.position = {1.01 * kRadius, 0.0}, .velocity = {-0.1, 0.0}}})};
  for (const Integrator integrator :
       {Integrator::velocity_verlet, Integrator::gear_4, Integrator::gear_5, Integrator::gear_6}) {
    CAPTURE(name(integrator));
    scene.soft.integrator = integrator;
    scene.materials[0].damping = 2.0;
    CHECK(trouble(scene, 0.1).empty());
    scene.materials[0].damping = 10.0;
    CHECK(trouble(scene, 0.1).empty());
  }
}

TEST_CASE("a block that starts at rest, deep in its springs, stays there") {
  for (const double off : {0.0, 1e-9, 1e-7, 1e-6}) {  // m
    CAPTURE(off);
    Scene scene = test::empty_scene();
    scene.gravity = {0.0, -9.81};
    scene.materials[0].stiffness = 1e5;
    scene.soft.initial_depth = 0.05;
    scene.walls = {test::floor_wall()};
    constexpr double kSide = 0.02;  // m
    constexpr double kDepth =
        2600.0 * 9.81 * 2.0 * kSide * kSide / 1e5;  // where Y side depth / l carries it, l = 2 side
    scene.particles = {
        test::placed(test::square(), test::size_of_square(kSide), {{.position = {0.0, 0.5 * kSide - kDepth + off}}})};
    CHECK(trouble(scene, 0.3).empty());
  }
}

TEST_CASE("the dashpots of a grain's contacts add up, and the step that is advised does") {
  // Hexagons in a narrow box. One contact by itself is far from the limit.
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.materials[0].stiffness = 3e5;
  scene.materials[0].restitution = 0.05;
  scene.walls = {test::box_wall({-0.1, -0.02}, {0.1, 0.0}), test::box_wall({-0.1, 0.0}, {-0.03, 1.0}),
                 test::box_wall({0.03, 0.0}, {0.1, 1.0})};
  scene.particles = {{.how = Fill{.region = {{-0.03, 0.02}, {0.03, 1.0}}, .count = 40, .jitter = 0.1, .spacing = 0.0},
                      .material = 0,
                      .shape = RegularPolygon{6},
                      .size = {0.01, 0.01}}};
  const double automatic = soft::time_step(scene).dt;
  scene.soft.step = 2.4 * automatic;  // the automatic one before dashpots were added up
  const std::string message = trouble(scene, 0.1);
  check_says(message, {"and its neighbours are damped so strongly by all their contacts together",
                       "times as long as gear_4 bears; try time.step: ", ", or leave it out: the automatic step is "});
  const double advised = std::stod(message.substr(message.find("try time.step: ") + 15));
  CHECK(advised > automatic);
  CHECK(advised < 1.5 * automatic);
  scene.soft.step = advised;
  CHECK(trouble(scene, 0.1).empty());
}

TEST_CASE("a particle that moves farther than its radius in a step ends the run") {
  for (const bool turns : {false, true}) {
    CAPTURE(turns);
    Placed how{.position = {0.0, 1.0}};
    (turns ? how.angular_velocity : how.velocity.x()) = turns ? 1.1e5 : 1.1e5 * kRadius;
    Scene scene = disk_above_floor(how);
    scene.soft.step = 1e-5;
    check_says(trouble(scene), {"particle 2 is so fast", "in a step of 1e-05 s", "could jump over others"});
    scene.soft.step = 0.8e-5;
    CHECK(trouble(scene, 8e-5).empty());
  }
}

TEST_CASE("a thin wall that could jump over a grain ends the run, one that hits it does not") {
  for (const bool swings : {false, true}) {
    CAPTURE(swings);
    Scene scene = disk_above_floor({.position = {0.0, kRadius}});
    scene.walls.push_back(test::box_wall({-0.1, 0.0}, {-0.0999, kSize}));
    scene.walls[1].name = "blade";
    const double speed = 20.0;  // m/s
    (swings ? scene.walls[1].oscillation.amplitude : scene.walls[1].velocity).x() = speed;
    if (swings) scene.walls[1].oscillation.frequency = 0.5 / std::numbers::pi;
    scene.soft.step = 1.01 * kRadius / speed;
    check_says(trouble(scene), {"wall 'blade' is so fast, up to 20 m/s", "could jump over particle 3", "time.step"});
    scene.walls[1].velocity.x() *= 0.001;
    scene.walls[1].oscillation.amplitude.x() *= 0.001;
    scene.soft.step = 0.1 / frequency();
    CHECK(trouble(scene, 2.0 * *scene.soft.step).empty());
  }
}

TEST_CASE("a removed wall does not count as one that could jump over a grain") {
  constexpr double kStep = 1e-3;                // s
  constexpr double kPerStep = kRadius / kStep;  // m/s
  Scene scene = disk_above_floor({.position = {0.0, 1.0}, .velocity = {0.0, -0.4 * kPerStep}});
  scene.gravity = {0.0, -0.02 * kPerStep / kStep};
  scene.walls.push_back(test::box_wall({0.5, 1.0}, {0.6, 1.1}));
  scene.walls[1].velocity.x() = 0.5 * kPerStep;
  scene.soft.step = kStep;
  check_says(trouble(scene, 15.0 * kStep), {"is so fast, up to 5 m/s", "could jump over particle 3"});
  scene.walls[1].until = 1.5 * kStep;
  CHECK(trouble(scene, 15.0 * kStep).empty());
  std::stringstream state;
  Simulation before(scene, {.threads = 1});
  before.advance_to(3.0 * kStep);
  before.save(state);
  Simulation after(scene, {.threads = 1});
  after.load(state);
  CHECK_NOTHROW(after.advance_to(15.0 * kStep));
}

TEST_CASE("a velocity that is not a number ends the run") {
  Scene scene = disk_above_floor({.position = {0.0, 1.0}});
  scene.gravity = {0.0, -1e308};
  scene.soft.step = 1e3;
  check_says(trouble(scene, 1e4), {"particle 2 is not a number any more", "try a smaller time.step"});
}

// Two squares' depth limit is twenty times the plate's thickness.
TEST_CASE("a grain that is pushed through a thin plate ends the run, one that bounces does not") {
  Scene scene = test::empty_scene();
  scene.walls = {test::box_wall({-1.0, -0.01 * kSize}, {1.0, 0.0})};
  for (const double angle : {0.0, 0.3}) {
    CAPTURE(angle);
    Place how = {{.position = {0.0, kSize}, .angle = angle, .velocity = {0.0, -1.0}}};
    scene.particles = {test::placed(test::square(), kSize, how)};
    check_says(trouble(scene), {"particle 2 and wall 'wall' overlap by", "more than half of the 0.0002 m", "thicker"});
    how[0].velocity.y() = -0.03;
    scene.particles = {test::placed(test::square(), kSize, how)};
    CHECK(trouble(scene, 0.2).empty());
  }
}

TEST_CASE("bodies may pass through each other if their pair of materials has almost no stiffness") {
  Scene scene = test::empty_scene();
  scene.walls = {test::box_wall({-1.0, -0.01 * kSize}, {1.0, 0.0})};
  scene.walls[0].material = 1;
  scene.materials.push_back(scene.materials[0]);
  scene.pairs = {{.first = 0, .second = 1, .mixed = scene.materials[0]}};
  scene.particles = {
      test::placed(test::square(), kSize, {{.position = {0.0, kSize}, .angle = 0.3, .velocity = {0.0, -1.0}}})};
  scene.pairs[0].mixed.stiffness = 2e-6 * scene.materials[0].stiffness;
  CHECK(!trouble(scene, 0.1).empty());
  scene.pairs[0].mixed.stiffness = 0.5e-6 * scene.materials[0].stiffness;
  CHECK(trouble(scene, 0.1).empty());
}

TEST_CASE("a long thin grain that pierces another ends the run") {
  Scene scene = test::empty_scene();
  const ExplicitPolygon rod = {{{0.0, 0.0}, {1.0, 0.0}, {1.0, 0.01}, {0.0, 0.01}}};
  const double length = 10.0 * kSize * std::sqrt(std::numbers::pi / 4.0);
  scene.particles = {
      test::placed(rod, kSize,
                   {{.position = {0.0, 0.51 * length}, .angle = 0.5 * std::numbers::pi + 0.1, .velocity = {0.0, -2.0}},
                    {.position = {0.0, 0.0}}})};
  check_says(trouble(scene), {"particle 1 and particle 2 overlap by", "is thick there", "pass through"});
}

// Eighteen steps a contact and no dashpot: some impacts gain energy, others lose it.
TEST_CASE("energy that is gained or lost by numerical errors ends the run") {
  Scene scene = test::empty_scene();
  scene.materials[0].restitution = 1.0;
  scene.walls = {test::floor_wall(), test::box_wall({-5.0, 1.5 * kSize}, {5.0, 2.0})};
  scene.particles = {test::placed(Disk{}, kSize, {{.position = {0.0, kSize}, .velocity = {0.0, 0.3}}})};
  scene.soft.step = 0.3 / frequency();
  const std::string half = fmt::format("try time.step: {:.2g}, or leave it out: the automatic", 0.5 * *scene.soft.step);
  check_says(trouble(scene, 60.0), {"energy does not balance: ", "(allowed: 5 %)", half});
  scene.soft.step = 0.03 / frequency();
  CHECK(trouble(scene, 5.0).empty());
}

}  // namespace scree::guards_test
