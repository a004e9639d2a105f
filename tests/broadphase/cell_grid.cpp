#include "broadphase/cell_grid.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::cell_grid_test {

using test::BoxRecipe;
using test::Dice;
using test::random_boxes;
using test::start;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <int Dim>
Aabb<Dim> cube(double x, double y, double side) {
  Aabb<Dim> box;
  box.lo[0] = x;
  box.lo[1] = y;
  box.hi = box.lo.array() + side;
  return box;
}

// Boxes of one size strewn over a square, a box or two on each piece as large as a box.
std::vector<Aabb2> crowd(std::size_t n, Dice& dice) {
  std::vector<Aabb2> boxes;
  const double side = std::sqrt(static_cast<double>(n) / 1.25);
  for (std::size_t i = 0; i < n; ++i) boxes.push_back(cube<2>(dice.between(0, side), dice.between(0, side), 1));
  return boxes;
}

// Updates and single moves beside the oracle; returns how many pairs have begun and ended.
template <class B, int Dim>
std::size_t follow(B& broadphase, std::vector<Aabb<Dim>> boxes, double step, int steps, const BoxRecipe& recipe,
                   Dice& dice) {
  AllPairs<Dim> oracle;
  CHECK(start(broadphase, boxes).begun == start(oracle, boxes).begun);
  std::size_t events = 0;
  for (int s = 0; s < steps; ++s) {
    PairChanges changes;
    PairChanges expected;
    if (s % 3 == 2) {
      const ProxyId id = dice.below(static_cast<std::uint32_t>(boxes.size()));
      boxes[id] = test::moved(boxes[id], 10 * step, recipe, dice);
      broadphase.move(id, boxes[id], changes);
      oracle.move(id, boxes[id], expected);
    } else {
      for (auto& box : boxes) box = test::moved(box, step * (box.hi[0] - box.lo[0]), recipe, dice);
      broadphase.update(boxes, changes);
      oracle.update(boxes, expected);
    }
    CHECK(changes.begun == expected.begun);
    CHECK(changes.ended == expected.ended);
    events += changes.begun.size() + changes.ended.size();
  }
  return events;
}

template <class B>
double looks_a_move(B& broadphase, std::vector<Aabb2> boxes, Dice& dice) {
  constexpr int kMoves = 2000;
  PairChanges changes;
  const std::uint64_t before = broadphase.looks();
  for (int i = 0; i < kMoves; ++i) {
    const ProxyId id = dice.below(static_cast<std::uint32_t>(boxes.size()));
    boxes[id] = boxes[id].shifted({dice.between(-0.3, 0.3), dice.between(-0.3, 0.3)});
    broadphase.move(id, boxes[id], changes);
  }
  return static_cast<double>(broadphase.looks() - before) / kMoves;
}

}  // namespace

TEST_CASE_TEMPLATE("hundreds of boxes agree with the oracle at any pace", B, LinkedCells<2>, HierarchicalGrid<2>) {
  Dice dice(1);
  for (const double step : {1e-5, 1e-3, 0.03, 1.0}) {
    CAPTURE(step);
    const BoxRecipe alike{20, 1, 1};
    B broadphase;
    // Extents change by a hundredth each step: much also happens at a snail's pace.
    CHECK(follow(broadphase, random_boxes<2>(300, alike, dice), step, 80, alike, dice) > 100);
  }
}

TEST_CASE("boxes of all sizes agree with the oracle, on many levels") {
  Dice dice(2);
  const BoxRecipe recipe{1000, 1e-3, 1e3};
  SUBCASE("in the plane") {
    HierarchicalGrid<2> broadphase;
    CHECK(follow(broadphase, random_boxes<2>(400, recipe, dice), 0.01, 60, recipe, dice) > 100);
    CHECK(broadphase.levels().size() > 5);
  }
  SUBCASE("in space") {
    HierarchicalGrid<3> broadphase;
    CHECK(follow(broadphase, random_boxes<3>(400, recipe, dice), 0.01, 60, recipe, dice) > 100);
    CHECK(broadphase.levels().size() > 5);
  }
  SUBCASE("with one level") {
    LinkedCells<2> broadphase;
    CHECK(follow(broadphase, random_boxes<2>(400, recipe, dice), 0.01, 60, recipe, dice) > 100);
    CHECK(broadphase.levels().size() == 1);
  }
}

