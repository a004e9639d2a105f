#include "dem/soft/motion/population.hpp"

#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "dem/archive.hpp"
#include "tests/scenes.hpp"
#include "tests/soft/bodies.hpp"

namespace scree::population_test {

using namespace scree::soft;

namespace {

const IsFree kFree = [](const ShapeView&, const Pose&) { return true; };
const IsFree kFull = [](const ShapeView&, const Pose&) { return false; };

/// A group that pours 5 grains, 10 a second from t = 1 s on, and one that is there from the start.
Scene scene_that_pours() {
  Scene scene = test::empty_scene();
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].density = 1000.0;
  scene.particles = {
      test::placed(Disk{}, 0.02, {{.position = {0.0, 0.0}}}),
      {.how = Pour{.count = 5, .rate = 10.0, .from = 1.0, .region = {{-1.0, 2.0}, {1.0, 4.0}}, .velocity = {0.0, -3.0}},
       .material = 1,
       .shape = RegularPolygon{6},
       .size = {0.1, 0.2}},
  };
  return scene;
}

}  // namespace

TEST_CASE("ids are given once and in order, to walls and to grains") {
  const Scene scene = scene_that_pours();
  Population population(scene);
  Bodies bodies;
  CHECK(population.take_ids(3) == 1);
  CHECK(population.take_ids(0) == 4);
  for (int k = 0; k < 3; ++k) {
    const auto birth = population.try_pour(scene, 1, 2.0, kFree);
    REQUIRE(birth);
    population.add(scene, *birth, 1, bodies);
  }
  CHECK(bodies.id == std::vector<std::uint64_t>{4, 5, 6});
  CHECK(population.born() == 3);
  // A grain that leaves does not give its id back.
  population.note_departure(bodies, 2, 2.0);
  bodies.remove({0, 0, 1});
  population.add(scene, *population.try_pour(scene, 1, 2.0, kFree), 1, bodies);
  CHECK(bodies.id == std::vector<std::uint64_t>{4, 5, 7});
  CHECK(population.next_id() == 8);
  CHECK(population.born() == 4);
  CHECK(population.departed() == 1);
}

TEST_CASE("a grain that is born has the shape, mass, place and motion it was drawn with") {
  const Scene scene = scene_that_pours();
  Population population(scene);
  Bodies bodies;
  const auto birth = population.try_pour(scene, 1, 1.0, kFree);
  REQUIRE(birth);
  population.add(scene, *birth, 1, bodies);
  REQUIRE(bodies.size() == 1);
  CHECK(bodies.type[0] == 1);
  CHECK(bodies.material[0] == 1);
  CHECK(bodies.mass[0] == 1000.0 * birth->grain.area);
  CHECK(std::abs(bodies.inertia(0) / (1000.0 * birth->grain.second_moment) - 1.0) < 1e-15);
  CHECK(std::abs(bodies.radius[0] * bodies.radius[0] * std::numbers::pi / birth->grain.area - 1.0) < 1e-14);
  CHECK(bodies.bounding_radius[0] == birth->grain.bounding_radius);
  CHECK(bodies.shape(0).outline.size() == 6);
  CHECK(linear(bodies.position[0]) == birth->position);
  CHECK(bodies.position[0].z() == birth->angle);
  CHECK((bodies.velocity[0] == Motion(0.0, -3.0, 0.0)).all());
  CHECK(bodies.image[0] == Image{0, 0});
}

TEST_CASE("a pour gives the grains that are due, owes those without room, and ends with its last grain") {
  const Scene scene = scene_that_pours();
  Population population(scene);
  CHECK(!population.try_pour(scene, 0, 9.0, kFree));  // that group does not pour
  CHECK(!population.try_pour(scene, 1, 0.99, kFree));
  CHECK(population.owed(scene, 0.99) == 0);
  CHECK(population.owed(scene, 1.11) == 2);
  CHECK(!population.try_pour(scene, 1, 1.11, kFull));
  CHECK(population.owed(scene, 1.11) == 2);
  CHECK(population.pours()[1].born == 0);
  CHECK(population.pours()[1].attempts > 0);
  CHECK(population.try_pour(scene, 1, 1.11, kFree));
  CHECK(population.owed(scene, 1.11) == 1);
  CHECK(population.try_pour(scene, 1, 1.11, kFree));
  CHECK(!population.try_pour(scene, 1, 1.11, kFree));
  CHECK(population.owed(scene, 1.11) == 0);
  CHECK(population.owed(scene, 100.0) == 3);
  for (int k = 0; k < 3; ++k) CHECK(population.try_pour(scene, 1, 100.0, kFree));
  CHECK(!population.try_pour(scene, 1, 100.0, kFree));
  CHECK(population.owed(scene, 100.0) == 0);
}

