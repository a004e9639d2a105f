#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "dem/random.hpp"
#include "dem/soft/ranks/domain_tree.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/all_ranks.hpp"

namespace scree::ranks_test {

// Several ranks as threads of one process: the same bits as one simulation alone.

using soft::RankedSimulation;
using soft::Simulation;
using test::check_all_ranks;
using test::check_same;
using test::check_saved_by_some;
using test::look;
using test::with_ranks;

namespace {

/// Stones that fall into a box, collide and slide.
Scene falling(std::uint64_t count) {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 3e6;
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::box_wall({-0.12, -0.02}, {0.12, 0.0}), test::box_wall({-0.14, -0.02}, {-0.12, 0.4}),
                 test::box_wall({0.12, -0.02}, {0.14, 0.4})};
  scene.particles = {{.how = Fill{.region = {{-0.12, 0.0}, {0.12, 0.25}}, .count = count, .jitter = 1.5},
                      .material = 0,
                      .shape = RandomPolygon{{4, 8}, {1.0, 1.2}},
                      .size = {0.007, 0.009}}};
  return scene;
}

}  // namespace

TEST_CASE("stones that fall on one another: the same state, energies and saved bytes for any number of ranks") {
  check_all_ranks(falling(240), test::kSanitized ? 0.006 : 0.03, {1, 2, 3, 4});
}

TEST_CASE("ranks that have several threads each") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -9.81};
  scene.walls = {test::floor_wall()};
  scene.particles = {{.how = Fill{.region = {{-0.5, 0.0}, {0.5, 0.5}}, .count = 1200, .jitter = 2.0},
                      .material = 0,
                      .shape = RandomPolygon{{5, 8}, {1.0, 1.1}},
                      .size = {0.010, 0.011}}};
  Simulation alone(scene, {.threads = 1});
  alone.advance_to(0.001);
  CHECK(alone.summary().contacts > 10);
  for (const int threads : {1, 2}) {
    with_ranks(scene, 2, {}, {.threads = threads}, [&](RankedSimulation& ranked) {
      ranked.advance_to(0.001);
      CHECK(ranked.domain().own() > 550);  // more than the loops need to be shared
      check_same(look(ranked), look(alone));
    });
  }
}

TEST_CASE("disks that roll and cohere") {
  Scene scene = falling(150);
  scene.particles[0].shape = Disk{};
  scene.materials[0].rolling_friction = 0.1;
  scene.materials[0].cohesion = 5.0;
  check_all_ranks(scene, test::kSanitized ? 0.006 : 0.02, {2, 3});
}

TEST_CASE("a periodic crowd: images of grains of other ranks, across sides and corners") {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 3e6;
  scene.domain = {{-0.1, -0.05}, {0.1, 0.15}, {true, true}};
  scene.gravity = {1.0, -2.0};
  scene.particles = {{.how = Fill{.region = {{-0.1, -0.05}, {0.1, 0.15}}, .count = 120, .jitter = 2.0},
                      .material = 0,
                      .shape = RandomPolygon{{4, 7}, {1.0, 1.3}},
                      .size = {0.008, 0.012}}};
  check_all_ranks(scene, test::kSanitized ? 0.006 : 0.03, {2, 3, 4});
}

TEST_CASE("grains of several parts, also where two ranks meet at a periodic side") {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 1e7;
  scene.gravity = {0.0, -9.81};
  scene.domain = {{-0.1, -0.02}, {0.1, 0.3}, {true, false}};
  scene.walls = {test::box_wall({-0.1, -0.02}, {0.1, 0.0})};
  const Clump staple{{{.polygon = {{0.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}, {0.0, 1.0}}},
                      {.polygon = {{0.0, 1.0}, {1.0, 1.0}, {1.0, 3.0}, {0.0, 3.0}}}}};
  scene.particles = {{.how = Fill{.region = {{-0.1, 0.0}, {0.1, 0.15}}, .count = 50, .jitter = 1.0},
                      .material = 0,
                      .shape = staple,
                      .size = {0.012, 0.012}},
                     {.how = Fill{.region = {{-0.1, 0.16}, {0.1, 0.2}}, .count = 20, .jitter = 1.0},
                      .material = 0,
                      .shape = RegularPolygon{5},
                      .size = {0.01, 0.01}}};
  check_all_ranks(scene, test::kSanitized ? 0.006 : 0.02, {2, 3});
}

TEST_CASE("stones are born, leave, and a wall goes") {
  Scene scene = test::pouring_scene(40);
  scene.materials[0].stiffness = 3e6;
  scene.domain.lo.y() = 0.001;
  scene.particles.push_back({.how = Fill{.region = {{-0.12, 0.0}, {0.12, 0.1}}, .count = 60, .jitter = 1.5},
                             .material = 0,
                             .shape = RandomPolygon{{4, 8}, {1.0, 1.2}},
                             .size = {0.007, 0.009}});
  scene.walls[0].until = 0.003;  // the bottom opens
  scene.walls.push_back(test::box_wall({-0.3, 0.22}, {0.3, 0.24}));
  scene.walls.back().name = "lid";
  scene.walls.back().from = 0.005;  // later than the last birth here
  Simulation simulation(scene, {.threads = 1});
  const double end = 0.02;
  simulation.advance_to(end);
  CHECK(simulation.summary().particles_out > 0);
  CHECK(simulation.summary().particles_in > 65);
  check_all_ranks(scene, end, test::kThreadSanitizer ? std::vector{3} : std::vector{2, 3});
}

