#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/fastest.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/linked_cells.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::broadphase_family_test {

// What every member of the family owes, checked against nothing but the definition: the pairs that have begun and not
// ended are those whose boxes overlap now.

using test::BoxRecipe;
using test::Dice;

namespace {

template <class B, int Dim>
class Witness {
 public:
  B broadphase;
  PairChanges changes;
  std::vector<Aabb<Dim>> boxes;
  std::vector<bool> in_use;
  std::set<Pair> pairs;
  std::size_t begun = 0;
  std::size_t ended = 0;

  void take_note() {
    CHECK(std::is_sorted(changes.begun.begin(), changes.begun.end()));
    CHECK(std::is_sorted(changes.ended.begin(), changes.ended.end()));
    bool news = true;
    for (const Pair& pair : changes.ended) news = news && pairs.erase(pair) == 1;
    for (const Pair& pair : changes.begun) news = news && pair.a < pair.b && pairs.insert(pair).second;
    CHECK(news);
    begun += changes.begun.size();
    ended += changes.ended.size();
    check_pairs();
  }

 private:
  void check_pairs() const {
    std::set<Pair> expected;
    std::size_t count = 0;
    bool remembered = true;
    for (ProxyId a = 0; a < boxes.size(); ++a) {
      if (!in_use[a]) continue;
      ++count;
      remembered = remembered && broadphase.box(a).lo == boxes[a].lo && broadphase.box(a).hi == boxes[a].hi;
      for (ProxyId b = a + 1; b < boxes.size(); ++b) {
        if (!in_use[b]) continue;
        bool overlap = true;
        for (int k = 0; k < Dim; ++k) {
          overlap = overlap && !(boxes[a].hi[k] < boxes[b].lo[k] || boxes[b].hi[k] < boxes[a].lo[k]);
        }
        if (overlap) expected.insert({a, b});
      }
    }
    CHECK(remembered);
    CHECK(broadphase.size() == count);
    CHECK(pairs == expected);
  }
};

template <int Dim>
struct AlwaysTrying : Fastest<Dim> {
  AlwaysTrying() : Fastest<Dim>(1) {}
};

template <template <int> class B>
struct Member {
  template <int Dim>
  using Type = B<Dim>;
};

#define FAMILY                                                                                              \
  Member<AllPairs>, Member<SortAndUpdate>, Member<DistanceSort>, Member<SortedStrips>, Member<LinkedCells>, \
      Member<HierarchicalGrid>, Member<AlwaysTrying>

// Inserts, erases, moves and updates in random order; ids have gaps and are reused.
template <class B, int Dim>
void live_once(const BoxRecipe& recipe, double step, std::uint64_t seed) {
  constexpr ProxyId kIds = 80;
  CAPTURE(seed);
  Dice dice(seed);
  Witness<typename B::template Type<Dim>, Dim> w;
  w.boxes.resize(kIds);
  w.in_use.resize(kIds, false);

  for (int call = 0; call < 250; ++call) {
    CAPTURE(call);
    const ProxyId id = dice.below(kIds);
    switch (dice.below(8)) {
      case 0:
      case 1:
        if (w.in_use[id]) {
          w.in_use[id] = false;
          w.broadphase.erase(id, w.changes);
        } else {
          w.in_use[id] = true;
          w.boxes[id] = test::random_box<Dim>(recipe, dice);
          w.broadphase.insert(id, w.boxes[id], w.changes);
        }
        break;
      case 2:
        if (!w.in_use[id]) continue;
        // A short way or a long one.
        w.boxes[id] =
            dice.below(2) == 0 ? test::moved(w.boxes[id], step, recipe, dice) : test::random_box<Dim>(recipe, dice);
        w.broadphase.move(id, w.boxes[id], w.changes);
        break;
      case 3: {
        std::vector<ProxyId> ids;
        std::vector<Aabb<Dim>> boxes;
        const std::uint32_t one_in = 1 + dice.below(10);  // few or many
        for (ProxyId k = kIds; k-- > 0;) {
          if (w.in_use[k] || dice.below(one_in) != 0) continue;
          w.in_use[k] = true;
          w.boxes[k] = test::random_box<Dim>(recipe, dice);
          ids.push_back(k);
          boxes.push_back(w.boxes[k]);
        }
        w.broadphase.insert(ids, boxes, w.changes);
        break;
      }
      case 4:
        if (dice.below(4) != 0) continue;
        // Everybody anywhere: pairs begin and end on several axes at once, and pass without having met.
        for (ProxyId k = 0; k < kIds; ++k) w.boxes[k] = test::random_box<Dim>(recipe, dice);
        w.broadphase.update(w.boxes, w.changes);
        break;
      default:
        // Boxes that are not in use may hold anything.
        for (ProxyId k = 0; k < kIds; ++k) w.boxes[k] = test::moved(w.boxes[k], step, recipe, dice);
        w.broadphase.update(w.boxes, w.changes);
    }
    w.take_note();
    if (call % 10 == 0) {
      const Aabb<Dim> window = test::random_box<Dim>(recipe, dice);
      std::vector<ProxyId> found{7, 7, 7};
      std::vector<ProxyId> expected;
      w.broadphase.query(window, found);
      for (ProxyId k = 0; k < kIds; ++k) {
        if (w.in_use[k] && w.boxes[k].overlaps(window)) expected.push_back(k);
      }
      CHECK(found == expected);
    }
  }
  // A history in which nothing happens proves nothing.
  CHECK(w.begun > 500);
  CHECK(w.ended > 500);
}

template <class B, int Dim>
void live(const BoxRecipe& recipe, double step) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) live_once<B, Dim>(recipe, step, seed);
}

}  // namespace

