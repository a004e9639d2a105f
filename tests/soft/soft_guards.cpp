#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "dem/soft/checks/guards.hpp"
#include "dem/soft/motion/gear.hpp"
#include "geometry/polygon_makers.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::soft_guards_test {

// Messages of whole runs: tests/soft/guards.cpp.

using namespace scree::soft;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kStep = 1e-3;  // s

/// A wall and two disks of radius 1 m, none of which touch; each test adds what it is about.
struct Seen {
  Scene scene;
  Bodies bodies;
  Placement placement;
  Contacts contacts;
  MovingWalls::FastWall fastest_wall;
  TimeStep step{kStep, "as the test says", false};
  ContactLaws laws;

  explicit Seen(const Scene& of = test::empty_scene()) : scene(of), laws(scene, 4) {
    scene.soft.step = kStep;
    scene.walls = {test::floor_wall()};
    test::add_wall(bodies, 1, {0.0, -0.05, 0.0}, rectangle(10.0, 0.1));
    test::add_disk(bodies, 7, {0.0, 2.0}, 1.0);
    test::add_disk(bodies, 8, {0.0, 5.0}, 1.0);
    placement.add_missing(bodies);
  }
  StepView view() const { return {scene, bodies, placement, contacts, laws, fastest_wall, step.dt, step}; }
  Problem check_grains() const { return soft::check_grains(view(), contact_elements(bodies, contacts, laws)); }

  std::size_t touch(const BodyPair& pair, double depth_ratio, double stiffness = 0.0) {
    ContactGeometry geometry = test::touching_geometry({0.0, 1.5}, {0.0, 1.0});
    geometry.depth_ratio = depth_ratio;
    const std::size_t k = test::add_contact(bodies, pair, geometry, contacts);
    contacts.parts[k].stiffness = stiffness;
    contacts.parts[k].point = {0.0, 0.75};
    return k;
  }
};

