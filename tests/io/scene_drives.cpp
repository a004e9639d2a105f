#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_writer.hpp"
#include "tests/io/scene_texts.hpp"

namespace scree::scene_drives_test {

namespace {

std::string scene_with(const std::string& of_wall, const std::string& top = "") {
  return R"(scree: 1
domain: {x: [-1, 1], y: [-1, 1]}
materials: {stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}}
walls:
  - {name: drum, material: stone, ring: {centre: [0.5, 0], radius: 0.2, thickness: 0.01, segments: 4}, torque: {torque: 2, inertia: 0.5, drag: 0.1}}
  - {name: lid, material: stone, box: {x: [0, 1], y: [0, 0.1]})" +
         of_wall + "}\n" + top + "time: {end: 1}\noutput: {every: 0.1}\n";
}

const Wall& lid(const Scene& scene) {
  return scene.walls.at(4);
}

void check_round_trip(const Scene& scene) {
  const std::string text = to_yaml(scene);
  CAPTURE(text);
  CHECK(parse_scene(text, "s.yaml") == scene);
}

}  // namespace

TEST_CASE("what drives walls is read, and comes back as it was written") {
  const Scene press = parse_scene(
      scene_with(", servo: {towards: [0, -2], stress: 1000, length: 0.5, speed: 0.1, approach: 0.05, gain: 0.25}"),
      "s");
  CHECK(std::get<Servo>(lid(press).drive) ==
        Servo{.towards = {0.0, -2.0}, .stress = 1000.0, .length = 0.5, .gain = 0.25, .speed = 0.1, .approach = 0.05});
  check_round_trip(press);
  const Scene heavy = parse_scene(scene_with(", free: {along: [0, 1], mass: 5, force: -3}"), "s");
  CHECK(std::get<FreeWall>(lid(heavy).drive) == FreeWall{.along = {0.0, 1.0}, .mass = 5.0, .force = -3.0});
  check_round_trip(heavy);
  const Scene servo = parse_scene(scene_with(", servo: {towards: [1, 0], force: 7, speed: 1}"), "s");
  CHECK(std::get<Servo>(lid(servo).drive).force == 7.0);
  check_round_trip(servo);
}

TEST_CASE("several motions, tables among them, come back as they were written") {
  const std::string motions =
      "motions: [{from: 0, until: 1, velocity: [0.1, 0]}, {from: 1, rotation: 2, about: [0, 0]}, "
      "{from: 2, table: [{time: 0}, {time: 1, displacement: [0, 0.1], angle: 0.2}]}, "
      "{from: 4, oscillation: {amplitude: [0, 0.1], frequency: 3}}, {from: 5}]";
  const Scene scene = parse_scene(scene_with(", " + motions), "s");
  CHECK(lid(scene).motions.size() == 5);
  CHECK(lid(scene).motions[2].table[1] == MotionPoint{1.0, {0.0, 0.1}, 0.2});
  check_round_trip(scene);
  std::string stages = scene_with("", "stages:\n  - {name: move, time: {end: 1}, motions: {lid: {" + motions + "}}}\n");
  check_round_trip(parse_scene(replaced(stages, "time: {end: 1}\noutput", "output"), "s"));
  stages = scene_with(", servo: {towards: [0, -1], force: 1, speed: 1}, motions: [{from: 1, velocity: [0.1, 0]}]",
                      "stages:\n  - name: shear\n    time: {end: 1}\n    motions: {lid: {velocity: [0.1, 0], servo: "
                      "{towards: [0, -1], force: 2, speed: 1}}}\n");
  const Scene sheared = parse_scene(replaced(stages, "time: {end: 1}\noutput", "output"), "s");
  CHECK(sheared.soft.stages[0].motions[0].motions.size() == 1);
  CHECK(std::get<Servo>(sheared.soft.stages[0].motions[0].drive).force == 2.0);
  check_round_trip(sheared);
}

TEST_CASE("the segments of a driven ring move together, and others with them") {
  const Scene scene = parse_scene(scene_with(", moves_with: drum"), "s");
  CHECK(std::get<TorqueDrive>(scene.walls[0].drive) ==
        TorqueDrive{.torque = 2.0, .inertia = 0.5, .drag = 0.1, .about = Vec2(0.5, 0.0)});
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(std::holds_alternative<std::monostate>(scene.walls[k].drive));
    CHECK(scene.walls[k].moves_with == "drum 1");
  }
  check_round_trip(scene);
}

TEST_CASE("fixed grains and local damping are read, and come back") {
  const std::string grains =
      "particles:\n  - {place: [{position: [0, 0.5]}], material: stone, shape: disk, size: 0.1, fixed: [angle, x]}\n"
      "contact: {local_damping: 0.7}\n";
  const Scene scene = parse_scene(scene_with("", grains), "s");
  CHECK(scene.particles[0].fixed == std::array{true, false, true});
  CHECK(scene.soft.local_damping == 0.7);
  check_round_trip(scene);
}

TEST_CASE("mistakes in what drives walls are told where they are") {
  const auto says = [](const std::string& of_wall, const std::string& expected) {
    const std::string message = complaint(scene_with(of_wall));
    CAPTURE(message);
    CHECK(message.find(expected) != std::string::npos);
  };
  says(", servo: {towards: [0, -1], speed: 1}", "walls[1].servo");
  says(", servo: {towards: [0, 0], force: 1, speed: 1}", "walls[1].servo.towards");
  says(", servo: {towards: [0, 1], force: 1, stress: 1, speed: 1}", "walls[1].servo");
  says(", servo: {towards: [0, 1], force: 1, speed: 1, approach: 2}", "walls[1].servo.approach");
  says(", servo: {towards: [0, 1], force: 1, speed: 1, length: 2}", "walls[1].servo.length");
  says(", servo: {towards: [0, 1], force: 0, speed: 1}", "walls[1].servo.force: is 0, must be a number > 0 [N]");
  says(", servo: {towards: [0, 1], force: 1, speed: 1}, free: {along: [0, 1], mass: 1}", "walls[1].free");
  says(", free: {along: [0, 1]}", "walls[1].free.mass: is missing");
  says(", moves_with: floor", "walls[1].moves_with: is 'floor', must be the name of a wall before it");
  const std::string hard = complaint(
      replaced(scene_with(", servo: {towards: [0, 1], force: 1, speed: 1}"), "domain:", "mode: hard\ndomain:"));
  CAPTURE(hard);
  CHECK(hard.find("walls[0].torque") != std::string::npos);
  CHECK(hard.find("left out in hard mode") != std::string::npos);
}

}  // namespace scree::scene_drives_test
