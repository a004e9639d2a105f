#include "io/scene_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/errors.hpp"
#include "scene_texts.hpp"
#include "tests/io/scratch_directory.hpp"

namespace {

using namespace scree;

/// Replaces the one place where `text` holds `old`.
std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos || text.find(old, at + 1) != std::string::npos) {
    throw std::logic_error("the test expects this once: " + old);
  }
  return text.replace(at, old.size(), by);
}

/// What the reader says, or nothing.
std::string complaint(const std::string& text) {
  try {
    parse_scene(text, "s.yaml");
    return "";
  } catch (const SceneError& error) {
    CHECK(error.line > 0);
    CHECK(error.column > 0);
    return error.what();
  }
}

/// The maximal scene spoilt in one place.
std::string complaint(const std::string& old, const std::string& by) {
  return complaint(replaced(kMaximalScene, old, by));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

struct Mistake {
  const char* old;
  const char* by;
  const char* message;
};

void check(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(std::string(mistake.by));
    CHECK(complaint(mistake.old, mistake.by) == std::string("s.yaml:") + mistake.message);
  }
}

}  // namespace

TEST_CASE("every key of a scene arrives where it belongs") {
  const Scene scene = parse_scene(kMaximalScene, "s.yaml");
  CHECK(scene.title == "Everything at once");
  CHECK(scene.mode == Mode::soft);
  CHECK(scene.seed == 18446744073709551615ULL);
  CHECK(scene.domain == Domain{{-1, -0.1}, {1, 2}, {true, false}});
  CHECK(scene.gravity == Vec2(0, -9.81));
  CHECK(scene.materials ==
        std::vector<Material>{{.name = "stone", .density = 2600, .stiffness = 1e6, .restitution = 0.3, .friction = 0.5},
                              {.name = "steel", .density = 7800, .stiffness = 2e6, .damping = 0.05}});

  REQUIRE(scene.walls.size() == 5);
  CHECK(scene.walls[0].name == "plate");
  CHECK(scene.walls[0].material == 1);
  CHECK(scene.walls[0].polygon == std::vector<Vec2>{{-0.3, -0.02}, {0.3, -0.02}, {0.3, 0}, {-0.3, 0}});
  CHECK_FALSE(scene.walls[0].until);
  CHECK(scene.walls[1].polygon == std::vector<Vec2>{{0.4, 0}, {0.5, 0}, {0.5, 0.3}, {0.4, 0.3}});
  CHECK(scene.walls[1].until == 1.5);
  CHECK(scene.walls[2].velocity == Vec2(0.125, 0));
  CHECK_FALSE(scene.walls[2].until);
  CHECK(scene.walls[3].angular_velocity == 3.1);
  CHECK(scene.walls[3].pivot == Vec2(-0.7, 0.01));
  CHECK(scene.walls[4].angular_velocity == -2.0);
  CHECK((scene.walls[4].pivot - Vec2(-0.85, 0.65)).norm() < 1e-12);  // m

  REQUIRE(scene.particles.size() == 5);
  const Pour pour{1500, 800, 0.5, {{-0.05, 0.3}, {0.05, 0.5}}, {0, -0.5}};
  CHECK(scene.particles[0] == ParticleGroup{pour, 0, RandomPolygon{{5, 8}, {1.0, 1.4}}, {0.008, 0.014}});
  const Fill fill{{{-0.5, 1}, {0.5, 1.5}}, 100, 0.1};
  CHECK(scene.particles[1] == ParticleGroup{fill, 0, RegularPolygon{6}, {0.02, 0.02}});
  const Fill full{{{-0.5, 1.6}, {0.5, 1.9}}, std::nullopt, 0.0};
  CHECK(scene.particles[2] == ParticleGroup{full, 1, Disk{}, {0.03, 0.03}});
  CHECK(std::get<Place>(scene.particles[3].how) ==
        Place{{{0, 0.7}, 0.1, {1, 2}, -3.0}, {{0.2, 0.7}, 0.0, Vec2::Zero(), 0.0}});
  CHECK(std::get<ExplicitPolygon>(scene.particles[3].shape).vertices.size() == 4);
  CHECK(std::get<Pour>(scene.particles[4].how).count == 1000);
  CHECK(std::get<RandomPolygon>(scene.particles[4].shape) == RandomPolygon{{6, 6}, {1.0, 1.0}});

  CHECK(scene.contact_law == "area");
  CHECK(scene.disk_law == "hertz");
  REQUIRE(scene.pairs.size() == 1);
  CHECK(scene.pairs[0].first == 1);
  CHECK(scene.pairs[0].second == 0);
  CHECK(scene.pairs[0].mixed.friction == 0.4);
  CHECK(scene.pairs[0].mixed.dynamic_friction == 0.25);
  CHECK(scene.pairs[0].mixed.damping == 0.2);
  CHECK(std::abs(scene.pairs[0].mixed.stiffness - 4e6 / 3.0) < 1e-6);  // the mixture's, as nothing else is said [N/m]
  CHECK(scene.broadphase == BroadphaseKind::linked_cells);
  CHECK(scene.end == 4.0);
  CHECK(scene.step == 2e-6);
  CHECK(scene.output_every == 0.02);
  CHECK(scene.output_directory == "out/everything");
  REQUIRE(scene.measure);
  CHECK(scene.measure->every == 0.25);
  CHECK(scene.measure->from == 1.5);
  CHECK(scene.measure->region == Region{{-0.5, 0.0}, {0.5, 0.75}});
  CHECK(scene.measure->radial_distribution == Measure::RadialDistribution{0.125, 50});
  CHECK(scene.measure->velocity_distribution == Measure::VelocityDistribution{4.0, 40});
  CHECK(scene.measure->height_profile == Measure::HeightProfile{20});
  CHECK(scene.measure->mean_square_displacement);
  CHECK_FALSE(scene.measure->free_flights);
}

