#include "dem/soft/checks/coordinate_limits.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::coordinate_limits_test {

using namespace scree::test;

namespace {

constexpr double kSize = 0.1;  // m

/// Two disks on their way to each other, around x.
Scene two_disks(double x, double speed) {
  Scene scene = empty_scene();
  scene.domain = {{x - 10.0, -10.0}, {x + 10.0, 10.0}};
  scene.materials[0].restitution = 1.0;
  scene.particles = {placed(Disk{}, kSize,
                            {{.position = {x - 0.06, 0.0}, .velocity = {speed, 0.0}},
                             {.position = {x + 0.06, 0.0}, .velocity = {-speed, 0.0}}})};
  return scene;
}

/// What an impact does to the speed, as a share of it.
double change_of_speed(double x, double speed) {
  soft::Simulation simulation(two_disks(x, speed), {.threads = 1});
  simulation.advance_to(0.05 / speed);
  return simulation.state().particles.velocity[1].x() / speed - 1.0;
}

std::string complaint(const Scene& scene) {
  try {
    soft::Simulation(scene, {.threads = 1});
    return {};
  } catch (const InvalidScene& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a domain too far from the origin for its grains is refused") {
  const std::string far = complaint(two_disks(1e13, 1.0));
  CHECK(
      contains(far, "domain.x: reaches 1e+13 m, where numbers are 0.0022 m apart, must stay within 4.5e+07 m of the"));
  CHECK(contains(far, "smallest grain's diameter, 0.1 m"));
  CHECK_FALSE(complaint(two_disks(-1e9, 1.0)).empty());
  CHECK(complaint(two_disks(1e6, 1.0)).empty());
  Scene high = two_disks(0.0, 1.0);
  high.domain.hi.y() = 1e9;
  CHECK(contains(complaint(high), "domain.y: reaches 1e+09 m"));
  CHECK(complaint(empty_scene()).empty());
  Scene empty = empty_scene();
  empty.domain.hi.y() = 1e90;
  CHECK(complaint(empty).empty());
}

TEST_CASE("one too far for the path of a step is refused, and within the limit impacts keep their speed") {
  constexpr double kSlow = 1e-3;  // m/s
  const double dt = soft::Simulation(two_disks(0.0, kSlow)).dt();
  const double limit = soft::kMostRoundingOfPath * kSlow * dt / 2.2e-16;  // m; below that of the grain
  CHECK(limit < soft::kMostRoundingOfGrain * kSize / 2.3e-16);
  CHECK(contains(complaint(two_disks(1.01 * limit, kSlow)), "hundredth of the path of the fastest grain in a step"));
  CHECK(complaint(two_disks(0.9 * limit, kSlow)).empty());
  CHECK(std::abs(change_of_speed(0.9 * limit, kSlow) - change_of_speed(0.0, kSlow)) < 2e-3);
}

TEST_CASE("one too far for the depth of grains at rest is refused, and within the limit they rest at that depth") {
  const auto resting = [](double y) {
    Scene scene = empty_scene();
    scene.domain = {{-10.0, y - 1.0}, {10.0, y + 1.0}};
    scene.gravity = {0.0, -9.81};
    scene.materials[0].stiffness = 1e10;
    scene.walls = {box_wall({-1.0, y - 0.5}, {1.0, y})};
    scene.particles = {placed(Disk{}, kSize, {{.position = {0.0, y + 0.5 * kSize + 1e-6}}})};
    return scene;
  };
  const double depth = 2600.0 * 0.25 * 3.1416 * kSize * kSize * 9.81 / 1e10;  // m g / Y
  const double limit = soft::kMostRoundingOfDepth * depth / 2.22e-16;
  CHECK(contains(complaint(resting(1.01 * limit)), "thousandth of the depth at which the lightest grain rests"));
  CHECK(complaint(resting(0.9 * limit)).empty());
  soft::Simulation simulation(resting(0.9 * limit), {.threads = 1});
  simulation.advance_to(0.05);
  CHECK(std::abs(simulation.summary().max_depth_ratio * kSize / depth - 1.0) < 0.01);
}

}  // namespace scree::coordinate_limits_test
