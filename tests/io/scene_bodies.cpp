#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace scree::scene_bodies_test {

TEST_CASE("a polygon without a size has its own") {
  const SizeSpec size = parse_scene(kMaximalScene, "s.yaml").particles[3].size;
  const double diameter = std::sqrt(4.0 * 0.04 * 0.02 / 3.14159265358979323846);
  CHECK(std::abs(size.least - diameter) < 1e-12);  // m
  CHECK(size.greatest == size.least);
  const Scene given = parse_scene(
      replaced(kMaximalScene, "[0.04, 0.02], [0, 0.02]]}\n", "[0.04, 0.02], [0, 0.02]]}\n    size: 0.05\n"), "s.yaml");
  CHECK(given.particles[3].size == SizeSpec{0.05, 0.05});
}

TEST_CASE("a wall oscillates with an amplitude, a frequency and a phase") {
  const auto oscillation = [](const std::string& text) {
    return parse_scene(replaced(kMaximalScene, "until: 1.5", "oscillation: " + text), "s.yaml").walls[1].oscillation;
  };
  CHECK(oscillation("{amplitude: [0, 0.01], frequency: 25}") == Oscillation{{0.0, 0.01}, 25.0, 0.0});
  CHECK(oscillation("{phase: -1, amplitude: [0.5, 0], frequency: 3}") == Oscillation{{0.5, 0.0}, 3.0, -1.0});
}

TEST_CASE("a file of billiards beside the scene is read as grains at given places") {
  const ScratchDirectory directory;
  const std::string scene = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
materials: {ball: {density: 1, restitution: 1}}
particles:
  - {billiards: two.txt, material: ball}
time: {end: 1}
output: {every: 1}
)";
  const std::filesystem::path file = directory.path() / "scene.yaml";
  const auto read = [&](const std::string& billiards, const std::string& text) {
    std::ofstream(directory.path() / "two.txt") << billiards;
    std::ofstream(file) << text;
    return read_scene(file);
  };
  const Scene two = read("2\n.1 .2 1 -2 .05 3 1 2 255\n.9 .8 0 0 .1 4 0 0 0\n", scene);
  REQUIRE(two.particles.size() == 1);
  CHECK(std::holds_alternative<Disk>(two.particles[0].shape));
  CHECK(two.particles[0].size == SizeSpec{0.1, 0.2});
  CHECK(std::get<Place>(two.particles[0].how) ==
        Place{{.position = {0.1, 0.2}, .velocity = {1, -2}, .size = 0.1, .mass = 3, .colour = Colour{1, 2, 255}},
              {.position = {0.9, 0.8}, .size = 0.2, .mass = 4, .colour = Colour{0, 0, 0}}});
  CHECK(std::get<Place>(read("0\n", scene).particles[0].how).empty());

  const auto refused = [&](const std::string& billiards, const std::string& text, const std::string& message) {
    try {
      (void)read(billiards, text);
      FAIL("accepted");
    } catch (const SceneError& error) {
      CAPTURE(std::string(error.what()));
      CHECK(std::string(error.what()).find(message) != std::string::npos);
    }
  };
  const std::string one = "1\n.1 .2 1 -2 .05 3 1 2 255\n";
  refused("1\n.1 .2 1\n", scene,
          "two.txt:2:1: disk 1: has 3 values, must have 9: rx ry vx vy radius mass red green blue");
  refused("1\n.1 .2 1 -2 0 3 1 2 255\n", scene, "two.txt:2:12: disk 1: radius: is 0, must be a number > 0 [m]");
  refused("1\n.1 .2 1 -2 .05 -3 1 2 255\n", scene, "two.txt:2:16: disk 1: mass: is -3, must be a number > 0 [kg]");
  refused("1\n.1 1.2 1 -2 .05 3 1 2 255\n", scene,
          "two.txt:2:4: disk 1: ry: is 1.2, must be in the domain, [0, 1] [m]");
  refused(one, replaced(scene, "two.txt,", "two.txt, size: 1,"), "particles[0].size: is 1, must be left out");
  refused(one, replaced(scene, "two.txt,", "two.txt, colour: [0, 0, 0],"),
          "particles[0].colour: is a list, must be left out");
  refused(one, replaced(scene, "two.txt,", "two.txt, place: [],"), "must be only one of");
}