TEST_CASE("a scene measures only if it says so, and then what it says") {
  const std::string frame = "scree: 1\ndomain: {x: [0, 1], y: [0, 2]}\ntime: {end: 1}\noutput: {every: 0.1}\n";
  CHECK_FALSE(parse_scene(frame, "s.yaml").measure);
  CHECK(parse_scene(frame + "measure: {}\n", "s.yaml").measure == Measure{.every = 0.1, .region = {{0, 0}, {1, 2}}});
  const Measure all = *parse_scene(frame +
                                       "measure: {radial_distribution: {to: 0.5}, velocity_distribution: {}, "
                                       "height_profile: {}}\n",
                                   "s.yaml")
                           .measure;
  CHECK(all.radial_distribution == Measure::RadialDistribution{0.5, 100});
  CHECK(all.velocity_distribution == Measure::VelocityDistribution{5.0, 100});
  CHECK(all.height_profile == Measure::HeightProfile{100});
  CHECK_FALSE(all.mean_square_displacement);
}

TEST_CASE("what cannot be measured is told") {
  check({
      {"every: 0.25", "every: 0",
       "50:10: measure.every: is 0, must be a number in [4e-06, 4] [s] (up to time.end, at most a million samples)"},
      {"every: 0.25", "every: 5",
       "50:10: measure.every: is 5, must be a number in [4e-06, 4] [s] (up to time.end, at most a million samples)"},
      {"from: 1.5", "from: 4.5", "51:9: measure.from: is 4.5, must be a number in [0, 4] [s] (up to time.end)"},
      {"region: {x: [-0.5, 0.5], y: [0, 0.75]}", "region: {x: [-0.5, 1.5], y: [0, 0.75]}",
       "52:15: measure.region.x: is [-0.5, 1.5], must lie inside the domain, [-1, 1] [m]"},
      {"{to: 0.125, bins: 50}", "{bins: 50}",
       "53:24: measure.radial_distribution.to: is missing, must be a number in (0, 0.375] [m] (up to half of the "
       "region's shorter side)"},
      {"{to: 0.125, bins: 50}", "{to: 0.5}",
       "53:29: measure.radial_distribution.to: is 0.5, must be a number in (0, 0.375] [m] (up to half of the region's "
       "shorter side)"},
      {"{to: 0.125, bins: 50}", "{to: 0.125, bins: 0}",
       "53:42: measure.radial_distribution.bins: is 0, must be a whole number from 1 to 100000"},
      {"{to: 4, bins: 40}", "{to: 0, bins: 40}", "54:31: measure.velocity_distribution.to: is 0, must be a number > 0"},
      {"height_profile: {bins: 20}", "height_profile: 20",
       "55:19: measure.height_profile: is 20, must be a mapping with bins"},
      {"mean_square_displacement: {}", "mean_square_displacement: {from: 1}",
       "56:30: measure.mean_square_displacement.from: is no key here, must be left out"},
      {"mean_square_displacement: {}", "free_flights: {}",
       "56:3: measure.free_flights: is given in mode soft, where contacts last, must be left out"},
      {"mean_square_displacement: {}", "msd: {}",
       "56:3: measure.msd: is no key here, must be every, from, region, radial_distribution, velocity_distribution, "
       "height_profile, mean_square_displacement or free_flights"},
  });
}

TEST_CASE("a polygon without a size has its own") {
  const SizeSpec size = parse_scene(kMaximalScene, "s.yaml").particles[3].size;
  const double diameter = std::sqrt(4.0 * 0.04 * 0.02 / 3.14159265358979323846);
  CHECK(std::abs(size.least - diameter) < 1e-12);  // m
  CHECK(size.greatest == size.least);
  const Scene given = parse_scene(
      replaced(kMaximalScene, "[0.04, 0.02], [0, 0.02]]}\n", "[0.04, 0.02], [0, 0.02]]}\n    size: 0.05\n"), "s.yaml");
  CHECK(given.particles[3].size == SizeSpec{0.05, 0.05});
}

TEST_CASE("what may be left out has its default") {
  const Scene scene = parse_scene("scree: 1\ndomain: {x: [0, 1], y: [0, 2]}\ntime: {end: 1}\noutput: {every: 0.1}\n",
                                  "scenes/heap.of.sand.yaml");
  Scene expected;
  expected.domain.hi = {1, 2};
  expected.end = 1.0;
  expected.output_every = 0.1;
  expected.output_directory = "out/heap.of.sand";
  CHECK(scene == expected);
}

TEST_CASE("walls, particles and materials may be left empty") {
  const std::string frame = "scree: 1\ndomain: {x: [0, 1], y: [0, 2]}\ntime: {end: 1}\noutput: {every: 0.1}\n";
  CHECK(complaint(frame + "particles:\nwalls:\nmaterials:\n") == "");
  CHECK(complaint(frame + "particles: []\nwalls: []\nmaterials: {}\n") == "");
}

TEST_CASE("a wall oscillates with an amplitude, a frequency and a phase") {
  const auto oscillation = [](const std::string& text) {
    return parse_scene(replaced(kMaximalScene, "until: 1.5", "oscillation: " + text), "s.yaml").walls[1].oscillation;
  };
  CHECK(oscillation("{amplitude: [0, 0.01], frequency: 25}") == Oscillation{{0.0, 0.01}, 25.0, 0.0});
  CHECK(oscillation("{phase: -1, amplitude: [0.5, 0], frequency: 3}") == Oscillation{{0.5, 0.0}, 3.0, -1.0});
}

TEST_CASE("numbers are read in the forms that people write") {
  for (const char* text : {"2600", "2600.", "+2.6e3", "2.6E+3", "26e2"}) {
    CAPTURE(text);
    CHECK(parse_scene(replaced(kMaximalScene, "2600", text), "s.yaml").materials[0].density == 2600.0);
  }
}