TEST_CASE("particles leave when they are wholly beyond an open side, walls when their time is over") {
  Scene scene = scene_that_pours();
  scene.domain = {.lo = {0.0, 0.0}, .hi = {10.0, 8.0}, .periodic = {true, false}};
  scene.walls = {test::floor_wall(), test::floor_wall(), test::floor_wall()};
  scene.walls[1].until = 2.0;
  Bodies bodies;
  // The first wall of the scene was removed before, and a wall may lie beyond a side.
  test::add_wall(bodies, 2, {5.0, -3.0, 0.0}, Polygon(scene.walls[1].polygon), 1);
  test::add_wall(bodies, 3, {5.0, -3.0, 0.0}, Polygon(scene.walls[2].polygon), 2);
  const double radius = 0.5;
  test::add_disk(bodies, 4, {5.0, 4.0}, radius);          // inside
  test::add_disk(bodies, 5, {5.0, -0.5}, radius);         // its box ends on the side
  test::add_disk(bodies, 6, {5.0, -0.5 - 1e-9}, radius);  // below
  test::add_disk(bodies, 7, {5.0, 8.5 + 1e-9}, radius);   // above
  test::add_disk(bodies, 8, {-0.5 - 1e-9, 4.0}, radius);  // beyond a periodic side
  Placement placement;
  placement.add_missing(bodies);
  CHECK(Population::leaving(scene, bodies, placement, 1.99) == std::vector<char>{0, 0, 0, 0, 1, 1, 0});
  CHECK(Population::leaving(scene, bodies, placement, 2.0) == std::vector<char>{1, 0, 0, 0, 1, 1, 0});
  scene.domain.periodic[0] = false;
  CHECK(Population::leaving(scene, bodies, placement, 2.0) == std::vector<char>{1, 0, 0, 0, 1, 1, 1});
  scene.domain = {.lo = {-20.0, -20.0}, .hi = {20.0, 20.0}};
  CHECK(Population::leaving(scene, bodies, placement, 1.99).empty());
}

TEST_CASE("a departure tells who left, when, where and how fast, once") {
  const Scene scene = scene_that_pours();
  Population population(scene);
  Bodies bodies;
  test::add_disk(bodies, 17, {1.0, 2.0}, 0.5);
  bodies.velocity[0] = {3.0, -4.0, 5.0};
  population.note_departure(bodies, 0, 0.75);
  const std::vector<Departure> departures = population.take_departures();
  REQUIRE(departures.size() == 1);
  CHECK(departures[0].time == 0.75);
  CHECK(departures[0].id == 17);
  CHECK(departures[0].type == 0);
  CHECK(departures[0].mass == bodies.mass[0]);
  CHECK(departures[0].position == Vec2(1.0, 2.0));
  CHECK(departures[0].velocity == Vec2(3.0, -4.0));
  CHECK(departures[0].angular_velocity == 5.0);
  CHECK(population.take_departures().empty());
  CHECK(population.departed() == 1);
}

TEST_CASE("a population that was saved goes on with the same ids, counters and grains") {
  const Scene scene = scene_that_pours();
  Population population(scene);
  Bodies bodies;
  population.take_ids(7);
  population.add(scene, *population.try_pour(scene, 1, 1.2, kFree), 1, bodies);
  population.note_departure(bodies, 0, 1.2);
  std::stringstream bytes;
  OutArchive out(bytes);
  Population::visit(out, population);
  Population::visit_departures(out, population);
  Population loaded(scene);
  InArchive in(bytes);
  Population::visit(in, loaded);
  Population::visit_departures(in, loaded);
  CHECK(loaded.next_id() == 9);
  CHECK(loaded.born() == 1);
  CHECK(loaded.departed() == 1);
  CHECK(loaded.owed(scene, 1.2) == population.owed(scene, 1.2));
  CHECK(loaded.take_departures().size() == 1);
  const auto next = population.try_pour(scene, 1, 1.2, kFree);
  const auto next_of_loaded = loaded.try_pour(scene, 1, 1.2, kFree);
  REQUIRE(next);
  REQUIRE(next_of_loaded);
  CHECK(next->position == next_of_loaded->position);
  CHECK(next->angle == next_of_loaded->angle);
  CHECK(next->grain.area == next_of_loaded->grain.area);
}

}  // namespace scree::population_test