TEST_CASE_TEMPLATE("sides exactly on the borders of cells", B, LinkedCells<2>, HierarchicalGrid<2>) {
  for (const double scale : {1.0, 1e9, 1e-9}) {
    CAPTURE(scale);
    B broadphase;
    std::vector<Aabb2> boxes(200, cube<2>(0, 0, scale));
    start(broadphase, boxes);
    const double cell = broadphase.levels().front().cell;
    Dice dice(3);
    AllPairs<2> oracle;
    start(oracle, boxes);
    const auto whole = [&] { return static_cast<double>(dice.below(40)) - 20; };
    std::size_t begun = 0;
    for (int step = 0; step < 30; ++step) {
      for (auto& box : boxes) {
        box.lo = {whole() * cell, whole() * cell};
        box.hi = box.lo.array() + dice.below(3) * cell / 2;
        // And one rounding beyond.
        if (dice.below(3) == 0) box.lo[0] = std::nextafter(box.lo[0], -kInfinity);
        if (dice.below(3) == 0) box.hi[1] = std::nextafter(box.hi[1], kInfinity);
      }
      PairChanges changes;
      PairChanges expected;
      broadphase.update(boxes, changes);
      oracle.update(boxes, expected);
      CHECK(changes.begun == expected.begun);
      CHECK(changes.ended == expected.ended);
      begun += expected.begun.size();
    }
    CHECK(begun > 500);
  }
}

TEST_CASE_TEMPLATE("walls among small boxes change neither their cells nor what a move costs", B, LinkedCells<2>,
                   HierarchicalGrid<2>) {
  Dice dice(4);
  const auto boxes = crowd(2000, dice);
  B without;
  start(without, boxes);
  auto with_walls = boxes;
  with_walls.push_back({{-1, -10}, {50, 0}});
  with_walls.push_back({{-1, 39}, {50, 1e6}});
  with_walls.push_back({{-1e6, -1}, {0.5, 50}});
  with_walls.push_back({{39.5, -kInfinity}, {kInfinity, kInfinity}});
  B with;
  start(with, with_walls);
  REQUIRE(with.levels().size() == without.levels().size());
  CHECK(with.levels().front().cell == without.levels().front().cell);
  CHECK(with.levels().back().largest == without.levels().back().largest);
  Dice same = dice;
  const double looks = looks_a_move(without, boxes, dice);
  const double looks_with_walls = looks_a_move(with, boxes, same);
  CHECK(looks_with_walls > looks);
  CHECK(looks_with_walls <= looks + 4);
}

TEST_CASE_TEMPLATE("a move among 200 000 boxes costs no more looks than among 2000", B, LinkedCells<2>,
                   HierarchicalGrid<2>) {
  const auto looks = [](std::size_t n) {
    Dice dice(5);
    const auto boxes = crowd(n, dice);
    B broadphase;
    start(broadphase, boxes);
    return looks_a_move(broadphase, boxes, dice);
  };
  const double few = looks(2000);
  CHECK(few > 10);
  CHECK(few < 50);
  CHECK(looks(200000) < 1.1 * few);
}

TEST_CASE_TEMPLATE("starting costs as many looks a box, wherever the boxes are", B, LinkedCells<2>,
                   HierarchicalGrid<2>) {
  constexpr std::size_t kBoxes = 20000;
  Dice dice(6);
  const auto looks = [](const std::vector<Aabb2>& boxes) {
    B broadphase;
    start(broadphase, boxes);
    return static_cast<double>(broadphase.looks()) / kBoxes;
  };
  const double limit = 50;
  CHECK(looks(crowd(kBoxes, dice)) < limit);
  // A tower, and rows whose boxes are powers of two cells apart: a hash made for the one may put the other in one list.
  for (double apart = 1; apart < 1e9; apart *= 4) {
    CAPTURE(apart);
    std::vector<Aabb2> row;
    std::vector<Aabb2> tower;
    std::vector<Aabb2> diagonal;
    for (std::size_t i = 0; i < kBoxes; ++i) {
      const double at = apart * 1.1 * static_cast<double>(i);
      row.push_back(cube<2>(at, 0, 1));
      tower.push_back(cube<2>(0, -at, 1));
      diagonal.push_back(cube<2>(at, at, 1));
    }
    CHECK(looks(row) < limit);
    CHECK(looks(tower) < limit);
    CHECK(looks(diagonal) < limit);
  }
  // Two crowds, far from each other, and one that is lost.
  auto boxes = crowd(kBoxes, dice);
  for (std::size_t i = 0; i < kBoxes / 2; ++i) boxes[i] = boxes[i].shifted({1e7, -1e9});
  boxes[7] = boxes[7].shifted({1e15, 1e200});
  CHECK(looks(boxes) < limit);
}

