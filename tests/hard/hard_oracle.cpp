#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "dem/hard/simulation.hpp"
#include "geometry/pose.hpp"
#include "io/formats/billiards.hpp"
#include "io/text/errors.hpp"
#include "io/yaml/scene_error.hpp"
#include "tests/hard/gases.hpp"
#include "tests/hard/lazy_billiards.hpp"
#include "tests/sanitized.hpp"

namespace scree::hard_oracle_test {

using namespace scree::hard;
using test::LazyBilliards;

namespace {

constexpr double kShare = test::kSanitized ? 0.1 : 1.0;  // of the time that a case simulates

/// Both algorithms side by side; every position and velocity must have the same bits.
/// @return the slow one at the end
template <class S>
LazyBilliards compare(const Setup& setup, double end, int checks, int images = 3) {
  S fast(setup);
  LazyBilliards slow(setup, images, end);
  for (int k = 1; k <= checks; ++k) {
    const double time = end * k / checks;
    fast.advance_to(time);
    slow.advance_to(time);
    const ParticleState now = fast.state().particles;
    bool same = fast.counters().collisions == slow.collisions() && fast.counters().wall_hits == slow.wall_hits() &&
                fast.counters().crossings == slow.crossings() && fast.pairs_in_wells() == slow.pairs_in_wells() &&
                fast.grows() == slow.grows() && fast.reduced_pressure() == slow.reduced_pressure();
    for (Index i = 0; i < now.size(); ++i) {
      same = same && now.position[i] == slow.position(i) && now.velocity[i] == slow.velocity(i) &&
             now.radius[i] == slow.radius(i);
    }
    CAPTURE(time);
    REQUIRE(same);
    fast.audit();
  }
  return slow;
}

double kinetic_energy(const Setup& setup) {
  double energy = 0.0;
  for (std::size_t i = 0; i < setup.mass.size(); ++i) energy += 0.5 * setup.mass[i] * setup.velocity[i].squaredNorm();
  return energy;
}

Billiards billiards(const std::string& text) {
  return parse_billiards(text, "table");
}

/// A break shot of touching balls, a row that passes a push on, disks that meet in the same instant.
constexpr const char* kTables[] = {
    "4\n .47 .8 0 0 .029 1 50 50 50\n .531 .8 0 0 .029 1 0 0 0\n .5 .748 0 0 .029 1 0 0 0\n .5 .1 .001 .02 .029 1 9 9 "
    "9\n",
    "5\n.1 .3 .01 0 .05 1 5 5 5\n.4 .3 0 0 .05 1 5 5 5\n.5 .3 0 0 .05 1 5 5 5\n.6 .3 0 0 .05 1 5 5 5\n.7 .3 0 0 .05 1 "
    "5 5 5",
    "3\n.1 .3 .01 0 .05 1 50 50 50\n.5 .3 -.01 0 .01 .0004 50 50 50\n.9 .3 -.01 0 .05 1 50 50 50",
    "4\n.25 .25 .01 .01 .05 1 1 1 1\n.75 .25 -.01 .01 .05 1 1 1 1\n.25 .75 .01 -.01 .05 1 1 1 1\n.75 .75 -.01 -.01 .05 "
    "1 1 1 1",
    "2\n.05 .05 .01 .01 .01 1 200 0 0\n.95 .05 -.01 .01 .01 1 0 0 200\n"};

/// Elastic disks of one mass in a box 10 m wide.
Setup disks_in_box(std::vector<Vec2> position, double radius) {
  Setup setup;
  setup.domain = {{0.0, 0.0}, {10.0, 10.0}};
  setup.radius.assign(position.size(), radius);
  setup.mass.assign(position.size(), 1.0);
  setup.velocity.assign(position.size(), Vec2::Zero());
  setup.position = std::move(position);
  return setup;
}

const Vec2 kMiddle(5.1, 4.3);

/// A triangle of 15 disks, and one that flies at its tip.
Setup break_shot(const Rotation& turned) {
  const double radius = 0.3;
  const auto place = [&](double row, double along) {
    return Vec2(kMiddle + turned * Vec2(radius * std::sqrt(3.0) * (row - 2.0), radius * along));
  };
  std::vector<Vec2> position = {place(-2.0, 0.0)};
  for (int row = 0; row < 5; ++row) {
    for (int k = 0; k <= row; ++k) position.push_back(place(row, 2 * k - row));
  }
  Setup setup = disks_in_box(std::move(position), radius);
  setup.velocity[0] = turned * Vec2(20.0, 0.0);
  return setup;
}

/// A light disk that touches two heavy ones, which touch each other, and moves on towards both.
Setup crevice(const Rotation& turned) {
  const double height = std::sqrt(1.6 * 1.6 - 1.5 * 1.5);
  Setup setup = disks_in_box(
      {kMiddle + turned * Vec2(1.5, 0.0), kMiddle + turned * Vec2(-1.5, 0.0), kMiddle + turned * Vec2(0.0, height)},
      1.5);
  setup.radius[2] = 0.1;
  setup.mass[2] = 1e-3;
  setup.velocity[2] = turned * Vec2(7.0, -50.0);
  return setup;
}

/// Six disks fly to one place.
Setup star(const Rotation& turned) {
  std::vector<Vec2> position;
  for (int k = 0; k < 6; ++k) {
    position.emplace_back(kMiddle + turned * (Rotation::by(k * std::numbers::pi / 3.0) * Vec2(2.0, 0.0)));
  }
  Setup setup = disks_in_box(std::move(position), 0.5);
  for (Index i = 0; i < 6; ++i) setup.velocity[i] = 3.0 * (kMiddle - setup.position[i]);
  return setup;
}

/// A disk falls along the bisector of two walls: it touches both at once.
Setup wedge(const Rotation& turned) {
  Setup setup = disks_in_box({kMiddle}, 0.3);
  setup.gravity = turned * Vec2(0.0, -500.0);
  const auto place = [&](double x, double y) { return Vec2(kMiddle + turned * Vec2(x, y)); };
  setup.walls.resize(2);
  setup.walls[0] = {.name = "left", .polygon = {place(0.0, -2.0), place(-2.0, 1.0)}};
  setup.walls[1] = {.name = "right", .polygon = {place(0.0, -2.0), place(2.0, 1.0)}};
  return setup;
}

}  // namespace

TEST_CASE_TEMPLATE("gases of all kinds collide as the lazy queue of all collisions says, to the last bit", S,
                   Simulation, BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    test::GasRecipe recipe;
    double restitution;
    double end;
    std::uint64_t least;  // collisions
    int images = 3;       // that the slow one looks at: a disk may go so far between two collisions
    double contact_duration = 0.0;
    Vec2 gravity = Vec2::Zero();
  };
  const Case cases[] = {
      {"periodic", {.columns = 6, .rows = 6, .packing_fraction = 0.5}, 1.0, 12.0, 1200},
      {"periodic and dense", {.columns = 4, .rows = 4, .packing_fraction = 0.8}, 1.0, 3.0, 700},
      {"two disks, periodic", {.columns = 1, .rows = 2, .packing_fraction = 0.2}, 1.0, 200.0, 100, 40},
      {"hard walls", {.columns = 5, .rows = 5, .packing_fraction = 0.4, .periodic = false}, 1.0, 20.0, 500},
      {"many sizes", {.columns = 6, .rows = 6, .packing_fraction = 0.7, .smallest = 0.02}, 1.0, 30.0, 1500},
      {"inelastic", {.columns = 6, .rows = 6, .packing_fraction = 0.4}, 0.7, 100.0, 500},
      {"inelastic with a contact time", {.columns = 6, .rows = 6, .packing_fraction = 0.5}, 0.2, 2e4, 2500, 3, 0.1},
      {"far from the origin",
       {.columns = 4, .rows = 4, .packing_fraction = 0.4, .centre = {1e7, -1e7}},
       1.0,
       10.0,
       300},
      {"falling between walls",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2, .periodic = false},
       1.0,
       20.0,
       300,
       3,
       0.0,
       {0.1, -0.5}},
      {"falling and inelastic",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2, .periodic = false},
       0.95,
       20.0,
       300,
       3,
       1e-3,
       {0.0, -1.0}}};
  for (const Case& c : cases) {
    CAPTURE(std::string(c.name));
    Setup setup = test::gas(c.recipe);
    setup.rules.disks.restitution = setup.rules.walls.restitution = c.restitution;
    setup.contact_duration = c.contact_duration;
    setup.gravity = c.gravity;
    const LazyBilliards slow = compare<S>(setup, kShare * c.end, 10, c.images);
    CHECK(static_cast<double>(slow.collisions()) > 0.5 * kShare * static_cast<double>(c.least));
    CHECK(slow.ties() == 0);
  }
}