bool says(const Problem& problem, const std::string& part) {
  return problem && problem->find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("nothing is wrong with bodies at rest that touch a little") {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 1000.0;  // of friction's springs
  Seen seen(scene);
  seen.touch({1, 2}, 0.01, 1.0);
  seen.touch({1, 0}, 0.01, 1.0);
  CHECK(!check_motions(seen.view()));
  CHECK(!check_depths(seen.view()));
  CHECK(!check_passages(seen.view()));
  CHECK(!check_contacts(seen.view()));
  CHECK(!seen.check_grains());
  CHECK(!check_balance(seen.view(), {}));
}

TEST_CASE("a position, velocity or spin that is not a number is told with the particle") {
  for (int component = 0; component < 3; ++component) {
    CAPTURE(component);
    Seen seen;
    seen.bodies.position[2][component] = kNotANumber;
    CHECK(says(check_motions(seen.view()), "the motion of particle 8 is not a number"));
    seen.bodies.position[2][component] = 0.0;
    seen.bodies.velocity[1][component] = std::numeric_limits<double>::infinity();
    CHECK(says(check_motions(seen.view()), "the motion of particle 7 is not a number"));
  }
}

TEST_CASE("a particle may move by its radius in a step and no farther, its rotation and the fastest wall included") {
  const double limit = 1.0 / kStep;  // m/s
  for (const double share : {0.99, 1.01}) {
    CAPTURE(share);
    Seen seen;
    seen.bodies.velocity[2] = {0.6 * share * limit, -0.8 * share * limit, 0.0};
    CHECK(says(check_motions(seen.view()), "particle 8 is so fast") == (share > 1.0));
    seen.bodies.velocity[2] = {0.5 * share * limit, 0.0, -0.5 * share * limit};
    CHECK(says(check_motions(seen.view()), "particle 8 is so fast") == (share > 1.0));
    CHECK(!motion_is_sound(seen.bodies, 2, kStep, 0.0) == (share > 1.0));
    seen.bodies.velocity[2] = {0.5 * limit, 0.0, 0.0};
    seen.fastest_wall = {.speed = (share - 0.5) * limit, .wall = 0};
    CHECK(says(check_motions(seen.view()), "wall 'wall' is so fast") == (share > 1.0));
    CHECK(says(check_motions(seen.view()), "could jump over particle 8") == (share > 1.0));
    CHECK(!check_depths(seen.view()));
  }
}

TEST_CASE("the deepest of several contacts that are too deep is named") {
  Seen seen;
  seen.touch({1, 0}, 0.19);
  CHECK(!check_depths(seen.view()));
  seen.touch({1, 2}, 0.21);
  CHECK(says(check_depths(seen.view()), "particle 7 and particle 8 overlap by 21 %"));
  seen.touch({2, 0}, 0.3);
  CHECK(says(check_depths(seen.view()), "particle 8 and wall 'wall' overlap by 30 %"));
  CHECK(says(check_depths(seen.view()), "allowed: 20 %"));
  CHECK(!check_motions(seen.view()));
  CHECK(!check_passages(seen.view()));
}

TEST_CASE("a depth that is not a number is too deep") {
  Seen seen;
  seen.touch({1, 2}, 0.21);
  seen.touch({2, 0}, kNotANumber);
  CHECK(says(check_depths(seen.view()), "particle 8 and wall 'wall' overlap by nan %"));
}

TEST_CASE("a polygon that is more than half way through a thin one is told, with the thickness there") {
  for (const double depth : {0.049, 0.051}) {
    CAPTURE(depth);
    Seen seen;
    test::add_polygon(seen.bodies, 9, {0.0, 0.45, 0.0}, rectangle(1.0, 1.0));
    seen.placement.add_missing(seen.bodies);
    ContactGeometry geometry = test::touching_geometry({0.0, -0.5}, {0.0, -1.0});
    geometry.overlap.depth = depth;
    geometry.depth_ratio = 0.05;
    test::add_contact(seen.bodies, {3, 0}, geometry, seen.contacts);
    const Problem problem = check_passages(seen.view());
    CHECK(problem.has_value() == (depth > 0.05));
    CHECK(says(problem, "particle 9 and wall 'wall' overlap by 0.051 m") == (depth > 0.05));
    CHECK(says(problem, "0.1 m that wall 'wall' is thick") == (depth > 0.05));
    CHECK(!check_depths(seen.view()));
  }
}

TEST_CASE("thickness is a polygon's extent along a direction, as it lies") {
  Bodies bodies;
  test::add_polygon(bodies, 1, {3.0, -2.0, 0.5}, rectangle(4.0, 1.0));
  Placement placement;
  placement.add_missing(bodies);
  for (const double angle : {0.0, 0.3, 1.0, 2.0, -2.5}) {
    CAPTURE(angle);
    const double in_its_frame = angle - 0.5;
    const double expected = 4.0 * std::abs(std::cos(in_its_frame)) + std::abs(std::sin(in_its_frame));
    CHECK(std::abs(thickness(bodies, placement, 0, {std::cos(angle), std::sin(angle)}) - expected) < 1e-14);  // m
  }
}

TEST_CASE("the stiffest contact by itself is told if its period is too short for the step") {
  Seen seen;
  const double limit = seen.laws.max_omega_dt() / kStep;  // 1/s
  const double at_wall = limit * limit * seen.bodies.mass[1];
  seen.touch({1, 0}, 0.01, 0.99 * 0.99 * at_wall);
  seen.touch({2, 0}, 0.01, 0.5 * at_wall);
  CHECK(!check_contacts(seen.view()));
  seen.touch({1, 2}, 0.01, 0.51 * at_wall);  // of two equal grains: half the mass
  CHECK(says(check_contacts(seen.view()), "particle 7 and particle 8 touch with a stiffness of"));
  CHECK(says(check_contacts(seen.view()), "steps of 0.001 s"));
  CHECK(says(check_contacts(seen.view()), "try time.step: "));
  CHECK(!says(check_contacts(seen.view()), "instead of the automatic step"));
  seen.scene.soft.step = {};
  CHECK(says(check_contacts(seen.view()), "instead of the automatic step, which does not allow for this: as the test"));
}

TEST_CASE("a grain is told if all its contacts together are too stiff for the step, though none is by itself") {
  Seen seen;
  const double limit = seen.laws.max_omega_dt() / kStep;
  const double most = limit * limit * seen.bodies.mass[1];
  // On a wall alone, with friction's spring and its lever arm: no more than a little.
  Scene smooth = seen.scene;
  smooth.materials[0].friction = 0.0;
  seen.laws = ContactLaws(smooth, 4);
  seen.touch({1, 0}, 0.01, 0.6 * most);
  CHECK(!seen.check_grains());
  CHECK(!check_contacts(seen.view()));
  seen.scene.walls.push_back(test::floor_wall());
  seen.touch({2, 0}, 0.01, 0.3 * most);
  CHECK(!seen.check_grains());
  const double between = 0.21;  // counts twice for each of the two grains
  seen.touch({1, 2}, 0.01, between * most);
  CHECK(!check_contacts(seen.view()));
  CHECK(says(seen.check_grains(), "particle 7 oscillates on its contacts"));
  CHECK(says(seen.check_grains(), "try time.step: "));
  seen.contacts.parts[0].stiffness = 0.57 * most;
  CHECK(!seen.check_grains());
}

TEST_CASE("friction's springs count for a grain's stiffness, with their lever arms") {
  Scene rough = test::empty_scene();
  rough.materials[0].stiffness = 1000.0;
  rough.materials[0].tangential_stiffness = 1.0;
  Seen seen(rough);
  seen.touch({1, 0}, 0.01, 0.0);
  const double mass = seen.bodies.mass[1];
  const double lever = 0.75;                                                              // m, see touch
  const double squared = 1000.0 * (1.0 / mass + lever * lever / seen.bodies.inertia(1));  // 1/s^2
  const double limit = seen.laws.max_omega_dt() / std::sqrt(squared);
  seen.step.dt = 0.999 * limit;
  CHECK(!seen.check_grains());
  seen.step.dt = 1.001 * limit;
  CHECK(says(seen.check_grains(), "particle 7 "));
}

TEST_CASE("a grain is told if its dashpots together are too strong for the step, though none is by itself") {
  constexpr double kZeta = 5.0;
  for (const int neighbours : {1, 3, 5}) {
    CAPTURE(neighbours);
    Scene scene = test::empty_scene();
    scene.materials[0].damping = kZeta;
    scene.materials[0].friction = 0.0;
    Seen seen(scene);
    // One contact of two equal disks takes 0.45 of what the integrator bears, nearly all of it by its dashpot.
    const double reduced_mass = 0.5 * seen.bodies.mass[1];
    const StabilityLimit limit = stability_limit(4);
    const double omega_dt = 0.45 * limit.damping / (2.0 * kZeta);
    const double stiffness = reduced_mass * omega_dt * omega_dt / (kStep * kStep);
    for (int k = 1; k < neighbours; ++k) {
      test::add_disk(seen.bodies, 8 + static_cast<std::uint64_t>(k), {3.0 * k, 5.0}, 1.0);
    }
    seen.placement.add_missing(seen.bodies);
    for (int k = 0; k < neighbours; ++k) seen.touch({1, 2 + static_cast<std::uint32_t>(k)}, 0.01, stiffness);
    CHECK(!check_contacts(seen.view()));
    // Of n dashpots between one grain and n others the greatest eigenvalue is (n + 1) c/m; the bound of one grain is
    // 2 n c/m, beyond the limit for 3 neighbours.
    const Problem problem = seen.check_grains();
    CHECK(problem.has_value() == (neighbours == 5));
    CHECK(says(problem, "particle 7 and its neighbours are damped so strongly") == (neighbours == 5));
    CHECK(says(problem, "1.35 times as long as gear_4 bears; try time.step: 0.00049") == (neighbours == 5));
  }
}

TEST_CASE("an advised step is not below the automatic one for no reason") {
  Seen seen;
  Summary summary;
  summary.energy_throughput = 8.0;
  summary.energy_residual = 0.06;
  CHECK(says(check_balance(seen.view(), summary), "try time.step: 0.0005"));
  seen.scene.particles = {test::placed(Disk{}, 0.02, {{.position = {0.0, 0.0}}})};
  const double automatic = automatic_time_step(seen.scene).dt;
  seen.step.dt = *(seen.scene.soft.step = 3.0 * automatic);
  CHECK(says(check_balance(seen.view(), summary), fmt::format("try time.step: {:.2g}, or leave it out: the automatic "
                                                              "step is {:.3g} s",
                                                              1.5 * automatic, automatic)));
}

TEST_CASE("a residual of more than 5 % of the energy is told, whether it is missing or too much") {
  const Seen seen;
  Summary summary;
  summary.energy_throughput = 8.0;
  summary.energy_residual = 0.049;
  CHECK(!check_balance(seen.view(), summary));
  summary.energy_residual = -0.049;
  CHECK(!check_balance(seen.view(), summary));
  summary.energy_residual = 0.06;
  const Problem more = check_balance(seen.view(), summary);
  CHECK(says(more, "gained 6 % of its energy throughput of 8 J"));
  summary.energy_residual = -0.06;
  const Problem less = check_balance(seen.view(), summary);
  CHECK(says(less, "lost 6 % of its energy throughput of 8 J"));
  summary.elastic_energy = 196.0;  // in springs that carry
  CHECK(!check_balance(seen.view(), summary));
  summary.elastic_energy = 200.0;
  summary.energy_residual = -0.07;
  CHECK(check_balance(seen.view(), summary));
}

}  // namespace scree::soft_guards_test
