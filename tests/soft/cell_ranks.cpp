#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "dem/errors.hpp"
#include "tests/broadphase/random_boxes.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/all_ranks.hpp"

namespace scree::cell_ranks_test {

// A periodic cell that deforms, on several ranks: the same bits as on one.

using soft::RankedSimulation;
using soft::Simulation;
using test::check_all_ranks;
using test::check_same;
using test::check_saved_by_some;
using test::Dice;
using test::look;
using test::with_ranks;

namespace {

constexpr double kSpacing = 0.01;  // of grains at the start [m]

/// Rows of grains, with small velocities beside the flow. @param size over the spacing
Scene rows(const CellDrive& drive, const ShapeSpec& shape, double size, double speed = 0.3) {
  constexpr int kColumns = 9;
  constexpr int kRows = 6;
  Scene scene = test::empty_scene();
  scene.materials[0].stiffness = 3e5;
  const Vec2 half = 0.5 * kSpacing * Vec2(kColumns, kRows);
  scene.domain = {-half, half, {true, true}};
  scene.domain.cell = drive;
  Dice dice(11);
  Place place;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      Placed grain;
      grain.position = kSpacing * Vec2(column + 0.5, row + 0.5) - half;
      grain.angle = dice.between(0.0, 1.0);
      grain.velocity.x() = dice.between(-speed, speed);
      grain.velocity.y() = dice.between(-speed, speed);
      place.push_back(grain);
    }
  }
  scene.particles = {test::placed(shape, size * kSpacing, place)};
  return scene;
}

CellDrive shear(double rate) {
  return {.xy = {.rate = rate}};
}

/// Both lengths follow a stress.
CellDrive pressed(double stress, double rate) {
  return {.xx = {.rate = 10.0, .stress = stress},
          .yy = {.rate = 10.0, .stress = stress},
          .xy = {.rate = rate},
          .mass = 0.05};
}

/// How a run on one rank ended, to know that it was worth sharing.
struct End {
  CellState cell;
  std::size_t contacts = 0;
  std::size_t across = 0;  // contacts with images
};
End end_of(const Scene& scene, double end) {
  Simulation alone(scene, {.threads = 1});
  alone.advance_to(end);
  const State state = alone.state();
  End seen{.cell = *state.cell, .contacts = state.contacts.size()};
  for (const ContactState& contact : state.contacts) seen.across += contact.image_shift.isZero() ? 0 : 1;
  return seen;
}

double shortened(double end) {
  return test::kSanitized ? 0.3 * end : end;
}

}  // namespace

TEST_CASE("a cell that is sheared at a rate, its tilt set back on the way, on any number of ranks") {
  const Scene scene = rows(shear(110.0), RegularPolygon{6}, 0.88);
  const double end = 0.01;
  const End seen = end_of(scene, end);
  CHECK(seen.cell.strain[2] > 1.1);
  CHECK(std::abs(seen.cell.tilt) < 0.5 * seen.cell.length.x());
  CHECK(seen.contacts > 20);
  CHECK(seen.across > 2);
  check_all_ranks(scene, shortened(end), {1, 2, 3, 4, 8}, 2);
}

TEST_CASE("a stress drives both lengths of a cell that is sheared") {
  Scene scene = rows(pressed(1500.0, 110.0), RegularPolygon{5}, 0.84);
  scene.soft.local_damping = 0.1;
  const double end = 0.01;
  const End seen = end_of(scene, end);
  CHECK(seen.cell.strain[0] < -0.005);
  CHECK(seen.cell.strain[1] < -0.005);
  CHECK(seen.cell.strain[2] > 1.1);
  CHECK(seen.contacts > 30);
  check_all_ranks(scene, shortened(end), {2, 3, 5}, 1);
  scene.domain.cell->xx = {};
  scene.domain.cell->xy = {.rate = 80.0, .stress = -150.0};
  scene.particles[0].shape = Disk{};
  scene.materials[0].rolling_friction = 0.1;
  scene.materials[0].cohesion = 5.0;
  CHECK(std::abs(end_of(scene, 0.5 * end).cell.strain[2]) > 0.005);
  check_all_ranks(scene, 0.5 * end, {3}, 2);
}

