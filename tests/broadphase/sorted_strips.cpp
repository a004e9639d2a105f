#include "broadphase/sorted_strips.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/sort_and_update.hpp"
#include "tests/broadphase/allocations.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::sorted_strips_test {

using test::BoxRecipe;
using test::Dice;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Sorted strips beside sort-and-update.
template <int Dim>
class Twins {
 public:
  explicit Twins(const std::vector<Aabb<Dim>>& start) : boxes(start) {
    changes_ = test::start(strips, boxes);
    expected_ = test::start(sorting_, boxes);
    compare();
  }
  void update() {
    strips.update(boxes, changes_);
    sorting_.update(boxes, expected_);
    compare();
  }
  void move(ProxyId id) {
    strips.move(id, boxes[id], changes_);
    sorting_.move(id, boxes[id], expected_);
    compare();
  }

  std::vector<Aabb<Dim>> boxes;
  SortedStrips<Dim> strips;
  std::size_t events = 0;

 private:
  void compare() {
    CHECK(changes_.begun == expected_.begun);
    CHECK(changes_.ended == expected_.ended);
    events += changes_.begun.size() + changes_.ended.size();
  }

  SortAndUpdate<Dim> sorting_;
  PairChanges changes_;
  PairChanges expected_;
};

// Boxes that fly straight and turn back at the sides of their square; now and then one takes another course.
template <int Dim>
class Flight {
 public:
  using Vec = typename Aabb<Dim>::Vec;

  Flight(std::size_t n, const BoxRecipe& recipe, double speed)  // speed: of the largest extent, a step
      : dice_(n), recipe_(recipe), speed_(speed), boxes(test::random_boxes<Dim>(n, recipe, dice_)) {
    for (const auto& box : boxes) velocities_.push_back(course(box));
  }
  void step() {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i] = boxes[i].shifted(velocities_[i]);
      for (int k = 0; k < Dim; ++k) {
        if (boxes[i].lo[k] < 0) velocities_[i][k] = std::abs(velocities_[i][k]);
        if (boxes[i].lo[k] > recipe_.side) velocities_[i][k] = -std::abs(velocities_[i][k]);
      }
      if (dice_.below(1000) == 0) velocities_[i] = course(boxes[i]) * dice_.between(0, 4);
    }
  }

 private:
  Dice dice_;
  BoxRecipe recipe_;
  double speed_;
  std::vector<Vec> velocities_;

  Vec course(const Aabb<Dim>& box) {
    Vec velocity;
    const double size = (box.hi - box.lo).maxCoeff();
    for (int k = 0; k < Dim; ++k) velocity[k] = dice_.between(-speed_, speed_) * size;
    return velocity;
  }

 public:
  std::vector<Aabb<Dim>> boxes;
};

// Boxes of one size, 1.25 to a unit of area; they overlap with five others each.
BoxRecipe crowd(std::size_t n) {
  return {std::sqrt(static_cast<double>(n) / 1.25), 1, 1};
}

struct Cost {
  double exchanges;
  double looks;
};

// A box and step, all moving by up to 0.1 % of their size.
Cost cost_of_update(std::size_t n) {
  constexpr int kSteps = 400;
  Flight<2> flight(n, crowd(n), 1e-3);
  SortedStrips<2> broadphase;
  PairChanges changes = test::start(broadphase, flight.boxes);
  broadphase.update(flight.boxes, changes);
  const std::uint64_t exchanges = broadphase.exchanges();
  const std::uint64_t looks = broadphase.looks();
  for (int i = 0; i < kSteps; ++i) {
    flight.step();
    broadphase.update(flight.boxes, changes);
  }
  const double box_steps = kSteps * static_cast<double>(n);
  return {static_cast<double>(broadphase.exchanges() - exchanges) / box_steps,
          static_cast<double>(broadphase.looks() - looks) / box_steps};
}

// A move of one box by 0.3 of its size.
Cost cost_of_move(std::size_t n) {
  constexpr int kMoves = 20000;
  Dice dice(n);
  auto boxes = test::random_boxes<2>(n, crowd(n), dice);
  SortedStrips<2> broadphase;
  PairChanges changes = test::start(broadphase, boxes);
  const std::uint64_t exchanges = broadphase.exchanges();
  const std::uint64_t looks = broadphase.looks();
  for (int i = 0; i < kMoves; ++i) {
    const ProxyId id = dice.below(static_cast<std::uint32_t>(n));
    const double angle = dice.between(0, 6.28);
    boxes[id] = boxes[id].shifted(0.3 * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    broadphase.move(id, boxes[id], changes);
  }
  return {static_cast<double>(broadphase.exchanges() - exchanges) / kMoves,
          static_cast<double>(broadphase.looks() - looks) / kMoves};
}

}  // namespace

