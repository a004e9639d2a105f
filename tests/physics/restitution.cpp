#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/soft/motion/time_step.hpp"
#include "dem/soft/simulation.hpp"
#include "tests/scenes.hpp"

namespace scree::restitution_test {

using soft::Simulation;

// For every law and every way to meet centrally: the restitution that is asked for is the one that is got, at any
// speed. With SCREE_TABLE set, the tables of docs/theory.md are printed.

namespace {

constexpr double kSide = 0.01;  // m

enum class Meeting { disk_on_wall, disk_on_disk, edge_on_wall, corner_on_wall, edge_on_edge, corner_on_edge, corners };

struct Geometry {
  Meeting meeting;
  const char* name;
};
constexpr Geometry kOfDisks[] = {{Meeting::disk_on_wall, "disk on wall"}, {Meeting::disk_on_disk, "disk on disk"}};
constexpr Geometry kOfPolygons[] = {{Meeting::edge_on_wall, "edge on wall"},
                                    {Meeting::corner_on_wall, "corner on wall"},
                                    {Meeting::edge_on_edge, "edge on edge"},
                                    {Meeting::corner_on_edge, "corner on edge"},
                                    {Meeting::corners, "corner on corner"}};

/// Two grains, or one and a wall, about to meet along y; the gap at first is `gap`. The lower grain is larger: sides of
/// equal squares would be collinear, where the chord jumps.
Scene head_on(Meeting meeting, double speed, double gap) {
  constexpr double kLarger = 1.5;
  Scene scene = test::empty_scene();
  scene.materials[0].friction = 0.0;
  scene.materials[0].stiffness = 1e7;
  const double diameter = test::size_of_square(kSide);
  const bool disks = meeting == Meeting::disk_on_wall || meeting == Meeting::disk_on_disk;
  const bool corner =
      meeting == Meeting::corner_on_wall || meeting == Meeting::corner_on_edge || meeting == Meeting::corners;
  const ShapeSpec shape = disks ? ShapeSpec(Disk{}) : test::square();
  const auto reach = [&](bool on_corner) {
    return disks ? 0.5 * diameter : (on_corner ? std::sqrt(0.5) : 0.5) * kSide;
  };
  const auto angle = [](bool on_corner) { return on_corner ? 0.25 * M_PI : 0.0; };
  scene.particles = {test::placed(
      shape, diameter, {{.position = {0.0, reach(corner) + gap}, .angle = angle(corner), .velocity = {0.0, -speed}}})};
  if (meeting == Meeting::disk_on_wall || meeting == Meeting::edge_on_wall || meeting == Meeting::corner_on_wall) {
    scene.walls = {test::floor_wall()};
  } else {
    const bool up = meeting == Meeting::corners;
    scene.particles.push_back(
        test::placed(shape, kLarger * diameter, {{.position = {0.0, -kLarger * reach(up)}, .angle = angle(up)}}));
  }
  return scene;
}

/// Speed of separation over speed of approach, at the automatic step; mean over phases of the step.
double measured(Meeting meeting, const std::string& law, double restitution, double speed) {
  constexpr int kPhases = 8;
  double mean = 0.0;
  for (int k = 0; k < kPhases; ++k) {
    Scene scene = head_on(meeting, speed, 0.0);
    const double dt = soft::time_step(scene).dt;
    scene = head_on(meeting, speed, (2.0 + static_cast<double>(k) / kPhases) * speed * dt);
    (scene.particles[0].shape == ShapeSpec(Disk{}) ? scene.disk_law : scene.contact_law) = law;
    scene.materials[0].restitution = restitution;
    Simulation simulation(scene, {.threads = 1});
    bool touched = false;
    for (int steps = 0; steps < 100000; ++steps) {
      simulation.advance_to(1e9, 1);
      const bool touching = simulation.summary().contacts > 0;
      if (touched && !touching) break;
      touched = touched || touching;
    }
    const ParticleState state = simulation.state().particles;
    REQUIRE(touched);
    const double away = state.velocity[0].y() - (state.size() > 1 ? state.velocity[1].y() : 0.0);
    mean += away / speed / kPhases;
  }
  return mean;
}

/// Prints the rows if asked to.
template <class Geometries>
void check(const std::string& law, const Geometries& geometries, double tolerance) {
  for (const Geometry& geometry : geometries) {
    std::string row = "| `" + law + "` | " + geometry.name;
    for (const double asked : {0.1, 0.3, 0.6, 0.9}) {
      for (const double speed : {0.03, 0.3}) {
        const double got = measured(geometry.meeting, law, asked, speed);
        CAPTURE(geometry.name);
        CAPTURE(asked);
        CAPTURE(speed);
        CHECK(std::abs(got - asked) < tolerance);
        char text[32];
        std::snprintf(text, sizeof text, " | %.3f", got);
        row += text;
      }
    }
    if (std::getenv("SCREE_TABLE") != nullptr) std::printf("%s |\n", row.c_str());
  }
}

}  // namespace

TEST_CASE("polygons have the requested restitution") {
  for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) check(law, kOfPolygons, 0.003);
}

TEST_CASE("edges that barely touch have the requested restitution") {
  for (const std::string law : {"area", "area_potential", "area_potential_3_2"}) {
    CAPTURE(law);
    CHECK(std::abs(measured(Meeting::edge_on_wall, law, 0.3, 1e-5) - 0.3) < 0.01);
  }
}

TEST_CASE("disks have the requested restitution") {
  for (const std::string law : {"linear", "linear_unclipped", "hertz"}) check(law, kOfDisks, 0.003);
}

TEST_CASE("strong damping shortens the automatic step, and gives the requested restitution") {
  for (const double asked : {0.01, 0.003}) {
    CAPTURE(asked);
    CHECK(std::abs(measured(Meeting::disk_on_wall, "linear", asked, 0.3) / asked - 1.0) < 0.15);
    CHECK(std::abs(measured(Meeting::edge_on_wall, "area", asked, 0.3) / asked - 1.0) < 0.15);
  }
}

}  // namespace scree::restitution_test