TEST_CASE("what is no number is refused where a number is wanted") {
  for (const std::string text :
       {".inf", "-.inf", ".nan", "inf",  "nan", "NAN",      "1e400",  "1e101", "1.0m",   "0x10",   "1_000",   "+-3",
        "--3",  "true",  "yes",  "null", "~",   "\"2600\"", "'2600'", "",      "[2600]", "{a: 1}", "2600 kg", "1,5e"}) {
    CAPTURE(text);
    const std::string said = complaint("density: 2600,", "density: " + text + ",");
    const bool names_it = said.find("s.yaml:8:") == 0 && said.find("materials.stone") != std::string::npos;
    CHECK_MESSAGE(names_it, said);
  }
  check({
      {"density: 2600", "density: 1.0m", "8:20: materials.stone.density: is '1.0m', must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: .inf", "8:20: materials.stone.density: is '.inf', must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: [1]", "8:20: materials.stone.density: is a list, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: {}", "8:20: materials.stone.density: is a mapping, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: ", "8:11: materials.stone.density: is empty, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: '1'", "8:20: materials.stone.density: is \"1\", must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: true", "8:20: materials.stone.density: is 'true', must be a number > 0 [kg/m^2]"},
  });
}

TEST_CASE("a mistake at the top is told with its place, its value and what is allowed") {
  check({
      {"scree: 1\n", "", "1:1: scree: is missing, must be 1, the version of the scene format"},
      {"scree: 1\n", "scree: 2\n", "1:8: scree: is 2, must be 1, the version of the scene format"},
      {"mode: soft", "mode: sotf", "3:7: mode: is 'sotf', must be soft or hard (did you mean 'soft'?)"},
      {"title: \"Everything at once\"", "title: [a]", "2:8: title: is a list, must be a text"},
      {"seed: 1844674407370955161", "seed: -",
       "4:7: seed: is -5, must be a whole number from 0 to 18446744073709551615"},
      {"seed: 1844674407370955161", "seed: 1.",
       "4:7: seed: is 1.5, must be a whole number from 0 to 18446744073709551615"},
      {"domain: {x: [-1, 1], y: [-0.1, 2], periodic: [x]}\n", "",
       "1:1: domain: is missing, must be a mapping with x, y, periodic, sides"},
      {"periodic: [x]", "sides: reflecting",
       "5:43: domain.sides: is 'reflecting', must be open in soft mode, where walls keep grains in"},
      {"periodic: [x]", "sides: hard", "5:43: domain.sides: is 'hard', must be open or reflecting"},
      {"x: [-1, 1]", "x: [1, -1]", "5:13: domain.x: is [1, -1], must be [lo, hi] with lo < hi [m]"},
      {"x: [-1, 1]", "x: [1, 1]", "5:13: domain.x: is [1, 1], must be [lo, hi] with lo < hi [m]"},
      {"x: [-1, 1]", "x: 1", "5:13: domain.x: is 1, must be [lo, hi] with lo < hi [m]"},
      {"x: [-1, 1]", "x: [0, 1, 2]", "5:13: domain.x: is a list of 3, must be [lo, hi] with lo < hi [m]"},
      {"x: [-1, 1]", "x: [0, one]", "5:17: domain.x[1]: is 'one', must be a number [m]"},
      {"x: [-1, 1], ", "", "5:9: domain.x: is missing, must be [lo, hi] with lo < hi [m]"},
      {"periodic: [x]", "periodic: x",
       "5:46: domain.periodic: is 'x', must be a list of the periodic axes: [], [x], [y] or [x, y]"},
      {"periodic: [x]", "periodic: [z]", "5:47: domain.periodic[0]: is 'z', must be x or y"},
      {"periodic: [x]", "periodic: [x, x]", "5:50: domain.periodic[1]: is given twice, must be given once"},
      {"gravity: [0, -9.81]", "gravity: -9.81", "6:10: gravity: is -9.81, must be [x, y], two numbers [m/s^2]"},
      {"gravity: [0, -9.81]", "gravity: [0]", "6:10: gravity: is a list of 1, must be [x, y], two numbers [m/s^2]"},
      {"law: area", "law: hertz", "45:16: contact.law: is 'hertz', must be area, area_potential or area_potential_3_2"},
      {"law: area", "law: aera",
       "45:16: contact.law: is 'aera', must be area, area_potential or area_potential_3_2 (did you mean 'area'?)"},
      {"disks: hertz", "disks: linaer",
       "45:29: contact.disks: is 'linaer', must be linear, linear_unclipped or hertz (did you mean 'linear'?)"},
      {"broadphase: linked_cells", "broadphase: linked cells",
       "48:13: broadphase: is 'linked cells', must be auto, sort_and_update, sorted_strips, linked_cells, "
       "hierarchical_grid, distance_sort or all_pairs (did you mean 'linked_cells'?)"},
  });
}

TEST_CASE("unknown and repeated keys are mistakes, and the key that was meant is proposed") {
  check({
      {"gravity: [", "gravty: [",
       "6:1: gravty: is no key here (did you mean 'gravity'?), must be scree, title, mode, seed, domain, gravity, "
       "materials, walls, particles, contact, growth, well, broadphase, time, output or measure"},
      {"friction: 0.5", "fricton: 0.5",
       "8:60: materials.stone.fricton: is no key here (did you mean 'friction'?), must be density, stiffness, "
       "restitution, damping, friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, "
       "cohesion, tangential_restitution, restitution_law or restitution_speed"},
      {"friction: 0.5", "colour: red",
       "8:60: materials.stone.colour: is no key here, must be density, stiffness, restitution, damping, "
       "friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, cohesion, "
       "tangential_restitution, restitution_law or restitution_speed"},
      {"{disk: {}}", "{disk: {radius: 1}}", "34:20: particles[2].shape.disk.radius: is no key here, must be left out"},
      {"friction: 0.5", "density: 1",
       "8:60: materials.stone.density: is given twice, must be given once (also in line 8)"},
      {"mode: soft\n", "mode: soft\ntitle: again\n", "4:1: title: is given twice, must be given once (also in line 2)"},
      {"friction: 0.5", "[1]: 0.5", "8:60: materials.stone: is a list, must be a key"},
  });
}