TEST_CASE_TEMPLATE("few disks that fly far, for which the clock is set back more often", S, Simulation,
                   BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  for (const double gravity : {0.0, -0.05}) {
    CAPTURE(gravity);
    Setup setup = test::gas({.columns = 2, .rows = 2, .packing_fraction = 0.05, .smallest = 0.8});
    setup.gravity = {0.0, gravity};
    setup.domain.periodic = {true, gravity == 0.0};
    const LazyBilliards slow = compare<S>(setup, kShare * 4000.0, 10, 16);
    CHECK(static_cast<double>(slow.collisions()) > kShare * 1000.0);
    CHECK(slow.ties() == 0);
    if (!test::kSanitized) CHECK(static_cast<std::uint64_t>(slow.times_set_back()) > slow.collisions() / 500);
  }
}

TEST_CASE_TEMPLATE("growing disks, too, until they are as dense as asked for, or jam", S, Simulation,
                   BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    test::GasRecipe recipe;
    GrowthSpec growth;
    double restitution;
    double end;
    std::uint64_t least;  // collisions
    std::vector<double> shares = {};
    std::vector<Wall> walls = {};
  };
  const auto wall = [](std::vector<Vec2> outline) { return Wall{.name = "wall", .polygon = std::move(outline)}; };
  const Case cases[] = {
      {"to a packing fraction", {.columns = 6, .rows = 6, .packing_fraction = 0.2}, {0.05, 1.0, 0.6}, 1.0, 30.0, 1000},
      {"between hard sides",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2, .smallest = 0.5, .periodic = false},
       {0.1, 1.0, 0.6},
       1.0,
       30.0,
       500},
      {"inelastic, often rescaled",
       {.columns = 6, .rows = 6, .packing_fraction = 0.2, .smallest = 0.7},
       {0.03, 1.0, 0.5, 1e6, 2.0},
       0.9,
       40.0,
       500},
      {"from points", {.columns = 6, .rows = 6, .packing_fraction = 0.3}, {0.1, 1e-6, 0.4}, 1.0, 20.0, 100},
      {"until they jam",
       {.columns = 4, .rows = 4, .packing_fraction = 0.3, .smallest = 0.7},
       {0.1, 1.0, 1.0, 1e4},
       1.0,
       30.0,
       2000},
      {"that outgrow their centres' speeds",
       {.columns = 4, .rows = 4, .packing_fraction = 0.2},
       {3.0, 1.0, 0.7},
       1.0,
       5.0,
       100},
      {"of which some grow more slowly, some not at all",
       {.columns = 6, .rows = 6, .packing_fraction = 0.3},
       {0.05, 0.7, 1.0, 1e4},
       1.0,
       60.0,
       2000,
       {1.0, 0.3, 0.0}},
      {"ever more slowly as their pressure rises",
       {.columns = 4, .rows = 4, .packing_fraction = 0.3, .smallest = 0.7},
       {.rate = 0.1, .pressure = 1e4, .slow_beyond = 20.0, .least_rate = 0.01},
       1.0,
       60.0,
       2000},
      {"beside walls with corners, in a box",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2, .smallest = 0.5, .periodic = false},
       {0.05, 0.8, 1.0, 1e4},
       0.95,
       60.0,
       1000,
       {},
       {wall({{-0.3, -0.3}, {0.3, -0.2}, {0.1, 0.3}}), wall({{-1.5, 0.4}, {-0.9, 1.1}})}},
      {"of two rates beside a wall",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2},
       {0.05, 0.8, 1.0, 1e4},
       1.0,
       60.0,
       1000,
       {0.5, 1.0},
       {wall({{-0.3, -0.3}, {0.3, -0.2}, {0.1, 0.3}})}}};
  for (const Case& c : cases) {
    CAPTURE(std::string(c.name));
    Setup setup = test::gas(c.recipe);
    setup.growth = c.growth;
    if (!c.walls.empty()) test::add_walls(setup, c.walls);
    setup.growth_share = c.shares;
    for (std::size_t i = 0; !c.shares.empty() && i < setup.position.size(); ++i) {
      setup.type.push_back(static_cast<std::int32_t>(i % c.shares.size()));
    }
    setup.rules.disks.restitution = setup.rules.walls.restitution = c.restitution;
    const LazyBilliards slow = compare<S>(setup, c.end, 10);
    CHECK(slow.collisions() > c.least);
    CHECK(slow.ties() == 0);
    CHECK(!slow.grows());
  }
}

