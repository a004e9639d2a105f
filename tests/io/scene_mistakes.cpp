#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_texts.hpp"

namespace scree::scene_mistakes_test {

namespace {

/// The mistakes that the reader tells, a line each; none for a good scene.
std::vector<std::string> told(const std::string& text, std::optional<Mode> as = {}) {
  try {
    parse_scene(text, "s.yaml", as);
    return {};
  } catch (const SceneError& error) {
    return lines_of(error.what());
  }
}

/// The maximal scene with several changes.
std::string spoilt(const std::vector<std::pair<const char*, const char*>>& changes) {
  std::string text = kMaximalScene;
  for (const auto& [old, by] : changes) text = replaced(text, old, by);
  return text;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("all mistakes of a scene are told at once, in the order of the file") {
  const std::string text = spoilt({{"every: 0.02", "every: -1"},
                                   {"gravity: [0, -9.81]", "gravity: [zero, one]"},
                                   {"friction: 0.5", "friction: -0.5, colour: red"},
                                   {"until: 1.5", "until: 0"},
                                   {"material: steel, polygon", "material: stele, polygon"},
                                   {"rate: 800", "rate: 0"},
                                   {"bins: 40", "bins: 0"}});
  CHECK(
      told(text) ==
      Lines{"s.yaml:6:11: gravity[0]: is 'zero', must be a number [m/s^2]",
            "s.yaml:6:17: gravity[1]: is 'one', must be a number [m/s^2]",
            "s.yaml:8:70: materials.stone.friction: is -0.5, must be a number >= 0",
            "s.yaml:8:76: materials.stone.colour: is not a key here, must be density, stiffness, restitution, damping, "
            "friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, cohesion, "
            "tangential_restitution, restitution_law or restitution_speed",
            "s.yaml:14:29: walls[0].material: is 'stele', which is not a material (did you mean 'steel'?), must be "
            "stone or steel",
            "s.yaml:15:77: walls[1].until: is 0, must be never or a number > 0 [s]",
            "s.yaml:24:31: particles[0].pour.rate: is 0, must be a number > 0 [1/s]",
            "s.yaml:47:17: output.every: is -1, must be a number in [4e-06, 4] [s] (up to time.end, at most a "
            "million frames)",
            "s.yaml:54:40: measure.velocity_distribution.bins: is 0, must be a whole number from 1 to 100000"});
  try {
    parse_scene(text, "s.yaml");
    FAIL("accepted");
  } catch (const SceneError& error) {  // as data, too
    REQUIRE(error.mistakes.size() == 9);
    CHECK(error.mistakes[2].key == "materials.stone.friction");
    CHECK(error.mistakes[2].line == 8);
    CHECK(error.mistakes[2].text() == lines_of(error.what())[2]);
    CHECK(error.line == error.mistakes[0].line);
    CHECK(error.key == "gravity[0]");
  }
}

TEST_CASE("what is wrong only because something before it is wrong is not told") {
  const auto only = [](const std::string& text, const std::string& message, std::optional<Mode> as = {}) {
    const Lines lines = told(text, as);
    REQUIRE(!lines.empty());
    CHECK(lines.front() == "s.yaml:" + message);
    CHECK(lines.size() == 1);
  };
  // A key that is misspelt is not missing as well.
  only(spoilt({{"density: 7800", "densty: 7800"}}),
       "10:5: materials.steel.densty: is not a key here (did you mean 'density'?), must be density, stiffness, "
       "restitution, damping, friction, dynamic_friction, tangential_stiffness, tangential_damping, rolling_friction, "
       "cohesion, tangential_restitution, restitution_law or restitution_speed");
  // Nor is one group without grains because their key is.
  only(spoilt({{"  - place:\n", "  - plaice:\n"}}),
       "36:5: particles[3].plaice: is not a key here (did you mean 'place'?), must be pour, fill, place, random, mix, "
       "lattice, file, billiards, material, shape, size, fixed, growth_rate or colour");
  // Times without an end, regions without a domain, walls without materials, widths without a shape.
  only(spoilt({{"end: 4.0", "end: never"}, {"every: 0.02", "every: 9"}, {"from: 1.5", "from: 99"}}),
       "46:13: time.end: is 'never', must be a number > 0 [s]");
  only(spoilt({{"x: [-1, 1]", "x: [1, 0.75]"}}), "5:13: domain.x: is [1, 0.75], must be [lo, hi] with lo < hi [m]");
  only(spoilt({{"materials:\n", "matrials:\n"}}),
       "7:1: matrials: is not a key here (did you mean 'materials'?), must be scree, include, "
       "parameters, title, mode, seed, drawn_momentum, domain, gravity, "
       "materials, walls, particles, start, contact, growth, well, thermostat, arithmetic, broadphase, stages, time, "
       "output, "
       "checkpoint or measure");
  only(spoilt({{"regular_polygon: {vertices: 6}", "regular_polygon: {vertices: 1}"}, {"y: [1, 1.5]", "y: [1, 1.001]"}}),
       "30:41: particles[1].shape.regular_polygon.vertices: is 1, must be a whole number from 3 to 10000");
  // Limits from another key, or from a mixture.
  only(spoilt({{"friction: 0.4, dynamic", "friction: much, dynamic"}}),
       "45:80: contact.pairs[0].friction: is 'much', must be a number >= 0");
  only(spoilt({{"friction: 0.5}", "friction: -1}"}, {"friction: 0.4, dynamic", "dynamic"}}),
       "8:70: materials.stone.friction: is -1, must be a number >= 0");
  only(spoilt({{"region: {x: [-0.5, 0.5], y: [0, 0.75]}", "region: {x: [0, 0.1], y: nothing}"}}),
       "52:28: measure.region.y: is 'nothing', must be [lo, hi] with lo < hi [m]");
  // In which mode a scene is meant to be read is not known.
  const std::string both =
      "scree: 1\nmode: harrd\ndomain: {x: [0, 1], y: [0, 1], sides: reflecting}\n"
      "materials: {a: {density: 1, restitution: 0}}\nwell: {range: 2, energy: 1}\n"
      "time: {end: 1}\noutput: {every: 1}\n";
  only(both, "2:7: mode: is 'harrd', must be soft or hard (did you mean 'hard'?)");
  // In another version all may be different.
  only("scree: 2\nwhatever: 1\n", "1:8: scree: is 2, must be 1, the version of the scene format");
}

TEST_CASE("one mistake does not hide another one in the same value") {
  const auto all = [](const char* old, const char* by) { return told(spoilt({{old, by}})).size(); };
  CHECK(all("x: [-1, 1]", "x: [a, b]") == 2);
  CHECK(all("vertices: [5, 8]", "vertices: [1, 2]") == 2);
  CHECK(all("[[-0.3, -0.02], [0.3, -0.02], [0.3, 0], [-0.3, 0]]", "[[a, b], [0.3], [0.3, 0], 1]") == 4);
  CHECK(all("periodic: [x]", "periodic: [u, v]") == 2);
  CHECK(all("between: [steel, stone]", "between: [stell, stine]") == 2);
  CHECK(all("{vertices: 6}}\n    size: 0.02", "{vertices: 6}}\n    colour: [256, -1, 0]\n    size: none") == 3);
  CHECK(all("x: [-0.5, 0.5], y: [1, 1.5]", "x: [-2, 2], y: [1, 9]") == 2);
  CHECK(all("mode: soft\n", "mode: soft\nmoed: soft\ntitel: none\n") == 2);
  CHECK(all("material: stone\n    shape: {random_polygon: {vertices: [5, 8]",
            "shape: {random_polygon: {vertices: [8, 5]") == 2);
}

TEST_CASE("after twenty mistakes only their number is told") {
  std::string text =
      "scree: 1\ndomain: {x: [0, 1], y: [0, 1]}\ntime: {end: 1}\noutput: {every: 1}\n"
      "materials: {a: {density: 1, stiffness: 1, restitution: 1}}\nparticles:\n  - place:\n";
  for (int k = 0; k < 45; ++k) text += "      - {position: [2, 0.5]}\n";
  text += "    material: a\n    shape: disk\n    size: 0.1\n";
  const Lines lines = told(text);
  REQUIRE(lines.size() == 21);
  CHECK(lines[0].starts_with("s.yaml:8:20: particles[0].place[0].position: is [2, 0.5], must be in the domain"));
  CHECK(lines[19].starts_with("s.yaml:27:20: particles[0].place[19].position"));
  CHECK(lines[20] == "and 25 more");
}

TEST_CASE("a scene for both modes is read for either, and each complains of what it cannot have") {
  const std::string text =
      "scree: 1\nmode: hard\ndomain: {x: [0, 1], y: [0, 1], sides: reflecting}\n"
      "materials: {a: {density: 1, stiffness: 1, restitution: 0.5}}\n"
      "particles:\n  - {place: [], material: a, shape: {parts: [{disk: 1}, {disk: 2}]}, size: 1}\n"
      "time: {end: 1}\noutput: {every: 1}\nmeasure: {free_flights: {}}\n";
  CHECK(told(text, Mode::soft).empty());
  CHECK(told(text) == Lines{"s.yaml:6:45: particles[0].shape.parts: is a list, must be one convex shape in hard mode"});
  CHECK(told(text, Mode::hard) == told(text));
}

}  // namespace scree::scene_mistakes_test
