#include "io/scene/scene_reader.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/scene.hpp"
#include "scene_texts.hpp"

namespace scree::scene_reader_test {

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
  CHECK(scene.soft.initial_depth == 0.01);
  REQUIRE(scene.pairs.size() == 1);
  CHECK(scene.pairs[0].first == 1);
  CHECK(scene.pairs[0].second == 0);
  CHECK(scene.pairs[0].mixed.friction == 0.4);
  CHECK(scene.pairs[0].mixed.dynamic_friction == 0.25);
  CHECK(scene.pairs[0].mixed.damping == 0.2);
  CHECK(std::abs(scene.pairs[0].mixed.stiffness - 4e6 / 3.0) < 1e-6);  // the mixture's, as nothing else is said [N/m]
  CHECK(scene.broadphase == BroadphaseKind::linked_cells);
  CHECK(scene.end == 4.0);
  CHECK(scene.soft.step == 2e-6);
  CHECK(scene.output_every == 0.02);
  CHECK(scene.output_directory == "out/everything");
  CHECK(scene.output_replay);
  CHECK(scene.checkpoint_every == 2.5);
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

TEST_CASE("a scene measures only what its measure asks for") {
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

TEST_CASE("measurements that are impossible are reported") {
  check_mistakes({
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
       "56:30: measure.mean_square_displacement.from: is not a key here, must be left out"},
      {"mean_square_displacement: {}", "free_flights: {}",
       "56:3: measure.free_flights: is given in mode soft, where contacts last, must be left out"},
      {"mean_square_displacement: {}", "msd: {}",
       "56:3: measure.msd: is not a key here, must be every, from, region, radial_distribution, velocity_distribution, "
       "height_profile, mean_square_displacement, free_flights, collisions, helfand_moments, pair_orientation, "
       "texture, "
       "forces or fields"},
  });
}

TEST_CASE("optional keys have their defaults") {
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

TEST_CASE("a mistake at the top is told with its place, its value and what is allowed") {
  check_mistakes({
      {"scree: 1\n", "", "1:1: scree: is missing, must be 1, the version of the scene format"},
      {"scree: 1\n", "scree: 2\n", "1:8: scree: is 2, must be 1, the version of the scene format"},
      {"mode: soft", "mode: sotf", "3:7: mode: is 'sotf', must be soft or hard (did you mean 'soft'?)"},
      {"title: \"Everything at once\"", "title: [a]", "2:8: title: is a list, must be a text"},
      {"seed: 1844674407370955161", "seed: -",
       "4:7: seed: is -5, must be a whole number from 0 to 18446744073709551615"},
      {"seed: 1844674407370955161", "seed: 1.",
       "4:7: seed: is 1.5, must be a whole number from 0 to 18446744073709551615"},
      {"domain: {x: [-1, 1], y: [-0.1, 2], periodic: [x]}\n", "",
       "1:1: domain: is missing, must be a mapping with x, y, periodic, sides, thermal_sides, cell"},
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
      {"gravity: [0, -9.81]", "gravity: -9.81",
       "6:10: gravity: is -9.81, must be [x, y] [m/s^2], a list of {time, gravity}, or {file: NAME}"},
      {"gravity: [0, -9.81]", "gravity: [0]", "6:10: gravity: is a list of 1, must be [x, y], two numbers [m/s^2]"},
      {"law: area", "law: hertz", "45:16: contact.law: is 'hertz', must be area, area_potential or area_potential_3_2"},
      {"law: area", "law: aera",
       "45:16: contact.law: is 'aera', must be area, area_potential or area_potential_3_2 (did you mean 'area'?)"},
      {"disks: hertz", "disks: linaer",
       "45:29: contact.disks: is 'linaer', must be linear, linear_unclipped or hertz (did you mean 'linear'?)"},
      {"initial_depth: 0.01", "initial_depth: 0.3",
       "45:140: contact.initial_depth: is 0.3, must be a number in [0, 0.2]"},
      {"broadphase: linked_cells", "broadphase: linked cells",
       "48:13: broadphase: is 'linked cells', must be auto, sort_and_update, sorted_strips, linked_cells, "
       "hierarchical_grid, distance_sort or all_pairs (did you mean 'linked_cells'?)"},
  });
}

TEST_CASE("hard mode reads when velocities are reversed") {
  const std::string hard = R"(scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1]}
time: {end: 4, reverse: 2.5}
output: {every: 1}
)";
  CHECK(parse_scene(hard, "s.yaml").hard.reverse == 2.5);
  CHECK_FALSE(parse_scene(replaced(hard, ", reverse: 2.5", ""), "s.yaml").hard.reverse);
  const auto refused = [&](const char* by, const char* message) {
    CHECK(complaint(replaced(hard, "2.5", by)) == std::string("s.yaml:4:25: time.reverse: ") + message);
  };
  refused("0", "is 0, must be a number in (0, 4] [s] (up to time.end)");
  refused("5", "is 5, must be a number in (0, 4] [s] (up to time.end)");
  CHECK(complaint(replaced(hard, "mode: hard", "mode: soft")) ==
        "s.yaml:4:25: time.reverse: is 2.5, must be left out in soft mode");
}

TEST_CASE("the three times limit one another") {
  check_mistakes({
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
  CHECK_FALSE(parse_scene(replaced(kMaximalScene, "step: 2e-6", "step: auto"), "s.yaml").soft.step);
  CHECK_FALSE(parse_scene(replaced(kMaximalScene, ", step: 2e-6", ""), "s.yaml").soft.step);
}

TEST_CASE("an integrator is chosen by name") {
  const auto chosen = [](const char* integrator) {
    return parse_scene(replaced(kMaximalScene, "velocity_verlet", integrator), "s.yaml").soft.integrator;
  };
  CHECK(chosen("velocity_verlet") == Integrator::velocity_verlet);
  CHECK(chosen("gear_4") == Integrator::gear_4);
  CHECK(chosen("gear_5") == Integrator::gear_5);
  CHECK(chosen("gear_6") == Integrator::gear_6);
  CHECK(parse_scene(replaced(kMaximalScene, ", integrator: velocity_verlet", ""), "s.yaml").soft.integrator ==
        Integrator::gear_4);
  check_mistakes({{"velocity_verlet", "verlet",
                   "46:42: time.integrator: is 'verlet', must be velocity_verlet, gear_4, gear_5 or gear_6"}});
}

}  // namespace scree::scene_reader_test