TEST_CASE("changes are those of sort-and-update, in the same order, over many steps") {
  const auto fly = [](auto flight, int steps) {
    Twins twins(flight.boxes);
    for (int step = 0; step < steps; ++step) {
      flight.step();
      twins.boxes = flight.boxes;
      twins.update();
    }
    CHECK(twins.events > 1000);
  };
  SUBCASE("of one size") {
    fly(Flight<2>(1000, crowd(1000), 3e-3), 600);
  }
  SUBCASE("of one size, fast") {
    fly(Flight<2>(500, crowd(500), 0.2), 100);
  }
  SUBCASE("sizes from 1 to 100") {
    fly(Flight<2>(500, {200, 1, 100}, 3e-3), 400);
  }
  SUBCASE("sizes from 1 to a million") {
    fly(Flight<2>(500, {3e5, 1, 1e6}, 3e-3), 200);
  }
  SUBCASE("in space") {
    fly(Flight<3>(500, {8, 1, 2}, 3e-3), 400);
  }
  SUBCASE("in space, sizes from 1 to 100") {
    fly(Flight<3>(300, {60, 1, 100}, 3e-3), 200);
  }
}

TEST_CASE("updates, single moves, jumps and steps at rest may follow each other in any order") {
  Dice dice(3);
  const BoxRecipe recipe = crowd(400);
  Twins<2> twins(test::random_boxes<2>(400, recipe, dice));
  std::vector<Eigen::Vector2d> velocities(400, Eigen::Vector2d::Zero());
  for (int step = 0; step < 2000; ++step) {
    for (ProxyId id = 0; id < 400; ++id) {
      if (dice.below(500) == 0) {
        const double speed = std::pow(10, dice.between(-9, -1));
        velocities[id] = {dice.between(-speed, speed), dice.between(-speed, speed)};
      }
      twins.boxes[id] = twins.boxes[id].shifted(velocities[id]);
      if (dice.below(20000) == 0) twins.boxes[id] = test::random_box<2>(recipe, dice);
    }
    twins.update();
    const ProxyId id = dice.below(400);
    twins.boxes[id] = dice.below(2) == 0 ? test::random_box<2>(recipe, dice) : twins.boxes[id].shifted({0.3, 0.1});
    twins.move(id);
  }
  CHECK(twins.events > 1000);
}

TEST_CASE("boxes on the borders of strips, and far from the origin, are found") {
  for (const double origin : {0.0, -64.0, 1e9, -1e9, 1e15, 1e300}) {
    CAPTURE(origin);
    // Corners on whole numbers: the borders of all strips are multiples of powers of 4.
    Dice dice(9);
    const BoxRecipe recipe{40, 1, 4, true};
    std::vector<Aabb2> boxes = test::random_boxes<2>(400, recipe, dice);
    const Eigen::Vector2d shift(origin, -origin);
    for (auto& box : boxes) box = box.shifted(shift);
    Twins<2> twins(boxes);
    for (int step = 0; step < 40; ++step) {
      for (auto& box : twins.boxes) {
        box = box.shifted({static_cast<double>(dice.below(3)) - 1, static_cast<double>(dice.below(3)) - 1});
      }
      twins.update();
    }
    CHECK(twins.events > 1000);
  }
}

TEST_CASE("walls, half-planes and planes among small boxes cost nothing but their own pairs") {
  constexpr std::size_t kBoxes = 4000;
  const double side = crowd(kBoxes).side;
  const auto fly = [&](bool with_walls) {
    Flight<2> flight(kBoxes, crowd(kBoxes), 1e-3);
    std::vector<Aabb2> walls;
    if (with_walls) {
      walls = {{{0, -1}, {side, 0}},
               {{-1, 0}, {0, side}},
               {{side, 0}, {side, side}},
               {{-kInf, -kInf}, {kInf, -0.5}},
               {{-kInf, 0}, {kInf, 0}},
               {{side + 2, -kInf}, {kInf, kInf}},
               {{-1e6, side}, {1e6, side + 1}},
               {{-1e300, 0}, {1e300, 1}}};
    }
    const auto all = [&] {
      std::vector<Aabb2> boxes = flight.boxes;
      boxes.insert(boxes.end(), walls.begin(), walls.end());
      return boxes;
    };
    Twins<2> twins(all());
    for (int step = 0; step < 100; ++step) {
      flight.step();
      if (with_walls) walls[0] = walls[0].shifted({0, 1e-4});  // rises
      twins.boxes = all();
      twins.update();
    }
    CHECK(twins.events > 100);
    return std::pair(twins.strips.exchanges(), twins.strips.looks());
  };
  const auto [exchanges_alone, looks_alone] = fly(false);
  const auto [exchanges, looks] = fly(true);
  CHECK(static_cast<double>(exchanges) < 1.05 * static_cast<double>(exchanges_alone));
  CHECK(static_cast<double>(looks) < 1.2 * static_cast<double>(looks_alone));
}

