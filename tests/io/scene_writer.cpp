#include "io/scene/scene_writer.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "io/scene/scene_reader.hpp"
#include "scene_texts.hpp"

namespace scree::scene_writer_test {

namespace {

/// Equal with -0 apart from 0: the text of a number is as exact as its bits.
void check_round_trip(const Scene& scene) {
  const std::string text = to_yaml(scene);
  CAPTURE(text);
  const Scene again = parse_scene(text, "another name");
  CHECK(again == scene);
  CHECK(to_yaml(again) == text);
}

}  // namespace

TEST_CASE("a scene that is written and read is the same to the last bit") {
  check_round_trip(parse_scene(kMaximalScene, "s.yaml"));

  Scene pairs = parse_scene(kMaximalScene, "s.yaml");
  pairs.contact_law = "area_potential";
  pairs.disk_law = "linear_unclipped";
  pairs.materials[0].dynamic_friction = 0.25;
  pairs.materials[0].tangential_damping = 1.0 / 3.0;
  pairs.materials[1].rolling_friction = 0.1;
  pairs.pairs.push_back({.first = 1, .second = 1, .mixed = {.name = "", .stiffness = 1e5, .cohesion = 1.0 / 7.0}});
  check_round_trip(pairs);

  Scene hard;
  hard.mode = Mode::hard;
  hard.domain = {{0, 0}, {1, 1}, {true, false}, true};
  hard.materials = {{.name = "a", .density = 1, .restitution = 0.0, .tangential_restitution = 1.0 / 3.0},
                    {.name = "b", .density = 1, .stiffness = 1e5}};
  hard.pairs = {{.first = 1, .second = 1, .mixed = {.name = "", .restitution = 0.0}}};
  Wall shaker = {.name = "shaker", .material = 0, .polygon = {{0, 0}, {1, 0}, {0, 1}}, .until = {}};
  shaker.oscillation = {.amplitude = {0.0, 0.1}, .frequency = 1.0 / 7.0, .phase = -1.0};
  Wall slide = {.name = "slide", .material = 1, .polygon = {{0, 0}, {1.0 / 3.0, 1}}, .pivot = {0.1, 0.2}, .until = {}};
  hard.walls = {shaker, slide};
  hard.materials.push_back({.name = "c",
                            .density = 1,
                            .restitution = 0.7,
                            .restitution_law = RestitutionLaw::bizon,
                            .restitution_speed = 1.0 / 3.0});
  hard.pairs.push_back({.first = 0,
                        .second = 2,
                        .mixed = {.name = "",
                                  .restitution = 0.1,
                                  .restitution_law = RestitutionLaw::viscoelastic,
                                  .restitution_speed = 1e-3 / 3.0}});
  hard.hard.well = {.range = 4.0 / 3.0, .energy = -1e-3 / 3.0};
  hard.hard.contact_duration = 1e-5 / 3.0;
  hard.hard.arithmetic = Arithmetic::exact;
  hard.hard.growth = {.rate = 1.0 / 3.0,
                      .from = 0.1,
                      .packing_fraction = 0.8,
                      .pressure = 1e5,
                      .rescaling = 10.0,
                      .slow_beyond = 100.0 / 3.0,
                      .least_rate = 1e-3 / 3.0};
  hard.end = hard.output_every = 1.0;
  hard.hard.reverse = 1.0 / 3.0;
  hard.output_directory = "out";
  check_round_trip(hard);

  Scene tapped = parse_scene(kMaximalScene, "s.yaml");
  Wall& tray = tapped.walls[0];
  tray.velocity.setZero();
  tray.angular_velocity = 0.0;
  tray.oscillation = {};
  tray.motions.clear();
  tray.taps = {{.from = 1.0 / 3.0, .every = 0.7, .until = 10.0, .amplitude = {0.0, 1e-3 / 3.0}, .frequency = 10.0},
               {.from = 11.0, .amplitude = {0.0, -1e-3}, .frequency = 7.0}};
  tapped.thermostat =
      Thermostat{.kind = Thermostat::Kind::langevin, .every = 0.1 / 3.0, .temperature = 1e-3, .rate = 2.0};
  check_round_trip(tapped);

  Scene placed = hard;
  placed.particles = {
      {.how = Place{{.position = {0.1, 0.2}, .size = 1.0 / 3.0, .mass = 0.7, .colour = Colour{0, 9, 255}},
                    {.position = {0.1, 0.9}}},
       .material = 1,
       .shape = Disk{},
       .size = {0.1, 0.4},
       .growth_rate = 0.1 / 3.0}};
  check_round_trip(placed);

  Scene coloured = parse_scene(kMaximalScene, "s.yaml");
  coloured.particles[0].colour = Colour{0, 9, 255};
  std::get<Fill>(coloured.particles[1].how).spacing = 1.0 / 30.0;
  check_round_trip(coloured);

  Scene measuring = parse_scene(kMaximalScene, "s.yaml");
  measuring.measure = Measure{.every = 1.0 / 7.0, .region = {{-0.1, 0.0}, {0.1, 0.2}}};
  check_round_trip(measuring);
  measuring.measure->radial_distribution = {1.0 / 11.0, 3};
  check_round_trip(measuring);

  Scene nothing;
  nothing.domain.hi = {1, 1};
  nothing.end = 1.0;
  nothing.output_every = 1.0;
  nothing.output_directory = "out";
  check_round_trip(nothing);
}

TEST_CASE("numbers that no short text holds come back") {
  Scene scene = parse_scene(kMaximalScene, "s.yaml");
  std::mt19937_64 bits(3);
  const auto uniform = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  for (int i = 0; i < 50; ++i) {
    scene.seed = bits();
    scene.gravity = {-uniform() * 1e-9, uniform() * 1e90};
    scene.materials[0].density = 1.0 / 3.0 * uniform();
    scene.walls[0].velocity = {-0.0, 5e-324};
    scene.walls[0].pivot = {std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::min()};
    scene.walls[0].until = uniform() * 1e-7;
    scene.walls[0].oscillation = {{uniform(), uniform()}, uniform() * 1e3, uniform()};
    scene.particles[0].size = {0.008 * uniform(), 0.01 + 1e-3 * uniform()};
    std::get<Place>(scene.particles[3].how)[0].angle = 2.0 * uniform() - 1.0;
    scene.soft.step = 1e-6 * uniform();
    check_round_trip(scene);
  }
}

TEST_CASE("any text can be a title, a name or a directory") {
  for (const std::string text : {"plain",
                                 "two words",
                                 "null",
                                 "~",
                                 "true",
                                 "no",
                                 "Y",
                                 "1",
                                 "1e6",
                                 "-",
                                 "- a",
                                 "a: b",
                                 "a #b",
                                 "[x]",
                                 "{x}",
                                 "*a",
                                 "&a",
                                 "!a",
                                 "|",
                                 ">",
                                 "%",
                                 "@",
                                 "`",
                                 "'",
                                 "\"",
                                 "\\",
                                 "\\n",
                                 "a\nb",
                                 "\ttab",
                                 " spaces ",
                                 "---",
                                 "...",
                                 "<<",
                                 "a, b",
                                 "\x01\x1f\x7f",
                                 "Sch\xC3\xBCttung \xF0\x9F\xAA\xA8",
                                 "x.y/z-0"}) {
    Scene scene = parse_scene(kMaximalScene, "s.yaml");
    scene.title = text;
    const bool has_control = std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (!has_control) scene.materials[0].name = scene.walls[1].name = scene.output_directory = text;  // names have none
    check_round_trip(scene);
  }
}

TEST_CASE("the written scene says every default") {
  const std::string text = to_yaml(
      parse_scene("scree: 1\ndomain: {x: [0, 1], y: [0, 2]}\ntime: {end: 1}\noutput: {every: 0.1}\n"
                  "materials: {glass: {density: 1, stiffness: 1e6, restitution: 1}}\n"
                  "walls: [{name: floor, material: glass, box: {x: [0, 1], y: [0, 0.5]}}]\n"
                  "particles: [{fill: {region: {x: [0, 1], y: [1, 2]}}, material: glass, shape: disk, size: 0.1}]\n",
                  "marbles.yaml"));
  CHECK(text == R"(scree: 1
title: ""
mode: soft
seed: 1
drawn_momentum: removed
domain: {x: [0, 1], y: [0, 2], periodic: [], sides: open}
gravity: [0, 0]
materials:
  glass: {density: 1, stiffness: 1e+06, restitution: 1, friction: 0, dynamic_friction: static, tangential_stiffness: 0.2857142857142857, tangential_damping: normal, rolling_friction: 0, cohesion: 0, tangential_restitution: 0, restitution_law: constant}
walls:
  - {name: floor, material: glass, polygon: [[0, 0], [1, 0], [1, 0.5], [0, 0.5]], velocity: [0, 0], rotation: {rate: 0, about: [0.5, 0.25]}, until: never}
particles:
  - fill: {region: {x: [0, 1], y: [1, 2]}, count: all, jitter: 0}
    material: glass
    shape: disk
    size: {uniform: [0.1, 0.1]}
contact:
  law: area
  disks: linear
  pairs: []
  initial_depth: 0
  duration: 0
broadphase: auto
time: {end: 1, step: auto, integrator: gear_4}
output: {every: 0.1, directory: out/marbles}
checkpoint: {every: auto}
)");
}

}  // namespace scree::scene_writer_test