TEST_CASE("grains at rest that only the flow brings together: lengths shrink, or rows are sheared past each other") {
  // Nothing goes beside the flow until the first grains touch: ghosts are renewed because the cell deforms.
  struct Case {
    CellDrive drive;
    double end;
  };
  for (const Case& one : {Case{{.xx = {.rate = -80.0}}, 0.0063}, Case{{.yy = {.rate = -80.0}}, 0.0063},
                          Case{{.xx = {.rate = 30.0}, .yy = {.rate = -60.0}, .xy = {.rate = 180.0}}, 0.0083}}) {
    const Scene scene = rows(one.drive, Disk{}, 0.62, 0.0);
    CHECK(end_of(scene, 0.5 * one.end).contacts == 0);
    CHECK(end_of(scene, one.end).contacts > 10);
    check_all_ranks(scene, one.end, {4}, 2);
  }
}

TEST_CASE("stages: a cell that waits, is sheared at a rate, and then by stresses") {
  Scene scene = rows({}, RegularPolygon{6}, 0.88);
  scene.soft.stages = {{.name = "wait", .end = 0.003},
                       {.name = "shear", .end = 0.005, .cell = shear(50.0)},
                       {.name = "press", .end = 0.006, .cell = pressed(300.0, -30.0)}};
  scene.end = 0.014;
  Simulation alone(scene, {.threads = 1});
  alone.advance_to(1.0);
  CHECK(alone.course().begun().size() == 3);
  CHECK(alone.state().cell->strain[0] != 0.0);
  check_all_ranks(scene, 0.015, {2, 3}, 5);
}

TEST_CASE("a cell that waits for its stress, and for its grains to rest") {
  Scene scene = rows(pressed(300.0, 0.0), Disk{}, 0.97, 0.01);
  scene.soft.local_damping = 0.5;
  scene.soft.until_unbalanced = 0.1;
  scene.end = 1.0;
  Simulation alone(scene, {.threads = 1});
  alone.advance_to(1.0);
  CHECK(alone.is_over());
  CHECK(alone.time() < 0.5);
  for (const int ranks : {2, 3}) {
    if (test::kSanitized && ranks == 2) continue;
    with_ranks(scene, ranks, {}, {.threads = 1}, [&](RankedSimulation& ranked) {
      ranked.advance_to(1.0);
      CHECK(ranked.is_over());
      check_same(look(ranked), look(alone));
    });
  }
}

TEST_CASE("grains of several parts in a cell, and measurements of it") {
  const Clump staple{{{.polygon = {{0.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}, {0.0, 1.0}}},
                      {.polygon = {{0.0, 1.0}, {1.0, 1.0}, {1.0, 3.0}, {0.0, 3.0}}}}};
  Scene scene = rows(pressed(1000.0, 110.0), staple, 0.55);
  scene.measure = Measure{.every = 0.002, .region = {scene.domain.lo, scene.domain.hi}, .texture = true};
  const double end = 0.008;
  CHECK(end_of(scene, end).contacts > 5);
  check_all_ranks(scene, shortened(end), {3}, 2);
}

TEST_CASE("a cell that three ranks saved goes on on any number of them") {
  check_saved_by_some(rows(pressed(400.0, 60.0), RegularPolygon{6}, 0.88), shortened(0.01), shortened(0.016));
}

TEST_CASE("a cell that deforms too fast ends all ranks with the words of one") {
  Scene scene = rows({}, RegularPolygon{6}, 0.88);
  scene.soft.stages = {{.name = "wait", .end = 0.001}, {.name = "shear", .end = 0.005, .cell = shear(1000.0)}};
  scene.end = 0.006;
  Simulation alone(scene, {.threads = 1});
  std::string expected;
  try {
    alone.advance_to(1.0);
  } catch (const PhysicsError& error) {
    expected = error.what();
  }
  CAPTURE(expected);
  REQUIRE(expected.find("the cell deforms at 1e+03 1/s, more than") != std::string::npos);
  with_ranks(scene, 3, {}, {.threads = 1}, [&](RankedSimulation& ranked) {
    CHECK_THROWS_WITH_AS(ranked.advance_to(1.0), expected.c_str(), PhysicsError);
    check_same(look(ranked), look(alone));
  });
}

}  // namespace scree::cell_ranks_test