TEST_CASE("boxes at rest cost nothing, touching or not") {
  Dice dice(1);
  for (const bool on_lattice : {false, true}) {
    const auto boxes = test::random_boxes<2>(500, {30, 1, 3, on_lattice}, dice);
    SortedStrips<2> broadphase;
    PairChanges changes = test::start(broadphase, boxes);
    CHECK(changes.begun.size() > 500);
    const std::uint64_t exchanges = broadphase.exchanges();
    const std::uint64_t looks = broadphase.looks();
    for (int step = 0; step < 1000; ++step) broadphase.update(boxes, changes);
    CHECK(changes.begun.empty());
    CHECK(changes.ended.empty());
    CHECK(broadphase.exchanges() == exchanges);
    CHECK(broadphase.looks() == looks);
  }
}

TEST_CASE("the cost of a box and step does not grow with the number of boxes") {
  const Cost few = cost_of_update(1000);
  const Cost many = cost_of_update(16000);
  CAPTURE(few.exchanges);
  CAPTURE(few.looks);
  // Sort-and-update makes four times as many exchanges. What is left is the border: its boxes have fewer neighbours.
  CHECK(many.exchanges < 1.15 * few.exchanges);
  CHECK(many.looks < 1.15 * few.looks);
  CHECK(many.exchanges > 1e-3);
  CHECK(many.looks > 0.1);
  CHECK(many.exchanges < 0.05);
  CHECK(many.looks < 1);
}

TEST_CASE("the cost of a single move does not grow with the number of boxes") {
  const Cost few = cost_of_move(1000);
  const Cost many = cost_of_move(64000);
  CAPTURE(few.exchanges);
  CAPTURE(few.looks);
  CHECK(many.exchanges < 1.2 * few.exchanges);
  CHECK(many.looks < 1.2 * few.looks);
  CHECK(many.exchanges < 20);
  CHECK(many.looks < 20);
}

TEST_CASE("a steady state of updates and moves allocates nothing") {
  Dice dice(3);
  const auto here = test::random_boxes<2>(1000, crowd(1000), dice);
  SortedStrips<2> broadphase;
  PairChanges changes = test::start(broadphase, here);
  auto now = here;
  std::vector<ProxyId> found;
  std::size_t events = 0;
  // Each swings with a frequency of its own, and some jump.
  const auto swing = [&](int begin, int end) {
    for (int step = begin; step < end; ++step) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        const double angle = step * 1e-3 * static_cast<double>(10 + i % 7);
        now[i] = here[i].shifted({0.5 * std::sin(angle), 0.5 * std::sin(angle)});
      }
      broadphase.update(now, changes);
      events += changes.begun.size() + changes.ended.size();
      for (ProxyId id = 0; id < 10; ++id) {
        broadphase.move(id, here[id].shifted({3, 0}), changes);
        broadphase.move(id, now[id], changes);
        broadphase.query(here[id], found);
      }
    }
  };
  swing(0, 7000);  // more than the slowest takes
  events = 0;
  const std::size_t before = test::allocations();
  swing(7000, 8000);
  const std::size_t after = test::allocations();
  CHECK(after - before == 0);
  CHECK(events > 1000);
}

TEST_CASE("starting many boxes of one size compares neighbours only") {
  for (const std::size_t n : {1000u, 30000u}) {
    Dice dice(8);
    SortedStrips<2> broadphase;
    const PairChanges changes = test::start(broadphase, test::random_boxes<2>(n, crowd(n), dice));
    CHECK(changes.begun.size() > n);
    CHECK(broadphase.looks() < 10 * n);
    CHECK(broadphase.exchanges() < 40 * n);
  }
}

}  // namespace scree::sorted_strips_test