TEST_CASE("mistakes in materials") {
  check({
      {"  stone: {density: 2600, ", "  stone: {",
       "8:10: materials.stone.density: is missing, must be a number > 0 [kg/m^2]"},
      {"    density: 7800\n", "", "10:5: materials.steel.density: is missing, must be a number > 0 [kg/m^2]"},
      {"density: 2600", "density: 0", "8:20: materials.stone.density: is 0, must be a number > 0 [kg/m^2]"},
      {"stiffness: 1e6", "stiffness: -1e6", "8:37: materials.stone.stiffness: is -1e6, must be a number > 0 [N/m]"},
      {"restitution: 0.3", "restitution: 0",
       "8:55: materials.stone.restitution: is 0, must be a number in (0, 1] (no finite damping reaches 0)"},
      {"restitution: 0.3", "restitution: 1.01",
       "8:55: materials.stone.restitution: is 1.01, must be a number in (0, 1] (no finite damping reaches 0)"},
      {"friction: 0.5", "friction: -0.5", "8:70: materials.stone.friction: is -0.5, must be a number >= 0"},
      {"  stone: {density: 2600", "  '': {density: 2600", "8:3: materials: is \"\", must be a key"},
      {"  stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}", "  stone: granite",
       "8:10: materials.stone: is 'granite', must be a mapping with density, stiffness, restitution, damping, "
       "friction, "
       "dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, cohesion, "
       "tangential_restitution, restitution_law, restitution_speed"},
  });
}

TEST_CASE("every property of a contact arrives in a material, and in a pair the others are the mixture's") {
  const std::string all =
      "stiffness: 2e6, damping: 0.4, friction: 0.6, dynamic_friction: 0.5, tangential_stiffness: 0.7, "
      "tangential_damping: 0.3, rolling_friction: 0.05, cohesion: 2";
  const Scene scene = parse_scene(
      "scree: 1\ndomain: {x: [0, 1], y: [0, 2]}\ntime: {end: 1}\noutput: {every: 0.1}\n"
      "materials:\n  a: {density: 1, " +
          all +
          "}\n  b: {density: 1, stiffness: 2e6, restitution: 0.9}\n"
          "contact:\n  pairs:\n    - {between: [b, b], " +
          all +
          "}\n    - {between: [a, a], dynamic_friction: static, tangential_damping: normal}\n"
          "    - {between: [b, a], restitution: 0.5, friction: 0.9}\n",
      "s.yaml");
  const Material& a = scene.materials[0];
  CHECK(a == Material{.name = "a",
                      .density = 1,
                      .stiffness = 2e6,
                      .friction = 0.6,
                      .damping = 0.4,
                      .dynamic_friction = 0.5,
                      .tangential_stiffness = 0.7,
                      .tangential_damping = 0.3,
                      .rolling_friction = 0.05,
                      .cohesion = 2});
  REQUIRE(scene.pairs.size() == 3);
  Material same = a;
  same.name = "";
  same.density = 0.0;
  CHECK(scene.pairs[0].mixed.damping == 0.4);
  CHECK(scene.pairs[0].mixed.cohesion == 2.0);
  CHECK(scene.pairs[0].mixed.tangential_damping == 0.3);
  Material changed = same;
  changed.dynamic_friction.reset();
  changed.tangential_damping.reset();
  CHECK(scene.pairs[1].mixed == changed);
  CHECK_FALSE(scene.pairs[2].mixed.damping);
  CHECK(scene.pairs[2].mixed.restitution == 0.5);
  CHECK(scene.pairs[2].mixed.friction == 0.9);
  CHECK_FALSE(scene.pairs[2].mixed.dynamic_friction);  // as friction is
}

TEST_CASE("mistakes in what two materials have in common") {
  check({
      {"restitution: 0.3", "restitution: 0.3, damping: 0.1",
       "8:60: materials.stone.damping: stands beside restitution, must be only one of restitution or damping"},
      {"damping: 0.05", "damping: -1", "12:14: materials.steel.damping: is -1, must be a number in [0, 10]"},
      {"    damping: 0.05\n", "",
       "10:5: materials.steel.restitution: is missing, must be a number in (0, 1] (no finite damping reaches 0)"},
      {"dynamic_friction: 0.25", "dynamic_friction: 0.5",
       "45:103: contact.pairs[0].dynamic_friction: is 0.5, must be static or a number in [0, 0.4] (up to friction)"},
      {"between: [steel, stone]", "between: [steel]",
       "45:54: contact.pairs[0].between: is a list, must be a list of two materials"},
      {"between: [steel, stone]", "between: [steel, stine]",
       "45:62: contact.pairs[0].between[1]: is 'stine', which is no material (did you mean 'stone'?), must be stone or "
       "steel"},
      {"damping: 0.2}]", "damping: 0.2}, {between: [stone, steel]}]",
       "45:134: contact.pairs[1].between: names a pair again, must be another one than those before"},
      {"friction: 0.4, dynamic", "friction: 0.4, cohesion: -1, dynamic",
       "45:95: contact.pairs[0].cohesion: is -1, must be a number >= 0 [N/m]"},
  });
}

TEST_CASE("hard mode takes what hard disks have and refuses the rest") {
  const std::string hard = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
materials:
  ball: {density: 1, restitution: 0, friction: 0.5, tangential_restitution: -0.5}
  stone: {density: 1, restitution: 1, stiffness: 1e6, tangential_stiffness: 0.5, rolling_friction: 0, cohesion: 0}
particles:
  - {place: [{position: [0.5, 0.5]}], material: ball, shape: disk, size: 0.1}
contact: {law: area, pairs: [{between: [ball, stone], tangential_restitution: 0.5}]}
time: {end: 1}
output: {every: 1}
)";
  const Scene scene = parse_scene(hard, "s.yaml");
  CHECK(scene.mode == Mode::hard);
  CHECK(scene.domain.reflecting);
  CHECK(scene.materials[0].stiffness == 0.0);
  CHECK(scene.materials[0].restitution == 0.0);
  CHECK(scene.materials[0].tangential_restitution == -0.5);
  CHECK(scene.materials[1].stiffness == 1e6);
  CHECK(scene.pairs[0].mixed ==
        Material{.name = "", .restitution = 0.0, .friction = 0.0, .tangential_restitution = 0.5});
  const auto refused = [&](const char* old, const char* by, const char* message) {
    CHECK(complaint(replaced(hard, old, by)) == std::string("s.yaml:") + message);
  };
  refused("restitution: 0,", "restitution: 1.1,",
          "5:35: materials.ball.restitution: is 1.1, must be a number in [0, 1]");
  refused("restitution: 0,", "damping: 0.1,",
          "5:31: materials.ball.damping: is 0.1, must be left out in hard mode, and restitution given instead");
  refused("friction: 0.5", "dynamic_friction: 0.5",
          "5:56: materials.ball.dynamic_friction: is 0.5, must be static in hard mode");
  refused("tangential_restitution: -0.5", "tangential_restitution: -2",
          "5:77: materials.ball.tangential_restitution: is -2, must be a number in [-1, 1]");
  refused("rolling_friction: 0", "rolling_friction: 0.1",
          "6:100: materials.stone.rolling_friction: is 0.1, must be 0 in hard mode");
  refused("cohesion: 0", "cohesion: 5", "6:113: materials.stone.cohesion: is 5, must be 0 in hard mode");
  refused("shape: disk", "shape: {regular_polygon: {vertices: 6}}",
          "8:80: particles[0].shape.regular_polygon: is a mapping, must be disk in hard mode");
}

