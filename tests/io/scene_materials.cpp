#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_texts.hpp"

namespace scree::scene_materials_test {

TEST_CASE("mistakes in materials") {
  check_mistakes({
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
  check_mistakes({
      {"restitution: 0.3", "restitution: 0.3, damping: 0.1",
       "8:60: materials.stone.damping: is given beside restitution, must be only one of restitution or damping"},
      {"damping: 0.05", "damping: -1", "12:14: materials.steel.damping: is -1, must be a number in [0, 10]"},
      {"    damping: 0.05\n", "",
       "10:5: materials.steel.restitution: is missing, must be a number in (0, 1] (no finite damping reaches 0)"},
      {"dynamic_friction: 0.25", "dynamic_friction: 0.5",
       "45:103: contact.pairs[0].dynamic_friction: is 0.5, must be static or a number in [0, 0.4] (up to friction)"},
      {"between: [steel, stone]", "between: [steel]",
       "45:54: contact.pairs[0].between: is a list, must be a list of two materials"},
      {"between: [steel, stone]", "between: [steel, stine]",
       "45:62: contact.pairs[0].between[1]: is 'stine', which is not a material (did you mean 'stone'?), must be stone "
       "or "
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
  refused("shape: disk", "shape: {parts: [{disk: 1}, {disk: 2}]}",
          "8:70: particles[0].shape.parts: is a list, must be one convex shape in hard mode");
  refused("shape: disk", "shape: {polygon: [[0, 0], [2, 0], [1, 0.5], [0, 2]]}",
          "8:72: particles[0].shape.polygon: is not convex, must be a convex outline in hard mode");
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
  CHECK(scene.hard.well == Well{1.5, -0.25});

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
          "9:65: walls[0].segment: is given beside box, must be only one of polygon, box, segment, ring, half_plane or "
          "line");
  refused("[ball, ball], restitution: 0.6",
          "[ball, ball], restitution: 1, restitution_law: viscoelastic, restitution_speed: 1",
          "14:44: contact.pairs[2].restitution: is 1, must be a number in [0.01, 1), since restitution_law is "
          "viscoelastic");
}

TEST_CASE("soft mode reads how hard disks rebound, and refuses their wells and segments") {
  const Scene scene = parse_scene(
      replaced(kMaximalScene, "restitution: 0.3,", "restitution: 0.3, restitution_law: bizon, restitution_speed: 2,"),
      "s.yaml");
  CHECK(scene.materials[0].restitution_law == RestitutionLaw::bizon);
  check_mistakes({
      {"title: \"Everything at once\"", "well: {range: 2, energy: 1}",
       "2:7: well: is a mapping, must be left out in soft mode"},
      {"polygon: [[-0.3, -0.02], [0.3, -0.02], [0.3, 0], [-0.3, 0]]", "segment: [[-0.3, -0.02], [0.3, -0.02]]",
       "14:36: walls[0].segment: is given in mode soft, where walls have an area, must be polygon or box"},
  });
}

}  // namespace scree::scene_materials_test