TEST_CASE_TEMPLATE("boxes at rest are not looked at, and those that creep seldom", B, LinkedCells<2>,
                   HierarchicalGrid<2>) {
  Dice dice(7);
  auto boxes = crowd(2000, dice);
  std::vector<Eigen::Vector2d> ways;
  for (std::size_t i = 0; i < boxes.size(); ++i) ways.push_back({dice.between(-1e-3, 1e-3), dice.between(-1e-3, 1e-3)});
  B broadphase;
  start(broadphase, boxes);
  PairChanges changes;
  std::uint64_t before = broadphase.looks();
  for (int step = 0; step < 3; ++step) broadphase.update(boxes, changes);
  CHECK(broadphase.looks() == before);
  for (int step = 0; step < 100; ++step) {
    for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i] = boxes[i].shifted(ways[i]);
    broadphase.update(boxes, changes);
  }
  const auto looks = static_cast<double>(broadphase.looks() - before);
  CHECK(looks > 0);
  CHECK(looks / 100 < 4.0 * static_cast<double>(boxes.size()));
  // One of them goes: nobody else is looked at.
  before = broadphase.looks();
  boxes[5] = boxes[5].shifted({0.2, 0});
  broadphase.update(boxes, changes);
  CHECK(broadphase.looks() > before);
  CHECK(broadphase.looks() < before + 50);
}

TEST_CASE("cells have the requested number of boxes") {
  Dice dice(8);
  const double side = 100;
  const auto boxes = random_boxes<2>(10000, {side, 0.5, 1}, dice);  // one on each unit of area
  for (const double wanted : {1.0, 5.0, 10.0}) {
    CAPTURE(wanted);
    LinkedCells<2> broadphase(wanted);
    start(broadphase, boxes);
    CHECK(std::abs(std::pow(broadphase.levels().front().cell, 2) / wanted - 1) < 0.25);
  }
}

TEST_CASE_TEMPLATE("cells follow boxes that grow, and boxes that gather", B, LinkedCells<2>, HierarchicalGrid<2>) {
  Dice dice(9);
  auto boxes = crowd(500, dice);
  for (auto& box : boxes) box = {box.lo * 1e3, box.hi * 1e3};
  B broadphase;
  start(broadphase, boxes);
  PairChanges changes;
  const auto scale_by = [&](double factor) {
    for (auto& box : boxes) box = {box.lo * factor, box.hi * factor};
    broadphase.update(boxes, changes);
  };
  const auto looks_of_a_step = [&] {
    const std::uint64_t before = broadphase.looks();
    scale_by(1.05);
    return static_cast<double>(broadphase.looks() - before) / static_cast<double>(boxes.size());
  };
  const double at_first = looks_of_a_step();
  for (const double factor : {1e6, 1e-6}) {
    CAPTURE(factor);
    scale_by(factor);
    for (int step = 0; step < 100; ++step) scale_by(step % 2 == 0 ? 1.1 : 1 / 1.1);
    CHECK(looks_of_a_step() < 2 * at_first);
  }
}

TEST_CASE_TEMPLATE("nothing but walls, nothing but points", B, LinkedCells<2>, HierarchicalGrid<2>) {
  Dice dice(11);
  AllPairs<2> oracle;
  B broadphase;
  std::vector<Aabb2> walls;
  for (int i = 0; i < 20; ++i) walls.push_back({{-kInfinity, dice.between(0, 9)}, {kInfinity, dice.between(9, 18)}});
  for (int i = 0; i < 20; ++i) walls.push_back({{dice.between(0, 9), -kInfinity}, {dice.between(9, 18), 0}});
  CHECK(start(broadphase, walls).begun == start(oracle, walls).begun);

  std::vector<Aabb2> points;
  for (int i = 0; i < 5000; ++i) points.push_back(cube<2>(1e-6 * dice.between(0, 1), 1e-6 * dice.between(0, 1), 0));
  points.push_back(points.front());
  B of_points;
  CHECK(start(of_points, points).begun == std::vector<Pair>{{0, 5000}});
  CHECK(of_points.looks() < 50 * points.size());
}

}  // namespace scree::cell_grid_test