TEST_CASE("hard mode reads restitution that depends on speed, wells and segments as walls") {
  const std::string hard = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
materials:
  ball: {density: 1, restitution: 0.7, restitution_law: bizon, restitution_speed: 0.5}
  ice: {density: 1, restitution: 0.9, restitution_law: viscoelastic, restitution_speed: 0.1}
  steel: {density: 1, stiffness: 1e6, restitution: 0.8}
walls:
  - {name: slide, material: steel, segment: [[0, 0.5], [0.5, 0.25]]}
contact:
  pairs:
    - {between: [ball, ice], friction: 0.5}
    - {between: [ice, ice], restitution: 0.5, restitution_law: bizon, restitution_speed: 2}
    - {between: [ball, ball], restitution: 0.6}
    - {between: [ball, steel], restitution_law: constant}
well: {range: 1.5, energy: -0.25}
time: {end: 1}
output: {every: 1}
)";
  const Scene scene = parse_scene(hard, "s.yaml");
  const auto normal = [](const Material& m) {
    return std::tuple(m.restitution, m.restitution_law, m.restitution_speed);
  };
  CHECK(normal(scene.materials[0]) == std::tuple(0.7, RestitutionLaw::bizon, 0.5));
  CHECK(normal(scene.materials[1]) == std::tuple(0.9, RestitutionLaw::viscoelastic, 0.1));
  CHECK(normal(scene.materials[2]) == std::tuple(0.8, RestitutionLaw::constant, 1.0));
  CHECK(normal(scene.pairs[0].mixed) == std::tuple(0.7, RestitutionLaw::bizon, 0.5));
  CHECK(normal(scene.pairs[1].mixed) == std::tuple(0.5, RestitutionLaw::bizon, 2.0));
  CHECK(normal(scene.pairs[2].mixed) == std::tuple(0.6, RestitutionLaw::bizon, 0.5));
  CHECK(normal(scene.pairs[3].mixed) == std::tuple(0.7, RestitutionLaw::constant, 1.0));
  CHECK(scene.walls[0].polygon == std::vector<Vec2>{{0, 0.5}, {0.5, 0.25}});
  CHECK(scene.walls[0].pivot == Vec2(0.25, 0.375));
  CHECK(scene.well == Well{1.5, -0.25});

  const auto refused = [&](const char* old, const char* by, const char* message) {
    CHECK(complaint(replaced(hard, old, by)) == std::string("s.yaml:") + message);
  };
  refused("law: bizon, restitution_speed: 0.5", "law: bison, restitution_speed: 0.5",
          "5:57: materials.ball.restitution_law: is 'bison', must be constant, bizon or viscoelastic (did you mean "
          "'bizon'?)");
  refused(", restitution_speed: 0.5", "",
          "5:9: materials.ball.restitution_speed: is missing, must be a number > 0 [m/s]");
  refused("restitution_speed: 0.5", "restitution_speed: 0",
          "5:83: materials.ball.restitution_speed: is 0, must be a number > 0 [m/s]");
  refused(
      "restitution_law: bizon, restitution_speed: 0.5", "restitution_speed: 0.5",
      "5:59: materials.ball.restitution_speed: is 0.5, must be left out: no restitution_law that depends on speed is "
      "given with it");
  refused(
      "restitution: 0.9", "restitution: 1",
      "6:34: materials.ice.restitution: is 1, must be a number in [0.01, 1), since restitution_law is viscoelastic");
  refused("range: 1.5", "range: 1", "16:15: well.range: is 1, must be a number > 1");
  refused(", energy: -0.25", "", "16:7: well.energy: is missing, must be a number [J]");
  refused("[0.5, 0.25]]", "[0, 0.5]]",
          "9:45: walls[0].segment: has no length, must be a segment: a list of two points [x, y] that are not the same "
          "[m]");
  refused("[[0, 0.5], ", "[",
          "9:45: walls[0].segment: is a list, must be a segment: a list of two points [x, y] that are not the same "
          "[m]");
  refused("segment: ", "box: {x: [0, 1], y: [0, 1]}, segment: ",
          "9:65: walls[0].segment: stands beside box, must be only one of polygon, box, segment or ring");
  refused("[ball, ball], restitution: 0.6",
          "[ball, ball], restitution: 1, restitution_law: viscoelastic, restitution_speed: 1",
          "14:44: contact.pairs[2].restitution: is 1, must be a number in [0.01, 1), since restitution_law is "
          "viscoelastic");
}

TEST_CASE("hard mode reads when velocities are reversed") {
  const std::string hard = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1]}
time: {end: 4, reverse: 2.5}
output: {every: 1}
)";
  CHECK(parse_scene(hard, "s.yaml").reverse == 2.5);
  CHECK_FALSE(parse_scene(replaced(hard, ", reverse: 2.5", ""), "s.yaml").reverse);
  const auto refused = [&](const char* by, const char* message) {
    CHECK(complaint(replaced(hard, "2.5", by)) == std::string("s.yaml:4:25: time.reverse: ") + message);
  };
  refused("0", "is 0, must be a number in (0, 4] [s] (up to time.end)");
  refused("5", "is 5, must be a number in (0, 4] [s] (up to time.end)");
  CHECK(complaint(replaced(hard, "mode: hard", "mode: soft")) ==
        "s.yaml:4:25: time.reverse: is 2.5, must be left out in soft mode");
}

