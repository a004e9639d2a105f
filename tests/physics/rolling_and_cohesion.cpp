#include <cmath>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::rolling_and_cohesion_test {

using soft::Simulation;

namespace {

constexpr double kGravity = 9.81;
constexpr double kSide = 0.01;  // m

Scene disk_on_incline(double angle, double rolling_friction) {
  Scene scene = test::empty_scene();
  scene.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle)};
  scene.materials[0].stiffness = 1e5;
  scene.materials[0].rolling_friction = rolling_friction;
  scene.walls = {test::floor_wall()};
  scene.soft.initial_depth = 0.01;
  const double depth = 2600.0 * 0.25 * M_PI * kSide * kSide * kGravity * std::cos(angle) / 1e5;
  scene.particles = {test::placed(Disk{}, kSide, {{.position = {0.0, 0.5 * kSide - depth}}})};
  return scene;
}

/// A square that a ceiling holds.
Scene hanging_square(double cohesion, const std::string& law) {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -kGravity};
  scene.materials[0].cohesion = cohesion;
  scene.contact_law = law;
  scene.walls = {test::box_wall({-1.0, 0.0}, {1.0, 0.5})};
  scene.soft.initial_depth = 0.01;
  scene.particles = {test::placed(test::square(), test::size_of_square(kSide), {{.position = {0.0, -0.4999 * kSide}}})};
  return scene;
}

}  // namespace

TEST_CASE("a disk with rolling resistance rests below tan = mu_r, and rolls with 2/3 g (sin - mu_r cos) above") {
  const double mu_r = 0.1;
  for (const double share : {0.5, 0.95}) {
    CAPTURE(share);
    Simulation simulation(disk_on_incline(std::atan(share * mu_r), mu_r), {.threads = 1});
    simulation.advance_to(0.3);
    const Vec2 settled = simulation.state().particles.position[0];
    simulation.advance_to(1.0);
    CHECK((simulation.state().particles.position[0] - settled).norm() < 1e-6 * kSide);
    CHECK(simulation.state().particles.velocity[0].norm() < 1e-9);  // m/s
  }
  for (const double angle : {0.15, 0.3}) {
    CAPTURE(angle);
    Simulation simulation(disk_on_incline(angle, mu_r), {.threads = 1});
    simulation.advance_to(0.2);
    const double early = simulation.state().particles.velocity[0].x();
    simulation.advance_to(0.5);
    const double acceleration = (simulation.state().particles.velocity[0].x() - early) / 0.3;
    // The point of contact is half the depth nearer to the centre than the outline.
    const double lever = 1.0 - simulation.state().contacts.at(0).depth / kSide;  // over the radius
    const double expected =
        kGravity * (std::sin(angle) - mu_r * std::cos(angle) / lever) / (1.0 + 0.5 / (lever * lever));
    CHECK(std::abs(acceleration / expected - 1.0) < 1e-3);
  }
  Simulation free(disk_on_incline(0.05, 0.0), {.threads = 1});
  free.advance_to(0.5);
  CHECK(std::abs(free.state().particles.velocity[0].x() / (0.5 * 2.0 / 3.0 * kGravity * std::sin(0.05)) - 1.0) < 0.01);
}

TEST_CASE("a disk that rolls on the level comes to rest after v^2 / (4/3 mu_r g)") {
  Scene scene = disk_on_incline(0.0, 0.05);
  const double speed = 0.3;  // m/s
  std::get<Place>(scene.particles[0].how)[0].velocity = {speed, 0.0};
  std::get<Place>(scene.particles[0].how)[0].angular_velocity = -speed / (0.5 * kSide);
  Simulation simulation(scene, {.threads = 1});
  simulation.advance_to(2.0);
  const double distance = speed * speed / (2.0 * 2.0 / 3.0 * 0.05 * kGravity);
  CHECK(std::abs(simulation.state().particles.position[0].x() / distance - 1.0) < 0.01);
  CHECK(simulation.state().particles.velocity[0].norm() < 1e-8);  // m/s
}

TEST_CASE("a cohesive square hangs from the ceiling if cohesion times side exceeds its weight, and falls if not") {
  const double weight = 2600.0 * kSide * kSide * kGravity;
  for (const std::string law : {"area", "area_potential"}) {
    CAPTURE(law);
    const double cohesion = 1.5 * weight / kSide;
    Simulation hangs(hanging_square(cohesion, law), {.threads = 1});
    hangs.advance_to(1.0);
    const State state = hangs.state();
    REQUIRE(state.contacts.size() == 1);
    CHECK(std::abs(state.contacts[0].force_normal / -weight - 1.0) < 1e-6);  // the ceiling pulls
    CHECK(state.particles.velocity[0].norm() < 1e-6);                        // m/s
    if (law == "area") {                                                     // Y A / l = cohesion side - weight
      const double length = 4.0 * (0.5 * kSide - 0.5 * state.contacts[0].depth);
      CHECK(std::abs(1e6 * state.contacts[0].overlap / length / (0.5 * weight) - 1.0) < 1e-4);
    }
    Simulation falls(hanging_square(0.9 * weight / kSide, law), {.threads = 1});
    falls.advance_to(0.2);
    CHECK(falls.state().contacts.empty());
    CHECK(falls.state().particles.position[0].y() < -0.1);
  }
}

TEST_CASE("cohesion is the gradient of an energy: an elastic collision ends with the speed it began with") {
  for (const double angle : {0.0, 0.3, 0.7}) {
    CAPTURE(angle);
    Scene scene = hanging_square(200.0, "area_potential");
    scene.gravity = Vec2::Zero();
    scene.materials[0].restitution = 1.0;
    scene.materials[0].friction = 0.0;
    std::get<Place>(scene.particles[0].how)[0] = {
        .position = {0.0, -0.8 * kSide}, .angle = angle, .velocity = {0.0, 0.1}};
    scene.materials[0].stiffness = 1e7;
    scene.soft.step = 0.25 * soft::time_step(scene).dt;
    Simulation simulation(scene, {.threads = 1});
    const double before = simulation.summary().kinetic_energy;
    double deepest = 0.0;
    double least = 0.0;
    for (int k = 0; k < 1600; ++k) {
      simulation.advance_to(5e-5 * k);
      const Summary now = simulation.summary();
      deepest = std::max(deepest, now.max_depth_ratio);
      least = std::min(least, now.elastic_energy);
      CHECK(std::abs((now.kinetic_energy + now.elastic_energy) / before - 1.0) < 2e-3);
    }
    CHECK(deepest > 0.003);  // it was felt
    CHECK(least < 0.0);      // drawn together at first
    CHECK(simulation.summary().contacts == 0);
    CHECK(std::abs(simulation.summary().kinetic_energy / before - 1.0) < 1e-3);
  }
}

}  // namespace scree::rolling_and_cohesion_test