TEST_CASE_TEMPLATE("a cell that is sheared, too, in which rows of images pass each other", S,
                   BasicSimulation<HierarchicalGrid<2>, BucketQueue>, BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    test::GasRecipe recipe;
    double rate;
    double restitution;
    double end;
    std::uint64_t least;  // collisions
    int images = 4;
    double contact_duration = 0.0;
  };
  const Case cases[] = {
      {"elastic", {.columns = 6, .rows = 6, .packing_fraction = 0.4}, 0.3, 1.0, 10.0, 600},
      {"to the left, inelastic", {.columns = 8, .rows = 6, .packing_fraction = 0.5}, -0.7, 0.8, 20.0, 1500},
      {"many sizes in a high cell",
       {.columns = 6, .rows = 12, .packing_fraction = 0.6, .smallest = 0.3},
       0.5,
       0.9,
       5.0,
       600},
      {"dense, with a contact time", {.columns = 6, .rows = 6, .packing_fraction = 0.75}, 1.0, 0.6, 8.0, 1000, 4, 0.01},
      {"far from the origin",
       {.columns = 6, .rows = 6, .packing_fraction = 0.4, .centre = {1e6, -1e6}},
       0.4,
       0.95,
       10.0,
       500}};
  for (const Case& c : cases) {
    CAPTURE(std::string(c.name));
    Setup setup = test::gas(c.recipe);
    setup.domain.cell = CellDrive{.xy = {.rate = c.rate}};
    setup.rules.disks.restitution = c.restitution;
    setup.contact_duration = c.contact_duration;
    const LazyBilliards slow = compare<S>(setup, kShare * c.end, 10, c.images);
    CHECK(static_cast<double>(slow.collisions()) > 0.5 * kShare * static_cast<double>(c.least));
    CHECK(slow.ties() == 0);
    if (!test::kSanitized) CHECK(slow.times_set_back() > 2);
  }
}