TEST_CASE("soft mode reads how hard disks rebound, and refuses their wells and segments") {
  const Scene scene = parse_scene(
      replaced(kMaximalScene, "restitution: 0.3,", "restitution: 0.3, restitution_law: bizon, restitution_speed: 2,"),
      "s.yaml");
  CHECK(scene.materials[0].restitution_law == RestitutionLaw::bizon);
  check({
      {"title: \"Everything at once\"", "well: {range: 2, energy: 1}",
       "2:7: well: is a mapping, must be left out in soft mode"},
      {"polygon: [[-0.3, -0.02], [0.3, -0.02], [0.3, 0], [-0.3, 0]]", "segment: [[-0.3, -0.02], [0.3, -0.02]]",
       "14:36: walls[0].segment: is given in mode soft, where walls have an area, must be polygon or box"},
  });
}

TEST_CASE("a mistake that is found later gets its place, as far as its keys are there") {
  const ScratchDirectory directory;
  const std::filesystem::path file = directory.path() / "scene.yaml";
  std::ofstream(file) << R"(scree: 1
walls:
  - name: drum
    ring: {}
  - {name: a.b, polygon: [[0, 0]]}
  - {name: drum two, ring: {}}
particles:
  - fill: {count: 7}
  - place:
      - {position: [0, 0]}
      - position: [1, 1]
materials: {steel: {damping: 1}, steel.2: {damping: 3}}
)";
  const auto place = [&](const char* key) {
    const SceneError error = with_place(InvalidScene(key, "is bad"), file);
    CHECK(std::string(error.what()) == file.string() + ':' + std::to_string(error.line) + ':' +
                                           std::to_string(error.column) + ": " + key + ": is bad");
    return std::pair(error.line, error.column);
  };
  CHECK(place("particles[0].fill.count") == std::pair(8, 19));
  CHECK(place("particles[1].place[1]") == std::pair(11, 9));
  CHECK(place("particles[1].place[1].position") == std::pair(11, 19));
  CHECK(place("particles[1].place[2]") == std::pair(10, 7));
  CHECK(place("walls[1].polygon") == std::pair(5, 26));
  CHECK(place("walls.drum 2.polygon") == std::pair(3, 5));
  CHECK(place("walls.drum two 2.ring") == std::pair(6, 28));
  CHECK(place("walls.a.b.polygon") == std::pair(5, 26));
  CHECK(place("materials.steel.damping") == std::pair(12, 30));
  CHECK(place("materials.steel.2.damping") == std::pair(12, 53));
  CHECK(place("contact.pairs") == std::pair(1, 1));
  CHECK_THROWS_AS(with_place(InvalidScene("walls", "is bad"), directory.path() / "none.yaml"), IoError);
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
  refused("1\n.1 .2 1\n", scene, "two.txt:2: expected 9 numbers");
  refused("1\n.1 .2 1 -2 .05 3 1 2 255\n", replaced(scene, "two.txt", "none.txt"), "none.txt: cannot be opened");
  refused("1\n.1 .2 1 -2 0 3 1 2 255\n", scene, "disk 1: the radius must be a number > 0");
  refused("1\n.1 .2 1 -2 .05 -3 1 2 255\n", scene, "disk 1: the mass must be a number > 0");
  refused("1\n.1 1.2 1 -2 .05 3 1 2 255\n", scene, "disk 1: is outside, must be in the domain");
  refused(one, replaced(scene, "two.txt,", "two.txt, size: 1,"), "particles[0].size: is 1, must be left out");
  refused(one, replaced(scene, "two.txt,", "two.txt, colour: [0, 0, 0],"),
          "particles[0].colour: is a list, must be left out");
  refused(one, replaced(scene, "two.txt,", "two.txt, place: [],"), "must be only one of");
}

