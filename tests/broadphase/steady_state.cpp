#include <cstddef>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "tests/broadphase/allocations.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::steady_state_test {

using test::BoxRecipe;
using test::Dice;

TEST_CASE_TEMPLATE("a steady state allocates nothing", B, SortAndUpdate<2>, LinkedCells<2>, HierarchicalGrid<3>) {
  constexpr int kDim = std::is_same_v<B, HierarchicalGrid<3>> ? 3 : 2;
  Dice dice(10);
  const BoxRecipe recipe{20, 0.5, 2};
  const auto here = test::random_boxes<kDim>(1000, recipe, dice);
  auto there = here;
  for (auto& box : there) box = test::moved(box, 0.5, recipe, dice);
  B broadphase;
  test::start(broadphase, here);
  PairChanges changes;
  std::vector<ProxyId> found;
  std::size_t events = 0;
  const auto round = [&] {
    for (const bool away : {true, false}) {
      broadphase.update(away ? there : here, changes);
      events += changes.begun.size() + changes.ended.size();
    }
    for (ProxyId id = 0; id < 10; ++id) {
      broadphase.move(id, there[id], changes);
      broadphase.move(id, here[id], changes);
      broadphase.query(here[id], found);
      broadphase.erase(id, changes);
      broadphase.insert(id, here[id], changes);
    }
  };
  round();
  CHECK(events > 100);
  const std::size_t before = test::allocations();
  for (int i = 0; i < 100; ++i) round();  // cells are chosen anew meanwhile
  const std::size_t after = test::allocations();
  CHECK(after - before == 0);
}

}  // namespace scree::steady_state_test