TEST_CASE_TEMPLATE("a cell whose lengths change, too, with shear and without", S,
                   BasicSimulation<HierarchicalGrid<2>, BucketQueue>, BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    test::GasRecipe recipe;
    CellDrive drive;
    double restitution;
    double end;
    std::uint64_t least;  // collisions
    int images = 3;
    double contact_duration = 0.0;
  };
  const Case cases[] = {{"squeezed from all sides",
                         {.columns = 4, .rows = 6, .packing_fraction = 0.4},
                         {.xx = {.rate = -0.02}, .yy = {.rate = -0.02}},
                         1.0,
                         5.0,
                         150},
                        {"widening, many sizes",
                         {.columns = 4, .rows = 6, .packing_fraction = 0.6, .smallest = 0.3},
                         {.xx = {.rate = 0.02}, .yy = {.rate = 0.01}},
                         0.9,
                         5.0,
                         150},
                        {"along one axis, dense, with a contact time",
                         {.columns = 4, .rows = 6, .packing_fraction = 0.6},
                         {.yy = {.rate = -0.02}},
                         0.7,
                         5.0,
                         150,
                         3,
                         0.01},
                        {"longer and lower, sheared to the left",
                         {.columns = 4, .rows = 6, .packing_fraction = 0.5},
                         {.xx = {.rate = 0.02}, .yy = {.rate = -0.02}, .xy = {.rate = -0.6}},
                         0.9,
                         5.0,
                         150},
                        {"squeezed and sheared far from the origin",
                         {.columns = 6, .rows = 4, .packing_fraction = 0.4, .centre = {1e6, -1e6}},
                         {.xx = {.rate = -0.02}, .yy = {.rate = 0.01}, .xy = {.rate = 0.4}},
                         0.95,
                         5.0,
                         150}};
  for (const Case& c : cases) {
    CAPTURE(std::string(c.name));
    Setup setup = test::gas(c.recipe);
    setup.domain.cell = c.drive;
    setup.rules.disks.restitution = c.restitution;
    setup.contact_duration = c.contact_duration;
    const LazyBilliards slow = compare<S>(setup, kShare * c.end, 10, c.images);
    CHECK(static_cast<double>(slow.collisions()) > 0.5 * kShare * static_cast<double>(c.least));
    CHECK(slow.ties() == 0);
    CHECK(slow.times_set_back() >= (test::kSanitized ? 10 : 102));  // nodes, and more
  }
}