TEST_CASE("mistakes in walls") {
  const std::string polygon = "a convex polygon: a list of at least 3 corners [x, y] in order [m]";
  check_mistakes({
      {"{name: plate, ", "{", "14:5: walls[0].name: is missing, must be the wall's name"},
      {"name: gate", "name: plate",
       "15:12: walls[1].name: is 'plate' again, must be another name than those of the walls before"},
      {"{name: plate, material: steel", "{name: plate, material: steal",
       "14:29: walls[0].material: is 'steal', which is not a material (did you mean 'steel'?), must be stone or steel"},
      {"polygon: [[-0.8, 0], [-0.6, 0], [-0.6, 0.02]]\n", "box: {x: [0, 1]}\n",
       "19:10: walls[3].box.y: is missing, must be [lo, hi] with lo < hi [m]"},
      {"box: {x: [0.4, 0.5], y: [0, 0.3]}, ", "",
       "15:5: walls[1]: is incomplete, must have one of polygon, box, segment, ring, half_plane or line"},
      {"until: 1.5", "polygon: [[0, 0], [1, 0], [1, 1]]",
       "15:70: walls[1].polygon: is given beside box, must be only one of polygon, box, segment, ring, half_plane or "
       "line"},
      {"until: 1.5", "oscillation: {frequency: 3}",
       "15:83: walls[1].oscillation.amplitude: is missing, must be [x, y], two numbers [m]"},
      {"until: 1.5", "oscillation: {amplitude: [0, 1], frequency: -3}",
       "15:114: walls[1].oscillation.frequency: is -3, must be a number > 0 [1/s]"},
      {"until: 1.5", "until: 0", "15:77: walls[1].until: is 0, must be never or a number > 0 [s]"},
      {"until: 1.5", "until: nevr", "15:77: walls[1].until: is 'nevr', must be never or a number > 0 [s]"},
      {"velocity: [0.125, 0]", "velocity: 0.125",
       "16:80: walls[2].velocity: is 0.125, must be [x, y], two numbers [m/s]"},
      {"rate: 3.1, ", "", "21:15: walls[3].rotation.rate: is missing, must be a number [rad/s]"},
      {"rotation: {rate: -2}", "rotation: -2", "22:85: walls[4].rotation: is -2, must be a mapping with rate, about"},
      {"about: [-0.7, 0.01]", "about: centre",
       "21:34: walls[3].rotation.about: is 'centre', must be [x, y], two numbers [m]"},
  });
  const std::string thin = complaint("y: [0, 0.3]}, until: 1.5", "y: [0, 1e-20]}, until: 1.5");
  CHECK(thin.find("s.yaml:15:40: walls[1].box: is not a polygon (") == 0);
  CHECK(thin.find("), must be a box that is not too thin") != std::string::npos);
  for (const std::string corners : {"[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0]]", "[]",
                                    "[[0, 0], [1, 0], [0.2, 0.2], [0, 1]]", "[[0, 0], [1, 1], [1, 0], [0, 1]]"}) {
    const std::string said = complaint("polygon: [[-0.8, 0], [-0.6, 0], [-0.6, 0.02]]", "polygon: " + corners);
    CAPTURE(said);
    CHECK(said.find("s.yaml:19:14: walls[3].polygon: is not a polygon (") == 0);
    CHECK(said.find("), must be " + polygon) != std::string::npos);
  }
}

