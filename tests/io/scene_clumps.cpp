// Grains of several parts in scenes: parts, outlines that are split, where they are put, what check says of them.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/insertion.hpp"
#include "dem/scene.hpp"
#include "dem/soft/simulation.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "io/warnings.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::scene_clumps_test {

namespace {

constexpr double kPi = std::numbers::pi;
const std::string kFrame =
    "scree: 1\ndomain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n"
    "materials:\n  stone: {density: 2000, stiffness: 1e6, restitution: 0.5}\n";

Scene scene_of(const std::string& group) {
  return parse_scene(kFrame + "particles:\n- material: stone\n" + group, "s.yaml");
}

std::vector<std::string> warnings_of(const Scene& scene) {
  return warnings(scene, soft::Simulation(scene, {.threads = 1}));
}

}  // namespace

TEST_CASE("parts are boxes, polygons and disks, each at its place and angle") {
  const Scene scene = scene_of(
      "  place: [{position: [0.5, 0.5]}]\n"
      "  shape: {parts: [{box: [0.06, 0.02]}, {box: [0.06, 0.02], angle: 1.5707963267948966, position: [0.01, 0]},\n"
      "    {disk: 0.01, position: [0.03, 0]}, {polygon: [[0, 0], [0.01, 0], [0, 0.01]], position: [-0.03, 0.01]}]}\n");
  const Clump& clump = std::get<Clump>(scene.particles[0].shape);
  REQUIRE(clump.parts().size() == 4);
  CHECK(clump.parts()[0].polygon == std::vector<Vec2>{{-0.03, -0.01}, {0.03, -0.01}, {0.03, 0.01}, {-0.03, 0.01}});
  CHECK((clump.parts()[1].polygon[0] - Vec2(0.02, -0.03)).norm() < 1e-15);
  CHECK(clump.parts()[2].is_disk());
  CHECK(clump.parts()[2].radius == 0.01);
  CHECK(clump.parts()[2].centre == Vec2(0.03, 0.0));
  CHECK((clump.parts()[3].polygon[1] - Vec2(-0.02, 0.01)).norm() < 1e-15);
  // Without a size they are as large as given: two bars that share a square, a half disk and a triangle on top.
  const double area = 2.0 * 0.0012 - 0.0004 + 0.5 * kPi * 1e-4 + 0.5e-4;
  const GrainShape grain = make_grain(scene, 0, 0);
  CHECK(grain.area == doctest::Approx(area).epsilon(1e-12));
  CHECK(scene.particles[0].size.least == doctest::Approx(std::sqrt(4.0 * area / kPi)).epsilon(1e-12));
  CHECK(grain.parts[2].bounding_radius == doctest::Approx(0.01).epsilon(1e-12));
  CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
}

TEST_CASE("a size scales all parts") {
  const std::string shape =
      "  shape: {parts: [{disk: 3}, {disk: 3, position: [4, 0]}]}\n  place: [{position: [0.5, 0.5]}]\n";
  const GrainShape large = make_grain(scene_of(shape + "  size: 0.1\n"), 0, 0);
  const GrainShape small = make_grain(scene_of(shape + "  size: 0.05\n"), 0, 0);
  CHECK(large.area == doctest::Approx(0.25 * kPi * 0.01).epsilon(1e-13));
  CHECK(large.second_moment == doctest::Approx(16.0 * small.second_moment).epsilon(1e-13));
  CHECK(large.parts[0].bounding_radius == doctest::Approx(2.0 * small.parts[0].bounding_radius).epsilon(1e-13));
  CHECK((large.parts[0].arm - 2.0 * small.parts[0].arm).norm() < 1e-15);
  CHECK(large.parts[1].arm.x() - large.parts[0].arm.x() ==
        doctest::Approx(4.0 / 3.0 * large.parts[0].bounding_radius).epsilon(1e-13));
}