TEST_CASE_TEMPLATE("wells and shoulders, too", S, Simulation, BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    test::GasRecipe recipe;
    Well well;
    double restitution;
    double end;
    std::uint64_t least;  // crossings
    Vec2 gravity = Vec2::Zero();
  };
  const Case cases[] = {
      {"wells", {.columns = 6, .rows = 6, .packing_fraction = 0.3}, {1.5, -0.7}, 1.0, 12.0, 1000},
      {"shoulders", {.columns = 6, .rows = 6, .packing_fraction = 0.3}, {1.5, 0.7}, 1.0, 12.0, 800},
      {"wells of no depth", {.columns = 6, .rows = 6, .packing_fraction = 0.3}, {1.5, 0.0}, 1.0, 12.0, 1000},
      {"in wells on both sides of a period",
       {.columns = 2, .rows = 12, .packing_fraction = 0.6, .smallest = 0.8},
       {1.4, -0.5},
       1.0,
       20.0,
       1000},
      {"caught", {.columns = 6, .rows = 6, .packing_fraction = 0.3, .smallest = 0.5}, {1.3, -1.0}, 0.9, 12.0, 1000},
      {"falling between hard sides",
       {.columns = 5, .rows = 5, .packing_fraction = 0.2, .periodic = false},
       {1.5, -0.7},
       1.0,
       12.0,
       400,
       {0.1, -0.5}}};
  for (const Case& c : cases) {
    CAPTURE(std::string(c.name));
    Setup setup = test::gas(c.recipe);
    setup.well = c.well;
    setup.rules.disks.restitution = setup.rules.walls.restitution = c.restitution;
    setup.gravity = c.gravity;
    const LazyBilliards slow = compare<S>(setup, kShare * c.end, 10);
    CHECK(static_cast<double>(slow.crossings()) > 0.5 * kShare * static_cast<double>(c.least));
    CHECK(static_cast<double>(slow.collisions()) > 0.5 * kShare * 250.0);
  }
}

TEST_CASE_TEMPLATE("among walls that stand, shake, turn and go away, too", S, Simulation,
                   BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  for (const bool periodic : {false, true}) {
    for (const Vec2& gravity : {Vec2(0.0, 0.0), Vec2(0.1, -0.4)}) {
      CAPTURE(periodic);
      Setup setup =
          test::gas({.columns = 8, .rows = 8, .packing_fraction = 0.4, .smallest = 0.7, .periodic = periodic});
      test::add_walls(setup, test::walls_of_all_kinds(Vec2::Zero()));
      REQUIRE(setup.position.size() > 40);
      setup.gravity = gravity;
      setup.rules.disks.restitution = setup.rules.walls.restitution = 0.97;
      setup.contact_duration = 1e-3;
      const LazyBilliards slow = compare<S>(setup, kShare * 12.0, 12, 2);
      CHECK(static_cast<double>(slow.wall_hits()) > 0.5 * kShare * 60.0);
      CHECK(static_cast<double>(slow.collisions()) > 0.5 * kShare * 300.0);
    }
  }
}

TEST_CASE_TEMPLATE("tables of billiards, ties and touching disks included", S, Simulation,
                   BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  std::uint64_t ties = 0;
  for (const char* text : kTables) {
    const Setup setup = billiards(text).setup;
    const LazyBilliards slow = compare<S>(setup, 500.0, 10);
    CHECK(slow.collisions() + slow.wall_hits() > 3);
    ties += slow.ties();
    double energy = 0.0;
    for (Index i = 0; i < setup.mass.size(); ++i) energy += 0.5 * setup.mass[i] * slow.velocity(i).squaredNorm();
    CHECK(std::abs(energy / kinetic_energy(setup) - 1.0) < 1e-13);
  }
  CHECK(ties > 10);
}

