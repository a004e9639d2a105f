#include "broadphase/sort_and_update.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/sorted_strips.hpp"
#include "parallel/threads.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::sort_and_update_test {

using test::BoxRecipe;
using test::Dice;

namespace {

// Ends that stand on different sides of each other in two configurations, counted from the total order's definition.
template <int Dim>
std::uint64_t inversions(const std::vector<Aabb<Dim>>& before, const std::vector<Aabb<Dim>>& after) {
  std::uint64_t count = 0;
  const std::size_t ends = 2 * before.size();
  for (int k = 0; k < Dim; ++k) {
    const auto less = [&](const std::vector<Aabb<Dim>>& boxes, std::size_t i, std::size_t j) {
      const double x = i % 2 == 0 ? boxes[i / 2].lo[k] : boxes[i / 2].hi[k];
      const double y = j % 2 == 0 ? boxes[j / 2].lo[k] : boxes[j / 2].hi[k];
      if (x != y) return x < y;
      return i % 2 != j % 2 ? i % 2 < j % 2 : i < j;
    };
    for (std::size_t i = 0; i < ends; ++i) {
      for (std::size_t j = 0; j < i; ++j) count += less(before, i, j) != less(after, i, j) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("boxes at rest exchange nothing") {
  Dice dice(1);
  for (const bool on_lattice : {false, true}) {
    const auto boxes = test::random_boxes<2>(500, {30, 1, 3, on_lattice}, dice);
    SortAndUpdate<2> broadphase;
    CHECK(test::start(broadphase, boxes).begun.size() > 500);
    PairChanges changes;
    for (int step = 0; step < 3; ++step) broadphase.update(boxes, changes);
    for (const ProxyId id : {0u, 17u, 499u}) broadphase.move(id, boxes[id], changes);
    CHECK(changes.begun.empty());
    CHECK(changes.ended.empty());
    CHECK(broadphase.exchanges() == 0);
  }
}

TEST_CASE("one mover among boxes at rest makes as many exchanges as it passes ends") {
  // Unit boxes in a row, one apart: ends at 0, 1, 2, 3, ... The mover, half as wide, starts left of all.
  std::vector<Aabb2> boxes;
  for (int i = 0; i < 20; ++i) boxes.push_back({{2.0 * i, 0}, {2.0 * i + 1, 1}});
  boxes.push_back({{-1, 5}, {-0.5, 6}});
  for (const bool alone : {true, false}) {
    CAPTURE(alone);
    SortAndUpdate<2> broadphase;
    test::start(broadphase, boxes);
    std::vector<Aabb2> now = boxes;
    PairChanges changes;
    const auto go = [&](double dx, double dy) {
      const std::uint64_t before = broadphase.exchanges();
      now[20] = now[20].shifted({dx, dy});
      alone ? broadphase.move(20, now[20], changes) : broadphase.update(now, changes);
      return broadphase.exchanges() - before;
    };
    CHECK(go(1.25, 0) == 2);  // 0.25..0.75: both its ends pass the first begin
    CHECK(go(1.0, 0) == 2);   // 1.25..1.75: and the first end
    CHECK(go(0.5, 0) == 1);   // 1.75..2.25: only its end passes
    CHECK(go(0.0, 0) == 0);
    CHECK(go(10, 0) == 20);  // 11.75..12.25: ten ends each
    CHECK(go(-10, 0) == 20);
    CHECK(changes.begun.empty());
    CHECK(go(0, -4.5) == 20);  // its lower end, at 0.5, passes the 20 ends at 1 and no begin
    CHECK(changes.begun == std::vector<Pair>{{1, 20}});
    CHECK(go(10, 4.5) == 40);
    CHECK(changes.ended == std::vector<Pair>{{1, 20}});
  }
}

TEST_CASE("exchanges are exactly the pairs of ends that changed places") {
  Dice dice(7);
  for (const bool on_lattice : {false, true}) {
    const BoxRecipe recipe{20, 1, 4, on_lattice};
    auto boxes = test::random_boxes<3>(60, recipe, dice);
    SortAndUpdate<3> broadphase;
    test::start(broadphase, boxes);
    PairChanges changes;
    std::uint64_t total = 0;
    for (int step = 0; step < 20; ++step) {
      const auto before = boxes;
      const std::uint64_t exchanges = broadphase.exchanges();
      if (step % 2 == 0) {
        for (auto& box : boxes) box = test::moved(box, 0.5, recipe, dice);
        broadphase.update(boxes, changes);
      } else {
        const ProxyId id = dice.below(60);
        boxes[id] = test::random_box<3>(recipe, dice);
        broadphase.move(id, boxes[id], changes);
      }
      CHECK(broadphase.exchanges() - exchanges == inversions(before, boxes));
      total += broadphase.exchanges() - exchanges;
    }
    CHECK(total > 1000);
  }
}

TEST_CASE_TEMPLATE("changes are the same for any number of threads", B, SortAndUpdate<2>, SortedStrips<2>) {
  // Enough boxes for several threads.
  const BoxRecipe recipe{60, 0.5, 5};
  const auto history = [&](int threads) {
    Dice dice(11);
    auto boxes = test::random_boxes<2>(5000, recipe, dice);
    B broadphase;
    std::vector<PairChanges> all;
    Threads(threads).run([&] {
      all.push_back(test::start(broadphase, boxes));
      for (int step = 0; step < 20; ++step) {
        for (auto& box : boxes) box = test::moved(box, 0.05, recipe, dice);
        broadphase.update(boxes, all.emplace_back());
      }
    });
    return std::pair(all, broadphase.exchanges());
  };
  const auto [one, exchanges_of_one] = history(1);
  CHECK(one.front().begun.size() > 5000);
  CHECK(one.back().begun.size() > 100);
  CHECK(one.back().ended.size() > 100);
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    const auto [many, exchanges] = history(threads);
    CHECK(exchanges == exchanges_of_one);
    REQUIRE(many.size() == one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(many[i].begun == one[i].begun);
      CHECK(many[i].ended == one[i].ended);
    }
  }
}

TEST_CASE("many boxes agree with the oracle when the axes run in parallel") {
  Dice dice(12);
  const BoxRecipe recipe{40, 1, 5};
  auto boxes = test::random_boxes<3>(2500, recipe, dice);
  SortAndUpdate<3> broadphase;
  AllPairs<3> oracle;
  Threads threads(3);
  CHECK(test::start(broadphase, boxes).begun == test::start(oracle, boxes).begun);
  for (int step = 0; step < 3; ++step) {
    for (auto& box : boxes) box = test::moved(box, 0.1, recipe, dice);
    PairChanges changes;
    PairChanges expected;
    threads.run([&] { broadphase.update(boxes, changes); });
    oracle.update(boxes, expected);
    CHECK(changes.begun == expected.begun);
    CHECK(changes.ended == expected.ended);
    CHECK(changes.begun.size() > 100);
  }
}

TEST_CASE("starting many boxes costs no more in a tower than at random positions") {
  // Where all boxes overlap on one axis, a sweep along it looks at every pair: 2e8 of them for 20 000 boxes.
  constexpr std::size_t kBoxes = 20000;
  const double limit = 6.0 * kBoxes * std::log2(kBoxes);
  for (int axis = 0; axis < 2; ++axis) {
    CAPTURE(axis);
    std::vector<Aabb2> line;  // neighbours touch
    std::vector<Aabb2> comb;  // stairs: overlap on one axis in every pair, on both with neighbours only
    for (std::size_t i = 0; i < kBoxes; ++i) {
      const auto at = static_cast<double>(i * 7919 % kBoxes);
      Aabb2 box{{0, 0}, {1, 1}};
      box.lo[axis] = at;
      box.hi[axis] = at + 1;
      line.push_back(box);
      box.lo[1 - axis] = -at;
      box.hi[1 - axis] = 2 * kBoxes + at;
      comb.push_back(box);
    }
    for (const auto& boxes : {line, comb}) {
      SortAndUpdate<2> broadphase;
      CHECK(test::start(broadphase, boxes).begun.size() == kBoxes - 1);
      CHECK(static_cast<double>(broadphase.start_steps()) < limit);
      CHECK(static_cast<double>(broadphase.start_steps()) > kBoxes);
    }
  }
}

TEST_CASE("starting long bars, many of which overlap on one axis only, does not compare every pair") {
  // Half of the bars lie, half of them stand beside: on each axis alone about an eighth or more of all pairs overlap.
  constexpr std::size_t kBoxes = 20000;
  constexpr double kHalf = kBoxes / 2;
  std::vector<Aabb2> boxes;
  for (std::size_t i = 0; i < kBoxes / 2; ++i) {
    const auto at = static_cast<double>(i);
    boxes.push_back({{-kHalf, at}, {-1, at + 0.5}});  // lying, a tower
    boxes.push_back({{at, -kHalf}, {at + 0.5, -1}});  // standing, a row
  }
  SortAndUpdate<2> broadphase;
  CHECK(test::start(broadphase, boxes).begun.empty());
  CHECK(static_cast<double>(broadphase.start_steps()) < 6.0 * kBoxes * std::log2(kBoxes));
}

TEST_CASE("starting a tower in space chooses the axes that separate its boxes") {
  constexpr std::size_t kBoxes = 20000;
  for (int axis = 0; axis < 3; ++axis) {
    CAPTURE(axis);
    std::vector<Aabb<3>> tower;
    for (std::size_t i = 0; i < kBoxes; ++i) {
      Aabb<3> box{{0, 0, 0}, {1, 1, 1}};
      box.lo[axis] = static_cast<double>(i);
      box.hi[axis] = static_cast<double>(i + 1);
      tower.push_back(box);
    }
    SortAndUpdate<3> broadphase;
    CHECK(test::start(broadphase, tower).begun.size() == kBoxes - 1);
    CHECK(static_cast<double>(broadphase.start_steps()) < 6.0 * kBoxes * std::log2(kBoxes));
  }
}

TEST_CASE("boxes that all overlap start with all pairs") {
  for (const std::size_t n : {33u, 100u, 257u}) {
    const std::vector<Aabb2> boxes(n, Aabb2{{0, 0}, {1, 1}});
    SortAndUpdate<2> broadphase;
    CHECK(test::start(broadphase, boxes).begun.size() == n * (n - 1) / 2);
  }
}

}  // namespace scree::sort_and_update_test
