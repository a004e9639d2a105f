#include <cstddef>
#include <limits>
#include <span>

#include <doctest/doctest.h>

#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::not_a_number_test {

using test::BoxRecipe;
using test::Dice;

#ifdef NDEBUG
#define CAREFUL SortAndUpdate<2>, SortedStrips<2>, DistanceSort<2>, LinkedCells<2>, HierarchicalGrid<2>
#else  // the others assert
#define CAREFUL LinkedCells<2>, HierarchicalGrid<2>
#endif

TEST_CASE_TEMPLATE("not-a-number neither crashes nor hangs", B, CAREFUL) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t kBoxes = 100;
  Dice dice(5);
  const BoxRecipe recipe{10, 0.1, 3};
  auto boxes = test::random_boxes<2>(kBoxes, recipe, dice);
  B broadphase;
  test::start(broadphase, boxes);
  PairChanges changes;
  for (int step = 0; step < 400; ++step) {
    for (auto& box : boxes) {
      box = test::moved(box, 0.2, recipe, dice);
      if (dice.below(10) == 0) box = test::random_box<2>(recipe, dice);
      if (dice.below(10) == 0) box.lo[dice.below(2)] = kNan;
      if (dice.below(10) == 0) box.hi[dice.below(2)] = kNan;
    }
    broadphase.update(boxes, changes);
    const ProxyId id = dice.below(kBoxes);
    broadphase.move(id, boxes[dice.below(kBoxes)], changes);
    broadphase.erase(id, changes);
    CHECK(broadphase.size() == kBoxes - 1);
    step % 2 == 0 ? broadphase.insert(id, boxes[id], changes)
                  : broadphase.insert(std::span(&id, 1), std::span(&boxes[id], 1), changes);
    if (step % 20 == 0) {
      B fresh;
      test::start(fresh, boxes);
      CHECK(fresh.size() == kBoxes);
    }
  }
  CHECK(broadphase.size() == kBoxes);
}

}  // namespace scree::not_a_number_test