TEST_CASE("a ring becomes walls around its centre, side by side") {
  const std::string box = "box: {x: [0.4, 0.5], y: [0, 0.3]}, until: 1.5";
  const std::string ring = "ring: {centre: [0.5, 0.25], radius: 0.2, thickness: 0.01, segments: 48}";
  const Scene scene = parse_scene(replaced(kMaximalScene, box, ring + ", rotation: {rate: 1.5}, until: 2"), "s.yaml");
  REQUIRE(scene.walls.size() == 4 + 48);
  const Vec2 centre(0.5, 0.25);
  for (std::size_t k = 0; k < 48; ++k) {
    const Wall& wall = scene.walls[1 + k];
    const Wall& next = scene.walls[1 + (k + 1) % 48];
    CAPTURE(wall.name);
    CHECK(wall.name == "gate " + std::to_string(k + 1));
    CHECK(wall.pivot == centre);
    CHECK(wall.angular_velocity == 1.5);
    CHECK(wall.until == 2.0);
    REQUIRE(wall.polygon.size() == 4);
    CHECK(wall.polygon[3] == next.polygon[0]);
    CHECK(wall.polygon[2] == next.polygon[1]);
    const Vec2 middle_inside = 0.5 * (wall.polygon[0] + wall.polygon[3]) - centre;
    CHECK(std::abs(middle_inside.norm() - 0.2) < 1e-15);
    CHECK(std::abs((wall.polygon[1] - wall.polygon[0]).norm() - 0.01) < 1e-15);
    CHECK(std::abs(cross(middle_inside, Rotation::by((static_cast<double>(k) + 0.5) * M_PI / 24.0) * Vec2(1.0, 0.0))) <
          1e-15);
  }
  CHECK(complaint(box, "ring: {centre: [0, 0], radius: 0.2, thickness: 0, segments: 48}") ==
        "s.yaml:15:82: walls[1].ring.thickness: is 0, must be a number > 0 [m]");
  CHECK(complaint(box, "ring: {centre: [0, 0], radius: 0.2, thickness: 0.01, segments: 2}") ==
        "s.yaml:15:98: walls[1].ring.segments: is 2, must be a whole number from 3 to 10000");
  CHECK(complaint("{name: plate, ", "{name: gate 48, ").empty());
  CHECK(complaint(replaced(replaced(kMaximalScene, "{name: plate, ", "{name: gate 48, "), box, ring)) ==
        "s.yaml:15:12: walls[1].name: is 'gate 48' again, must be another name than those of the walls before");
  CHECK(complaint(box, "ring: {centre: [0, 0], radius: 0.2, thickness: 1e-20, segments: 48}")
            .find("), must be a ring that is not too thin") != std::string::npos);
}