namespace {

/// A periodic shaft without a floor. Grains and clumps pour in, lean on one another on a shelf, and leave below it.
Scene shaft() {
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 1e6;
  scene.gravity = {0.0, -9.81};
  scene.domain = {{-0.08, -0.03}, {0.08, 0.3}, {true, false}};
  scene.walls = {test::box_wall({-0.05, -0.02}, {0.03, 0.0})};
  const Clump bar{{{.polygon = {{0.0, 0.0}, {2.0, 0.0}, {2.0, 1.0}, {0.0, 1.0}}},
                   {.polygon = {{2.0, 0.0}, {4.0, 0.0}, {4.0, 1.0}, {2.0, 1.0}}}}};
  const auto pour = [&](const Region& region) {
    return Pour{.count = 400, .rate = 12000.0, .from = 0.0, .region = region, .velocity = {0.3, -1.2}};
  };
  scene.particles = {{.how = pour({{-0.08, -0.028}, {0.08, 0.04}}),
                      .material = 0,
                      .shape = RandomPolygon{{4, 8}, {1.0, 1.3}},
                      .size = {0.006, 0.01}},
                     {.how = pour({{0.02, -0.028}, {0.08, 0.06}}), .material = 0, .shape = bar, .size = {0.01, 0.012}}};
  return scene;
}

}  // namespace

TEST_CASE("births and departures, of clumps and at periodic sides, with contacts, without the whole") {
  const Scene scene = shaft();
  const double end = test::kSanitized ? 0.014 : 0.02;
  Simulation alone(scene, {.threads = 1});
  std::uint64_t most_contacts = 0;
  for (int k = 1; k <= 10; ++k) {
    alone.advance_to(end * k / 10);
    most_contacts = std::max(most_contacts, alone.summary().contacts);
  }
  CHECK(alone.summary().particles_out > (test::kSanitized ? 3 : 10));
  CHECK(alone.summary().particles > 50);
  CHECK(most_contacts > 20);
  CHECK(alone.summary().energy_out > 0.0);
  check_all_ranks(scene, end, test::kThreadSanitizer ? std::vector{4} : std::vector{2, 4}, test::kSanitized ? 1 : 2);
  with_ranks(scene, 4, {}, {.threads = 1}, [&](RankedSimulation& ranked) {
    ranked.advance_to(end);
    CHECK(ranked.domain().counts().collected == 0);
    CHECK(ranked.domain().counts().renewed < ranked.steps() / 10);
    CHECK(ranked.particles() == alone.particles());
    check_same(look(ranked), look(alone));
  });
}

TEST_CASE("more ranks than grains: some have nothing to do") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -10.0};
  scene.walls = {test::floor_wall()};
  // A stack: each grain, and the floor that the lowest touches, may be on a rank of its own.
  scene.particles = {
      test::placed(test::square(), test::size_of_square(0.02),
                   {{.position = {0.0, 0.01 + 1e-4}}, {.position = {0.004, 0.03 + 2e-4}, .velocity = {0.3, 0.0}}})};
  check_all_ranks(scene, 0.05, {3, 8});
}

TEST_CASE("a grain slides across the corner of four domains") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -10.0};
  scene.walls = {test::floor_wall()};
  std::vector<Placed> slab;  // two rows that rest, and one grain that slides over them
  for (int k = 0; k < 8; ++k) slab.push_back({.position = {0.0205 * k, 0.01 + 1e-5}});
  for (int k = 0; k < 8; ++k) slab.push_back({.position = {0.0205 * k, 0.03 + 2e-5}});
  slab.push_back({.position = {0.03, 0.05 + 3e-5}, .velocity = {1.5, 0.0}});
  scene.materials[0].friction = 0.2;
  scene.particles = {test::placed(test::square(), test::size_of_square(0.02), slab)};
  check_all_ranks(scene, 0.06, {4}, 6);
}

TEST_CASE("a state that some ranks saved goes on on any number of them") {
  check_saved_by_some(falling(120), 0.004, 0.01);
}

TEST_CASE("a step that is too long ends all ranks with the words of one") {
  Scene scene = falling(60);
  scene.soft.step = 2e-4;
  std::string expected;
  Simulation alone(scene, {.threads = 1});
  try {
    alone.advance_to(1.0);
  } catch (const PhysicsError& error) {
    expected = error.what();
  }
  REQUIRE(!expected.empty());
  with_ranks(scene, 3, {}, {.threads = 1}, [&](RankedSimulation& ranked) {
    CHECK_THROWS_WITH_AS(ranked.advance_to(1.0), expected.c_str(), PhysicsError);
    check_same(look(ranked), look(alone));
  });
}