TEST_CASE("an outline that is not convex is split, in the scene and from a file") {
  const ScratchDirectory files;
  const Scene scene = scene_of(
      "  shape: {polygon: [[0, 0], [0.03, 0], [0.03, 0.01], [0.01, 0.01], [0.01, 0.03], [0, 0.03]]}\n"
      "  place: [{position: [0.5, 0.5]}]\n");
  CHECK(std::get<Clump>(scene.particles[0].shape).parts().size() == 2);
  CHECK(make_grain(scene, 0, 0).area == doctest::Approx(5e-4).epsilon(1e-12));
  CHECK(parse_scene(to_yaml(scene), "s.yaml") == scene);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(files.path() / name) << text;
    return (files.path() / name).string();
  };
  write("l.csv", "x, y\n0, 0\n0.03, 0\n0.03, 0.01\n0.01, 0.01\n0.01, 0.03\n0, 0.03\n");
  const Scene of_file = read_scene(write("s.yaml", kFrame + "particles:\n- material: stone\n  shape: {outline: l.csv}\n"
                                                            "  place: [{position: [0.5, 0.5]}]\n"));
  CHECK(of_file.particles[0].shape == scene.particles[0].shape);
  CHECK(of_file.particles[0].size == scene.particles[0].size);
  const Scene convex =
      scene_of("  shape: {polygon: [[0, 0], [0.03, 0], [0.03, 0.01]]}\n  place: [{position: [0.5, 0.5]}]\n");
  CHECK(std::holds_alternative<ExplicitPolygon>(convex.particles[0].shape));
}

TEST_CASE("parts with a zero that had a sign come back as they were written") {
  const ScratchDirectory files;
  // y is reversed in an SVG, and the corners at 0 go to -0.
  std::ofstream(files.path() / "u.svg") << "<svg><path d=\"M0 0 h3 v3 h-1 v-2 h-1 v2 h-1 z\"/></svg>";
  std::ofstream(files.path() / "s.yaml") << kFrame +
                                                "particles:\n- material: stone\n  shape: {outline: u.svg}\n"
                                                "  size: 0.02\n  place: [{position: [0.5, 0.5]}]\n";
  const std::string split = to_yaml(read_scene(files.path() / "s.yaml"));
  CHECK(to_yaml(parse_scene(split, "s.yaml")) == split);
  const std::string parts = to_yaml(
      scene_of("  shape: {parts: [{box: [2, 2], position: [1, 1]}, {polygon: [[-0, -0], [0, -1], [1, -0]], position: "
               "[-0, -0]}]}\n  size: 0.02\n  place: [{position: [0.5, 0.5]}]\n"));
  CHECK(to_yaml(parse_scene(parts, "s.yaml")) == parts);
}

TEST_CASE("clumps are poured, filled in, put on a lattice and at random without touching") {
  const std::string shape =
      "  shape: {polygon: [[0, 0], [3, 0], [3, 3], [2.4, 3], [2.4, 0.6], [0.6, 0.6], [0.6, 3], [0, 3]]}\n"
      "  size: {uniform: [0.03, 0.04]}\n";
  for (const std::string how : {"  fill: {region: {x: [0, 1], y: [0, 1]}, count: 30}\n",
                                "  lattice: {region: {x: [0, 1], y: [0, 1]}, spacing: 0.12}\n",
                                "  random: {region: {x: [0, 1], y: [0, 1]}, packing_fraction: 0.25}\n"}) {
    CAPTURE(how);
    const Scene scene = scene_of(how + shape);
    const soft::Simulation simulation(scene, {.threads = 1});  // throws if any overlap
    CHECK(simulation.summary().contacts == 0);
    CHECK(simulation.particles() >= 30);
  }
  const Scene pour = scene_of("  pour: {count: 20, rate: 1e4, region: {x: [0.1, 0.9], y: [0.1, 0.9]}}\n" + shape);
  soft::Simulation simulation(pour, {.threads = 1});
  simulation.advance_to(0.01);
  CHECK(simulation.particles() == 20);
  CHECK(simulation.summary().contacts == 0);
}

TEST_CASE("parts that lie on each other are told, those that only share sides are not") {
  const std::string place = "  place: [{position: [0.5, 0.5]}]\n";
  const std::vector<std::string> crossed =
      warnings_of(scene_of("  shape: {parts: [{box: [0.06, 0.02]}, {box: [0.02, 0.06]}]}\n" + place));
  REQUIRE(crossed.size() == 1);
  CHECK(crossed[0] ==
        "particles[0].shape.parts: parts lie on each other, on 20 % of the grain's area: contacts are twice as stiff "
        "there; parts that only share sides, or an outline as polygon, are as stiff everywhere");
  CHECK(warnings_of(
            scene_of("  shape: {parts: [{box: [0.06, 0.02]}, {box: [0.02, 0.02], position: [0, 0.02]}]}\n" + place))
            .empty());
}

}  // namespace scree::scene_clumps_test