TEST_CASE("mistakes in walls") {
  const std::string polygon = "a convex polygon: a list of at least 3 corners [x, y] in order [m]";
  check({
      {"{name: plate, ", "{", "14:5: walls[0].name: is missing, must be the wall's name"},
      {"name: gate", "name: plate",
       "15:12: walls[1].name: is 'plate' again, must be another name than those of the walls before"},
      {"{name: plate, material: steel", "{name: plate, material: steal",
       "14:29: walls[0].material: is 'steal', which is no material (did you mean 'steel'?), must be stone or steel"},
      {"polygon: [[-0.8, 0], [-0.6, 0], [-0.6, 0.02]]\n", "box: {x: [0, 1]}\n",
       "19:10: walls[3].box.y: is missing, must be [lo, hi] with lo < hi [m]"},
      {"box: {x: [0.4, 0.5], y: [0, 0.3]}, ", "",
       "15:5: walls[1]: is incomplete, must have one of polygon, box, segment or ring"},
      {"until: 1.5", "polygon: [[0, 0], [1, 0], [1, 1]]",
       "15:70: walls[1].polygon: stands beside box, must be only one of polygon, box, segment or ring"},
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
  CHECK(thin.find("s.yaml:15:40: walls[1].box: is no polygon (") == 0);
  CHECK(thin.find("), must be a box that is not too thin") != std::string::npos);
  for (const std::string corners : {"[[0, 0], [1, 0]]", "[[0, 0], [1, 0], [2, 0]]", "[]",
                                    "[[0, 0], [1, 0], [0.2, 0.2], [0, 1]]", "[[0, 0], [1, 1], [1, 0], [0, 1]]"}) {
    const std::string said = complaint("polygon: [[-0.8, 0], [-0.6, 0], [-0.6, 0.02]]", "polygon: " + corners);
    CAPTURE(said);
    CHECK(said.find("s.yaml:19:14: walls[3].polygon: is no polygon (") == 0);
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
  check({
      {"count: 1500", "count: 0", "24:19: particles[0].pour.count: is 0, must be a whole number from 1 to 4294967296"},
      {"count: 1500", "count: 1.5",
       "24:19: particles[0].pour.count: is 1.5, must be a whole number from 1 to 4294967296"},
      {"count: 1500", "count: 4294967297",
       "24:19: particles[0].pour.count: is 4294967297, must be a whole number from 1 to 4294967296"},
      {"count: 1500", "count: many",
       "24:19: particles[0].pour.count: is 'many', must be a whole number from 1 to 4294967296"},
      {"count: all", "count: none",
       "32:60: particles[2].fill.count: is 'none', must be all or a whole number from 1 to 4294967296"},
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
       "37:60: particles[3].place[0].spin: is no key here, must be position, angle, velocity, angular_velocity, size, "
       "mass or colour"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: {regular_polygon: {vertices: 2}}",
       "30:41: particles[1].shape.regular_polygon.vertices: is 2, must be a whole number from 3 to 10000"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: hexagon",
       "30:12: particles[1].shape: is 'hexagon', must be disk, {regular_polygon: ...}, {random_polygon: ...} or "
       "{polygon: ...}"},
      {"shape: {regular_polygon: {vertices: 6}}", "shape: {regular_poligon: {vertices: 6}}",
       "30:13: particles[1].shape.regular_poligon: is no key here (did you mean 'regular_polygon'?), must be disk, "
       "regular_polygon, random_polygon or polygon"},
      {"    shape: {regular_polygon: {vertices: 6}}\n", "",
       "28:5: particles[1].shape: is missing, must be disk, {regular_polygon: ...}, {random_polygon: ...} or "
       "{polygon: ...}"},
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
       "36:5: particles[3].palce: is no key here (did you mean 'place'?), must be pour, fill, place, billiards, "
       "material, shape, size or colour"},
      {"size: 0.02\n", "size: 0.02\n    place: []\n",
       "32:5: particles[1].place: stands beside fill, must be only one of pour, fill, place or billiards"},
      {"  - fill: {region: {x: [-0.5, 0.5], y: [1, 1.5]}, count: 100, jitter: 0.1}\n    material", "  - material",
       "28:5: particles[1]: is incomplete, must have one of pour, fill, place or billiards"},
      {"size: 0.03", "size: 1e-9",
       "32:20: particles[2].fill.region: has room for some 3e+17 grains, must have room for at most 4294967296 (or "
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

TEST_CASE("the three times limit one another") {
  check({
      {"end: 4.0", "end: 0", "46:13: time.end: is 0, must be a number > 0 [s]"},
      {"end: 4.0", "end: -1", "46:13: time.end: is -1, must be a number > 0 [s]"},
      {"end: 4.0, ", "", "46:7: time.end: is missing, must be a number > 0 [s]"},
      {"step: 2e-6", "step: 0",
       "46:24: time.step: is 0, must be auto or a number in [4e-15, 0.02] [s] (up to output.every)"},
      {"step: 2e-6", "step: automatic",
       "46:24: time.step: is 'automatic', must be auto or a number in [4e-15, 0.02] [s] (up to output.every)"},
      {"step: 2e-6", "step: 0.03",
       "46:24: time.step: is 0.03, must be auto or a number in [4e-15, 0.02] [s] (up to output.every)"},
      {"every: 0.02", "every: 0",
       "47:17: output.every: is 0, must be a number in [4e-06, 4] [s] (up to time.end, at most a million frames)"},
      {"every: 0.02", "every: 5",
       "47:17: output.every: is 5, must be a number in [4e-06, 4] [s] (up to time.end, at most a million frames)"},
      {"every: 0.02", "every: 1e-9",
       "47:17: output.every: is 1e-9, must be a number in [4e-06, 4] [s] (up to time.end, at most a million frames)"},
      {"directory: out/everything", "directory: ''", "47:34: output.directory: is \"\", must be a directory's name"},
  });
  CHECK_FALSE(parse_scene(replaced(kMaximalScene, "step: 2e-6", "step: auto"), "s.yaml").step);
  CHECK_FALSE(parse_scene(replaced(kMaximalScene, ", step: 2e-6", ""), "s.yaml").step);
}

TEST_CASE("an integrator is chosen by name") {
  const auto chosen = [](const char* integrator) {
    return parse_scene(replaced(kMaximalScene, "velocity_verlet", integrator), "s.yaml").integrator;
  };
  CHECK(chosen("velocity_verlet") == Integrator::velocity_verlet);
  CHECK(chosen("gear_4") == Integrator::gear_4);
  CHECK(chosen("gear_5") == Integrator::gear_5);
  CHECK(chosen("gear_6") == Integrator::gear_6);
  CHECK(parse_scene(replaced(kMaximalScene, ", integrator: velocity_verlet", ""), "s.yaml").integrator ==
        Integrator::gear_4);
  check({{"velocity_verlet", "verlet",
          "46:42: time.integrator: is 'verlet', must be velocity_verlet, gear_4, gear_5 or gear_6"}});
}

TEST_CASE("a text that is no YAML, or not one mapping, is told with its place") {
  CHECK(complaint("") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("# nothing\n\n") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("---\n") == "s.yaml:1:1: is empty, must be a scene");
  CHECK(complaint("- 1\n").find("s.yaml:1:1: is a list, must be a mapping with scree, title") == 0);
  CHECK(complaint("scree").find("s.yaml:1:1: is 'scree', must be a mapping with scree, title") == 0);
  CHECK(complaint("\n\nscree: [1\n").find("s.yaml:") == 0);
  CHECK(complaint("mode: soft", "mode: soft: hard").find("s.yaml:3:11: not valid YAML: ") == 0);
  CHECK(complaint("mode: soft", "\tmode: soft").find("s.yaml:3:") == 0);
  CHECK(complaint("    density: 7800", "\tdensity: 7800") ==
        "s.yaml:10:2: not valid YAML: end of map not found; indent with spaces, not tabs");
  CHECK(complaint("gravity: [0, -9.81]", "gravity: *earth").find("s.yaml:6:10: not valid YAML: ") == 0);
  CHECK(
      complaint(kMaximalScene + "---\n" + kMaximalScene) ==
      "s.yaml:57:1: does not belong to the scene, which ended before, must be one mapping (is the indentation right?)");
  CHECK(complaint("mode: soft", std::string("mode: so\0ft", 11)) ==
        "s.yaml:3:9: byte 0x0 is not text, a scene must be UTF-8 without control characters");
  CHECK(complaint("mode: soft", "mode: so\x04 ft").find("s.yaml:3:9: byte 0x4 is not text") == 0);
  CHECK(complaint("Everything", "Every\xC3").find("s.yaml:2:14: byte 0xc3 is not text") == 0);
  CHECK(complaint("Everything", "Sch\xC3\xBCttung \xE2\x86\x93 \xF0\x9F\xAA\xA8") == "");
}

TEST_CASE("values in messages are cut to a readable length") {
  const std::string said = complaint("density: 2600", "density: " + std::string(5000, 'x'));
  CHECK(said.find("is 'xxx") != std::string::npos);
  CHECK(said.size() < 200);
}

TEST_CASE("anchors and aliases work, and an alias of itself does no harm") {
  CHECK(complaint(
            "stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}\n  steel:\n",
            "stone: &s {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}\n  glass: *s\n  steel:\n") ==
        "");
  CHECK(complaint("gravity: [0, -9.81]", "gravity: &g [*g, 0]").find("s.yaml:6:") == 0);
  CHECK(complaint("mode: soft", "mode: &m {m: *m}").find("s.yaml:3:") == 0);
  CHECK(complaint(std::string(100'000, '[')).find("s.yaml:1:") == 0);
}

TEST_CASE("the name of the scene stands in messages and in the default directory") {
  const auto directory = [](const std::string& name) {
    return parse_scene(replaced(kMaximalScene, ", directory: out/everything", ""), name).output_directory;
  };
  CHECK(directory("heap.yaml") == "out/heap");
  CHECK(directory("some/where/heap.yaml") == "out/heap");
  CHECK(directory("heap") == "out/heap");
  CHECK(directory("") == "out/scene");
  CHECK_THROWS_WITH_AS(parse_scene("", "a b/c.yaml"), "a b/c.yaml:1:1: is empty, must be a scene", SceneError);
}

TEST_CASE("an error carries its place and key as data") {
  try {
    parse_scene(replaced(kMaximalScene, "friction: 0.5", "friction: -1"), "s.yaml");
    FAIL("accepted");
  } catch (const SceneError& error) {
    CHECK(error.file == "s.yaml");
    CHECK(error.line == 8);
    CHECK(error.column == 70);
    CHECK(error.key == "materials.stone.friction");
  }
}

TEST_CASE("a scene is read from a file; a file that cannot be read is another kind of error") {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "scree-test-scene_reader";
  std::filesystem::create_directories(directory);
  const std::filesystem::path file = directory / "heap.yaml";
  std::ofstream(file) << replaced(kMaximalScene, ", directory: out/everything", "");
  CHECK(read_scene(file).output_directory == "out/heap");
  CHECK(read_scene(file).seed == 18446744073709551615ULL);

  std::ofstream(file) << "scree: 2\n";
  CHECK_THROWS_WITH_AS(read_scene(file),
                       (file.string() + ":1:8: scree: is 2, must be 1, the version of the scene format").c_str(),
                       SceneError);

  const std::filesystem::path missing = directory / "missing.yaml";
  CHECK_THROWS_WITH_AS(read_scene(missing), (missing.string() + ": cannot be read: No such file or directory").c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(read_scene(directory), (directory.string() + ": is a directory, not a scene").c_str(), IoError);
  std::filesystem::remove_all(directory);
}

TEST_CASE("the scene in docs/scene.md is one") {
  std::ifstream stream(SCREE_SOURCE_DIR "/docs/scene.md");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t begin = text.find("scree: 1\n");
  REQUIRE(begin != std::string::npos);
  const Scene scene = parse_scene(text.substr(begin, text.find("```", begin) - begin), "scene.md");
  CHECK(scene.walls.size() == 3);
  CHECK(scene.particles.size() == 2);
}

TEST_CASE("a scene that lost any of its lines, or any of its words, is read or refused with a place") {
  const std::vector<std::string> lines = lines_of(kMaximalScene);
  const auto joined = [&](std::size_t without, std::size_t twice) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i != without) text += lines[i] + '\n';
      if (i == twice) text += lines[i] + '\n';
    }
    return text;
  };
  int refused = 0;
  int cases = 0;
  const auto try_it = [&](const std::string& text) {
    ++cases;
    CAPTURE(text);
    try {
      parse_scene(text, "s.yaml");
    } catch (const SceneError& error) {
      ++refused;
      CHECK(error.line > 0);
      CHECK(error.column > 0);
    }  // anything else fails the test
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try_it(joined(i, lines.size()));
    try_it(joined(lines.size(), i));
    try_it(kMaximalScene.substr(0, joined(lines.size(), lines.size()).find(lines[i])));
  }

  const std::vector<std::string> junk = {"",       "junk", "-1", "0",    "1e999", ".nan",   "[]",   "{}",  "[[]]",
                                         "{a: b}", "\"\"", "~",  "'",    "*a",    "&a",     "!!x",  "? x", "- x",
                                         ":",      "\t",   "#",  "|",    "1e-99", "[1, 1]", "1e99", "]",   "}",
                                         ",",      "%",    "@",  "\xFF", "---",   "..."};
  for (std::size_t begin = 0; begin < kMaximalScene.size();) {
    const std::string separators = " ,:[]{}\n\"";
    begin = kMaximalScene.find_first_not_of(separators, begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(kMaximalScene.find_first_of(separators, begin), kMaximalScene.size());
    // A third of the junk for each word, another third for the next.
    for (std::size_t k = begin % 3; k < junk.size(); k += 3) {
      try_it(std::string(kMaximalScene).replace(begin, end - begin, junk[k]));
    }
    begin = end;
  }

  std::mt19937_64 bits(1);  // and single characters anywhere
  for (int i = 0; i < 1000; ++i) {
    std::string text = kMaximalScene;
    const std::string characters = "[]{}:,-?&*!|>'\"%@`#~ \n\t0x.";
    for (std::uint64_t k = 0; k < 1 + bits() % 3; ++k)
      text[bits() % text.size()] = characters[bits() % characters.size()];
    try_it(text);
  }
  CHECK(cases > 3000);
  CHECK(refused > cases / 2);
  CHECK(refused < cases);
}