TEST_CASE("stages, each until the grains rest") {
  Scene scene = test::empty_scene();
  scene.gravity = {0.0, -10.0};
  scene.materials[0] = {.name = "stone", .density = 2600.0, .stiffness = 1e6, .restitution = 0.2, .friction = 0.5};
  scene.walls = {test::floor_wall(), test::box_wall({0.011, 0.0}, {0.05, 0.1})};
  scene.walls[0].name = "floor";
  scene.walls[1].name = "gate";
  scene.particles = {test::placed(test::square(), test::size_of_square(0.02),
                                  {{.position = {0.0, 0.01 + 1e-4}}, {.position = {0.0, 0.03 + 2e-4}}})};
  scene.end = 0.4;
  Stage settle{.name = "settle", .end = 0.2, .unbalanced = 0.01};
  Stage push{.name = "push", .end = 0.2};
  push.gravity = {{0.0, {6.0, -10.0}}};
  push.remove = {1};
  scene.soft.stages = {settle, push};
  Simulation alone(scene, {.threads = 1});
  alone.advance_to(1.0);
  CHECK(alone.is_over());
  CHECK(alone.course().begun().size() == 2);
  for (const int ranks : {1, 2, 3}) {
    with_ranks(scene, ranks, {}, {.threads = 1}, [&](RankedSimulation& ranked) {
      ranked.advance_to(1.0);
      CHECK(ranked.is_over());
      check_same(look(ranked), look(alone));
    });
  }
}

TEST_CASE("walls that forces move: a servo presses, a free wall falls, a torque turns") {
  Scene scene = falling(60);
  scene.walls.push_back(test::box_wall({-0.11, 0.26}, {0.11, 0.28}));
  scene.walls.back().name = "lid";
  scene.walls.back().drive = Servo{.towards = {0.0, -1.0}, .force = 40.0, .speed = 1.0};
  scene.walls.push_back(test::box_wall({-0.05, 0.03}, {0.05, 0.035}));
  scene.walls.back().name = "paddle";
  scene.particles[0].how = Fill{.region = {{-0.12, 0.05}, {0.12, 0.25}}, .count = 60, .jitter = 1.0};
  scene.walls.back().drive = TorqueDrive{.torque = 0.1, .inertia = 0.05};
  scene.walls.push_back(test::box_wall({-0.02, 0.3}, {0.02, 0.32}));
  scene.walls.back().name = "free";
  scene.walls.back().drive = FreeWall{.along = {1.0, 0.0}, .mass = 5.0, .force = 1.0};
  Simulation alone(scene, {.threads = 1});
  const double end = test::kSanitized ? 0.01 : 0.05;  // before the lid presses
  alone.advance_to(end);
  std::uint64_t contacts = 0;
  for (const DriveState& drive : alone.state().drives) contacts += drive.contacts;
  if (!test::kSanitized) CHECK(contacts > 1);
  check_all_ranks(scene, end, {2, 3});
}

TEST_CASE("gravity that changes, local damping, and measurements") {
  Scene scene = falling(80);
  scene.soft.gravity_table = {{0.0, {0.0, -9.81}}, {0.004, {0.0, -9.81}}, {0.008, {5.0, -9.81}}};
  scene.soft.local_damping = 0.3;
  scene.measure = Measure{};
  scene.measure->every = 0.001;
  scene.measure->region = {{-0.1, 0.0}, {0.1, 0.2}};
  if (!test::kThreadSanitizer) check_all_ranks(scene, 0.012, {2, 3});
  scene.domain = {{-0.12, -10.0}, {0.12, 10.0}, {true, false}};
  scene.walls = {test::floor_wall()};
  check_all_ranks(scene, 0.012, {3});
}

TEST_CASE("several ranks do not run the hard mode") {
  Scene scene = falling(10);
  CHECK_NOTHROW(soft::require_shareable(scene));
  scene.mode = Mode::hard;
  CHECK_THROWS_WITH_AS(soft::require_shareable(scene),
                       "mode: is hard, which several ranks cannot run; allowed: soft, or a run without mpirun",
                       InvalidScene);
}

TEST_CASE("a point belongs to the rank in whose domain it is, and to no other") {
  Random random(7, 0, 0);
  std::vector<soft::DomainTree::Load> loads(100);
  for (auto& load : loads) load = {{random.uniform(0.0, 2.0), random.uniform(0.0, 1.0)}, random.uniform(1.0, 5.0)};
  for (const int ranks : {1, 2, 3, 7}) {
    const soft::DomainTree tree(loads, ranks);
    for (int k = 0; k < 200; ++k) {
      const Vec2 at(random.uniform(-1.0, 3.0), random.uniform(-1.0, 2.0));
      for (int rank = 0; rank < ranks; ++rank) {
        CHECK(tree.domain(rank).contains(at) == (tree.owner(at) == rank));
      }
    }
  }
}

TEST_CASE("a rank that fails ends the others") {
  CHECK_THROWS_WITH(run_as_ranks(3,
                                 [](Ranks& ranks) {
                                   if (ranks.rank() == 1) throw std::runtime_error("no memory");
                                   (void)ranks.receive(1);
                                 }),
                    "no memory");
}

}  // namespace scree::ranks_test