TEST_CASE("mistakes in particle groups") {
  check_mistakes({
      {"count: 1500", "count: 0", "24:19: particles[0].pour.count: is 0, must be a whole number from 1 to 10000000"},
      {"count: 1500", "count: 1.5",
       "24:19: particles[0].pour.count: is 1.5, must be a whole number from 1 to 10000000"},
      {"count: 1500", "count: 10000001",
       "24:19: particles[0].pour.count: is 10000001, must be a whole number from 1 to 10000000"},
      {"count: 1500", "count: many",
       "24:19: particles[0].pour.count: is 'many', must be a whole number from 1 to 10000000"},
      {"count: all", "count: none",
       "32:60: particles[2].fill.count: is 'none', must be all or a whole number from 1 to 10000000"},
      {"rate: 800", "rate: 0", "24:31: particles[0].pour.rate: is 0, must be a number > 0 [1/s]"},
      {"from: 0.5", "from: -1", "24:42: particles[0].pour.from: is -1, must be a number >= 0 [s]"},
      {"jitter: 0.1", "jitter: -1", "28:71: particles[1].fill.jitter: is -1, must be a number >= 0 [m/s]"},
      {"jitter: 0.1", "spacing: 0.02",
       "28:72: particles[1].fill.spacing: is 0.02 m, must be more than the width of the largest grain, 0.0219927 m"},
      {"size: 0.02\n", "size: 0.02\n    colour: red\n",
       "32:13: particles[1].colour: is 'red', must be [red, green, blue], whole numbers from 0 to 255"},
      {"x: [-0.05, 0.05]", "x: [0.05, -0.05]",
       "24:59: particles[0].pour.region.x: is [0.05, -0.05], must be [lo, hi] with lo < hi [m]"},
      {"y: [0.3, 0.5]", "y: [0.3, 2.5]",
       "24:77: particles[0].pour.region.y: is [0.3, 2.5], must lie inside the domain, [-0.1, 2] [m]"},
      {"x: [-0.5, 0.5], y: [1, 1.5]", "x: [-0.5, 1.5], y: [1, 1.5]",
       "28:24: particles[1].fill.region.x: is [-0.5, 1.5], must lie inside the domain, [-1, 1] [m]"},
      {"y: [1.6, 1.9]", "y: [1.6, 1.62]",
       "32:40: particles[2].fill.region.y: is 0.02 m wide, must be at least as wide as the largest grain, 0.03 m"},
      {"position: [0, 0.7]", "position: [0, 2.7]",
       "37:20: particles[3].place[0].position: is [0, 2.7], must be in the domain, y in [-0.1, 2] [m]"},
      {"{position: [0.2, 0.7]}", "{angle: 1}",
       "38:9: particles[3].place[1].position: is missing, must be [x, y], two numbers [m]"},
      {"angular_velocity: -3", "spin: -3",
       "37:60: particles[3].place[0].spin: is not a key here, must be position, angle, velocity, angular_velocity, "
       "size, "
       "mass or colour"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: {regular_polygon: {vertices: 2}}",
       "30:41: particles[1].shape.regular_polygon.vertices: is 2, must be a whole number from 3 to 10000"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: hexagon",
       "30:12: particles[1].shape: is 'hexagon', must be disk, or a mapping with one of regular_polygon, "
       "random_polygon, polygon, parts, ellipse, superellipse or outline"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: {regular_poligon: {vertices: 6}}",
       "30:13: particles[1].shape.regular_poligon: is not a key here (did you mean 'regular_polygon'?), must be disk, "
       "regular_polygon, random_polygon, polygon, parts, ellipse, superellipse or outline"},
      {"    shape: {regular_polygon: {vertices: 6}}\n", "",
       "28:5: particles[1].shape: is missing, must be disk, or a mapping with one of regular_polygon, random_polygon, "
       "polygon, parts, ellipse, superellipse or outline"},
      {"vertices: [5, 8]", "vertices: [8, 5]",
       "26:40: particles[0].shape.random_polygon.vertices: is [8, 5], must be [least, greatest] in this order"},
      {"vertices: [5, 8]", "vertices: [2, 5]",
       "26:41: particles[0].shape.random_polygon.vertices[0]: is 2, must be a whole number from 3 to 10000"},
      {"vertices: [5, 8]", "vertices: [5]",
       "26:40: particles[0].shape.random_polygon.vertices: is a list of 1, must be a whole number from 3 to 10000, or "
       "[least, greatest] of two"},
      {"aspect: [1.0, 1.4]", "aspect: [0.5, 1.4]",
       "26:57: particles[0].shape.random_polygon.aspect[0]: is 0.5, must be a number in [1, 100] (long axis over short "
       "axis)"},
      {"uniform: [0.008, 0.014]", "uniform: [0.014, 0.008]",
       "27:21: particles[0].size.uniform: is [0.014, 0.008], must be [least, greatest] in this order"},
      {"uniform: [0.008, 0.014]", "uniform: [0, 0.014]",
       "27:22: particles[0].size.uniform[0]: is 0, must be a number > 0 [m]"},
      {"size: 0.02", "size: -0.02", "31:11: particles[1].size: is -0.02, must be a number > 0 [m]"},
      {"size: 0.02", "size: [0.01, 0.02]",
       "31:11: particles[1].size: is a list, must be a number > 0 or {uniform: [least, greatest]} [m]"},
      {"    size: 0.02\n", "", "28:5: particles[1].size: is missing, must be a number > 0 [m]"},
      {"  - place:\n", "  - palce:\n",
       "36:5: particles[3].palce: is not a key here (did you mean 'place'?), must be pour, fill, place, random, mix, "
       "lattice, file, billiards, material, shape, size, fixed, growth_rate or colour"},
      {"size: 0.02\n", "size: 0.02\n    place: []\n",
       "32:5: particles[1].place: is given beside fill, must be only one of pour, fill, place, random, mix, lattice, "
       "file or billiards"},
      {"  - fill: {region: {x: [-0.5, 0.5], y: [1, 1.5]}, count: 100, jitter: 0.1}\n    material", "  - material",
       "28:5: particles[1]: is incomplete, must have one of pour, fill, place, random, mix, lattice, file or "
       "billiards"},
      {"size: 0.03", "size: 1e-9",
       "32:20: particles[2].fill.region: has room for some 3e+17 grains, must have room for at most 10000000 (or "
       "give "
       "a count)"},
      {"size: 0.02", "size: 2",
       "31:11: particles[1].size: allows grains 2.19927 m wide, must allow less than 2 m, the period along x"},
  });
}