TEST_CASE_TEMPLATE("begun minus ended pairs are those that overlap, whatever happens", B, FAMILY) {
  SUBCASE("boxes of one size, in the plane") {
    live<B, 2>({8, 1, 1}, 0.1);
  }
  SUBCASE("boxes of one size, in space") {
    live<B, 3>({4, 1, 1}, 0.1);
  }
  SUBCASE("sizes from 1 to 100, in the plane") {
    live<B, 2>({100, 1, 100}, 1.0);
  }
  SUBCASE("sizes from 1 to 100, in space") {
    live<B, 3>({60, 1, 100}, 1.0);
  }
  SUBCASE("many equal coordinates, in the plane") {
    live<B, 2>({12, 1, 2, true}, 0);
  }
  SUBCASE("many equal coordinates, in space") {
    live<B, 3>({6, 1, 2, true}, 0);
  }
  SUBCASE("points on a lattice") {
    live<B, 2>({5, 1, 0, true}, 0);
  }
  SUBCASE("as large as a country") {
    live<B, 2>({8e9, 1e9, 1e9}, 1e8);
  }
}

TEST_CASE_TEMPLATE("boxes that touch are a pair, boxes one rounding apart are not", B, FAMILY) {
  typename B::template Type<2> broadphase;
  PairChanges changes;
  const double beyond = std::nextafter(1.0, 2.0);
  const Aabb2 box{{0, 0}, {1, 1}};
  broadphase.insert(0, box, changes);
  broadphase.insert(5, Aabb2{{1, 1}, {2, 2}}, changes);  // corner to corner
  CHECK(changes.begun == std::vector<Pair>{{0, 5}});
  broadphase.move(5, Aabb2{{1, beyond}, {2, 2}}, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended == std::vector<Pair>{{0, 5}});
  broadphase.move(5, Aabb2{{beyond, 1}, {2, 2}}, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
  broadphase.move(5, Aabb2{{1, 1}, {1, 1}}, changes);  // a point
  CHECK(changes.begun == std::vector<Pair>{{0, 5}});
  CHECK(changes.ended.empty());
}

TEST_CASE_TEMPLATE("minus zero touches zero, and going from one to the other is no change", B, FAMILY) {
  typename B::template Type<2> broadphase;
  PairChanges changes;
  std::vector<Aabb2> boxes{{{-1, -1}, {-0.0, -0.0}}, {{0.0, 0.0}, {1, 1}}};
  broadphase.insert(std::vector<ProxyId>{0, 1}, boxes, changes);
  CHECK(changes.begun == std::vector<Pair>{{0, 1}});
  boxes = {{{-1, -1}, {0.0, 0.0}}, {{-0.0, -0.0}, {1, 1}}};
  broadphase.update(boxes, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
  broadphase.move(0, Aabb2{{-1, -1}, {-0.0, 0.0}}, changes);
  CHECK(changes.ended.empty());
  broadphase.erase(0, changes);
  CHECK(changes.ended == std::vector<Pair>{{0, 1}});
}

TEST_CASE_TEMPLATE("a pair that leaves on one axis while it arrives on another in the same step is no change", B,
                   FAMILY) {
  typename B::template Type<2> broadphase;
  PairChanges changes;
  std::vector<Aabb2> boxes{{{0, 0}, {1, 1}}, {{0.5, 3}, {1.5, 4}}};
  broadphase.insert(std::vector<ProxyId>{0, 1}, boxes, changes);
  CHECK(changes.begun.empty());
  boxes[1] = {{3, 0.5}, {4, 1.5}};  // from above to beside
  broadphase.update(boxes, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
}

TEST_CASE_TEMPLATE("a pair that begins or ends on every axis in one step is reported once", B, FAMILY) {
  typename B::template Type<3> broadphase;
  PairChanges changes;
  const Aabb<3> unit{{0, 0, 0}, {1, 1, 1}};
  std::vector<Aabb<3>> boxes{unit, unit.shifted({2, 2, 2})};
  broadphase.insert(std::vector<ProxyId>{0, 1}, boxes, changes);
  CHECK(changes.begun.empty());
  boxes[1] = unit.shifted({0.5, 0.5, 0.5});
  broadphase.update(boxes, changes);
  CHECK(changes.begun == std::vector<Pair>{{0, 1}});
  CHECK(changes.ended.empty());
  boxes[1] = unit.shifted({-2, 2, -2});
  broadphase.update(boxes, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended == std::vector<Pair>{{0, 1}});
}

TEST_CASE_TEMPLATE("boxes that jump over each other have never met", B, FAMILY) {
  typename B::template Type<2> broadphase;
  PairChanges changes;
  std::vector<Aabb2> boxes{{{0, 0}, {1, 1}}, {{2, 0}, {3, 1}}};
  broadphase.insert(std::vector<ProxyId>{0, 1}, boxes, changes);
  std::swap(boxes[0], boxes[1]);
  broadphase.update(boxes, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
  broadphase.move(0, Aabb2{{-3, 0}, {-2, 1}}, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
}

TEST_CASE_TEMPLATE("none and one are numbers of boxes too", B, FAMILY) {
  typename B::template Type<2> broadphase;
  PairChanges changes{{{1, 2}}, {{3, 4}}};
  std::vector<ProxyId> found{9};
  const Aabb2 box{{0, 0}, {1, 1}};
  broadphase.update({}, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
  broadphase.query(box, found);
  CHECK(found.empty());
  broadphase.insert(std::span<const ProxyId>{}, {}, changes);
  CHECK(broadphase.size() == 0);

  broadphase.insert(3, box, changes);
  CHECK(changes.begun.empty());
  CHECK(broadphase.size() == 1);
  broadphase.move(3, box.shifted({5, 5}), changes);
  broadphase.query(box, found);
  CHECK(found.empty());
  broadphase.query(box.shifted({6, 6}), found);
  CHECK(found == std::vector<ProxyId>{3});
  broadphase.update(std::vector<Aabb2>(4, box), changes);
  CHECK(changes.begun.empty());
  broadphase.erase(3, changes);
  CHECK(changes.ended.empty());
  CHECK(broadphase.size() == 0);
  broadphase.query(box, found);
  CHECK(found.empty());
}

TEST_CASE_TEMPLATE("boxes without bounds overlap everything on their axis", B, FAMILY) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  typename B::template Type<2> broadphase;
  PairChanges changes;
  std::vector<Aabb2> boxes{{{-kInf, -kInf}, {kInf, 0}}, {{3, 1}, {4, 2}}, {{-kInf, 1.5}, {kInf, kInf}}};
  broadphase.insert(std::vector<ProxyId>{0, 1, 2}, boxes, changes);
  CHECK(changes.begun == std::vector<Pair>{{1, 2}});
  boxes[1] = {{-1e300, -2}, {4, -1}};
  broadphase.update(boxes, changes);
  CHECK(changes.begun == std::vector<Pair>{{0, 1}});
  CHECK(changes.ended == std::vector<Pair>{{1, 2}});
  broadphase.move(0, boxes[0], changes);
  CHECK(changes.begun.empty());
  broadphase.erase(0, changes);
  CHECK(changes.ended == std::vector<Pair>{{0, 1}});
}

}  // namespace scree::broadphase_family_test