TEST_CASE_TEMPLATE("events that rounding puts in the past happen at once, and nothing is lost", S, Simulation,
                   BasicSimulation<AllPairs<2>, ImplicitHeap>) {
  struct Case {
    const char* name;
    Setup (*make)(const Rotation& turned);
    std::uint64_t least;  // such events
  };
  for (const Case& c : {Case{"a triangle of touching disks is broken", break_shot, 400},
                        {"a light disk between two heavy ones that touch", crevice, 15},
                        {"six disks at once", star, 15},
                        {"a disk in a wedge of two walls", wedge, 60}}) {
    CAPTURE(std::string(c.name));
    std::uint64_t in_the_past = 0;
    constexpr int kTurns = test::kSanitized ? 2 : 20;
    for (int k = 0; k < kTurns; ++k) {
      const Setup setup = c.make(Rotation::by(0.3 * k));
      S simulation(setup);
      const auto energy = [&] {
        const Summary now = simulation.summary();
        return now.kinetic_energy + now.potential_energy;
      };
      const double before = energy();
      for (int events = 0; !simulation.has_reached(1.0); ++events) {
        simulation.advance_to(1.0, 1);
        simulation.audit();
        REQUIRE(events < 10000);
      }
      CHECK(std::abs(energy() / before - 1.0) < 1e-13);
      in_the_past += compare<S>(setup, 1.0, 4).in_the_past();
    }
    CHECK(static_cast<double>(in_the_past) >= 0.5 * kShare * static_cast<double>(c.least));
  }
}

// SCREE_BILLIARDS names the folder.
TEST_CASE("the data files of Algorithms, 6.1" * doctest::skip(std::getenv("SCREE_BILLIARDS") == nullptr)) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::getenv("SCREE_BILLIARDS"))) {
    CAPTURE(file.path().filename().string());
    const Setup setup = read_billiards(file.path()).setup;
    ++files;
    compare<Simulation>(setup, setup.mass.size() > 500 ? 20.0 : 200.0, 5);
  }
  CHECK(files > 0);
}

TEST_CASE("a file of billiards is read as it is written, mistakes are named with their line") {
  const Billiards read = billiards("2\n\n .1 .2 1e-3 -4.0E-4 .05 2 1 2 255\n0.9 .8 0 0 .1 1 0 0 0");
  CHECK(read.setup.position == std::vector<Vec2>{{0.1, 0.2}, {0.9, 0.8}});
  CHECK(read.setup.velocity == std::vector<Vec2>{{1e-3, -4e-4}, {0.0, 0.0}});
  CHECK(read.setup.radius == std::vector<double>{0.05, 0.1});
  CHECK(read.setup.mass == std::vector<double>{2.0, 1.0});
  CHECK(read.colour[0] == std::array<std::uint8_t, 3>{1, 2, 255});
  CHECK(read.setup.domain == Domain{{0.0, 0.0}, {1.0, 1.0}});
  CHECK(billiards("0\n").setup.position.empty());
  const auto refused = [](const std::string& text, const char* message) {
    CHECK_THROWS_WITH_AS(billiards(text), doctest::Contains(message), SceneError);
  };
  refused("", "table:1:1: is empty, must begin with a line that has nothing but the number of disks");
  refused("1 2\n", "table:1:1: is not a file of billiards, must begin with a line that has nothing but the number");
  refused("1\n\n.1 .2 0 0 .1 1 0 0", "table:3:1: disk 1: has 8 values, must have 9");
  refused("1\n.1 .2 0 0 .1. 1 0 0 0", "table:2:11: disk 1: radius: is .1., must be a number");
  refused("1\n.1 .2 0 0 .1 1 0 0 256", "table:2:20: disk 1: blue: is 256, must be a whole number from 0 to 255");
  refused("2\n.1 .2 0 0 .1 1 0 0 0",
          "table:1:1: number of disks: is 2, must be 1, as many as there are lines after it");
  CHECK_THROWS_AS(read_billiards("there/is/no/such/file"), IoError);
}

}  // namespace scree::hard_oracle_test
