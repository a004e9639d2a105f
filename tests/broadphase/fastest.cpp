#include "broadphase/fastest.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::fastest_test {

// That it reports what every member does is tested with the family; here: when there are trials, and what they decide.

namespace {

struct Gas {
  test::Dice dice{1};
  test::BoxRecipe recipe{20, 1, 1};
  std::vector<Aabb2> boxes;
  PairChanges changes;

  void add(Fastest<2>& broadphase, ProxyId count) {
    for (ProxyId k = 0; k < count; ++k) {
      boxes.push_back(test::random_box<2>(recipe, dice));
      broadphase.insert(static_cast<ProxyId>(boxes.size() - 1), boxes.back(), changes);
    }
  }
  void move(Fastest<2>& broadphase, int updates) {
    for (; updates > 0; --updates) {
      for (Aabb2& box : boxes) box = test::moved(box, 0.01, recipe, dice);
      broadphase.update(boxes, changes);
    }
  }
};

}  // namespace

TEST_CASE("a trial lasts the given number of updates and ranks every candidate by its measured time") {
  Fastest<2> broadphase;
  Gas gas;
  gas.add(broadphase, 100);
  gas.move(broadphase, Fastest<2>::kTrialUpdates - 1);
  CHECK(broadphase.trial().empty());
  gas.move(broadphase, 1);
  const auto& trial = broadphase.trial();
  REQUIRE(trial.size() == 4);
  for (std::size_t i = 1; i < trial.size(); ++i) {
    CHECK(trial[i - 1].nanoseconds <= trial[i].nanoseconds);
    for (std::size_t k = 0; k < i; ++k) CHECK(trial[i].member != trial[k].member);
  }
  CHECK(trial[0].nanoseconds > 0.0);
}

TEST_CASE("there is no trial for few boxes, and another one when their number has doubled") {
  Fastest<2> broadphase;
  Gas gas;
  constexpr int kLongEnough = Fastest<2>::kTrialUpdates + 10;
  gas.add(broadphase, 63);
  gas.move(broadphase, kLongEnough);
  CHECK(broadphase.trial().empty());
  gas.add(broadphase, 1);
  gas.move(broadphase, kLongEnough);
  // Another trial is one of whose four times any is another: a coarse clock may measure one of them twice.
  const auto first = broadphase.trial();
  const auto is_the_first = [&] {
    return std::ranges::equal(broadphase.trial(), first, [](const auto& a, const auto& b) {
      return a.member == b.member && a.nanoseconds == b.nanoseconds;
    });
  };
  REQUIRE(first.size() == 4);
  gas.move(broadphase, kLongEnough);
  CHECK(is_the_first());
  gas.add(broadphase, 64);
  gas.move(broadphase, kLongEnough);
  CHECK_FALSE(is_the_first());
}

TEST_CASE("changing from one broadphase to another loses no pair") {
  Fastest<2> broadphase(8);
  AllPairs<2> judge;
  PairChanges expected;
  Gas gas;
  for (int round = 0; round < 5; ++round) {
    const auto before = static_cast<ProxyId>(gas.boxes.size());
    for (ProxyId id = before; id < 2 * before + 10; ++id) {
      gas.boxes.push_back(test::random_box<2>(gas.recipe, gas.dice));
      broadphase.insert(id, gas.boxes.back(), gas.changes);
      judge.insert(id, gas.boxes.back(), expected);
    }
    bool same = true;
    for (int update = 0; update < Fastest<2>::kTrialUpdates + 10; ++update) {
      for (Aabb2& box : gas.boxes) box = test::moved(box, 0.1, gas.recipe, gas.dice);
      broadphase.update(gas.boxes, gas.changes);
      judge.update(gas.boxes, expected);
      same = same && gas.changes.begun == expected.begun && gas.changes.ended == expected.ended;
    }
    CHECK(same);
  }
}

}  // namespace scree::fastest_test