TEST_CASE("grains of a group have a colour, and those of a fill a spacing, if it says so") {
  const Scene plain = parse_scene(kMaximalScene, "s.yaml");
  CHECK_FALSE(plain.particles[1].colour);
  CHECK(std::get<Fill>(plain.particles[1].how).spacing == 0.0);
  const std::string text =
      replaced(kMaximalScene, "jitter: 0.1}\n", "jitter: 0.1, spacing: 0.25}\n    colour: [1, 2, 255]\n");
  const Scene scene = parse_scene(text, "s.yaml");
  CHECK(scene.particles[1].colour == Colour{1, 2, 255});
  CHECK(std::get<Fill>(scene.particles[1].how).spacing == 0.25);
}

TEST_CASE("a region must hold the largest grain") {
  // A regular hexagon is 1.0996 times as wide as the disk of equal area.
  const auto with_width = [](const char* width) {
    return complaint(replaced(replaced(kMaximalScene, "size: 0.02\n", "size: 0.1\n"), "y: [1, 1.5]",
                              std::string("y: [1, ") + width + ']'));
  };
  CHECK(with_width("1.111") == "");
  CHECK(with_width("1.109") ==
        "s.yaml:28:40: particles[1].fill.region.y: is 0.109 m wide, must be at least as wide as the largest grain, "
        "0.109964 m");
}

TEST_CASE("no random polygon is wider than the reader expects, and some are nearly as wide") {
  // The region's least width tells what the reader expects of grains of size 1.
  for (const int vertices : {3, 4, 5, 8, 20}) {
    for (const double aspect : {1.0, 3.0}) {
      CAPTURE(vertices);
      CAPTURE(aspect);
      const auto accepts = [&](double width) {
        return complaint(
                   "scree: 1\ndomain: {x: [0, 100], y: [0, 100]}\ntime: {end: 1}\noutput: {every: 1}\n"
                   "materials: {m: {density: 1, stiffness: 1, restitution: 1}}\n"
                   "particles:\n  - fill: {region: {x: [0, " +
                   std::to_string(width) +
                   "], y: [0, 50]}}\n"
                   "    material: m\n    size: 1\n    shape: {random_polygon: {vertices: " +
                   std::to_string(vertices) + ", aspect: " + std::to_string(aspect) + "}}\n")
            .empty();
      };
      double refused = 0.0;
      double accepted = 50.0;
      REQUIRE(accepts(accepted));
      while (accepted - refused > 1e-4) {
        const double middle = 0.5 * (refused + accepted);
        (accepts(middle) ? accepted : refused) = middle;
      }

      std::mt19937_64 bits(7);
      const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
      double widest = 0.0;
      for (int i = 0; i < 3000; ++i) {
        const Polygon polygon = random_convex_polygon(vertices, aspect, uniform);
        for (const Vec2& a : polygon.vertices()) {
          for (const Vec2& b : polygon.vertices()) {
            widest = std::max(widest, (a - b).norm() / equivalent_diameter(polygon.area()));
          }
        }
      }
      CHECK(widest <= accepted);
      CHECK(widest > 0.6 * accepted);
    }
  }
}

}  // namespace scree::scene_bodies_test
