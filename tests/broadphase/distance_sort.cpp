#include "broadphase/distance_sort.hpp"

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/sort_and_update.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::distance_sort_test {

using test::BoxRecipe;
using test::Dice;

namespace {

template <int Dim>
std::uint64_t tests_of_one_update(std::size_t n) {
  Dice dice(2);
  const BoxRecipe recipe{std::pow(static_cast<double>(n), 1.0 / Dim), 0.5, 0.5};
  const auto boxes = test::random_boxes<Dim>(n, recipe, dice);
  DistanceSort<Dim> broadphase;
  PairChanges changes;
  broadphase.insert(test::first_ids(n), boxes, changes);
  const std::uint64_t before = broadphase.tests();
  broadphase.update(boxes, changes);
  CHECK(changes.begun.empty());
  CHECK(changes.ended.empty());
  return broadphase.tests() - before;
}

}  // namespace

TEST_CASE("spheres that touch have shells in common, and shells are visited once") {
  // Algorithm 1 as it is printed: distances less the radius, scanned while they differ by less than the diameter.
  Dice dice(4);
  struct Sphere {
    double x, y, r;
  };
  std::vector<Sphere> spheres;
  std::vector<Shell> shells;
  for (ProxyId id = 0; id < 300; ++id) {
    const Sphere s{dice.between(0, 10), dice.between(0, 10), dice.between(0.05, 0.5)};
    const double l = std::hypot(s.x, s.y) - s.r;
    spheres.push_back(s);
    shells.push_back({l, l + 2 * s.r, id});
  }
  std::vector<Pair> contacts;
  const auto touch = [&](ProxyId a, ProxyId b) {
    const Sphere& s = spheres[a];
    const Sphere& t = spheres[b];
    return std::hypot(s.x - t.x, s.y - t.y) <= s.r + t.r;
  };
  std::size_t visited = 0;
  visit_shells_in_common(shells, [&](ProxyId a, ProxyId b) {
    ++visited;
    if (touch(a, b)) contacts.push_back(pair_of(a, b));
  });
  std::vector<Pair> expected;
  for (ProxyId a = 0; a < 300; ++a) {
    for (ProxyId b = a + 1; b < 300; ++b) {
      if (touch(a, b)) expected.push_back({a, b});
    }
  }
  std::sort(contacts.begin(), contacts.end());
  CHECK(contacts == expected);
  CHECK(contacts.size() > 100);
  CHECK(visited < 300 * 299 / 4);
}

TEST_CASE_TEMPLATE("changes are those of sort-and-update, in the same order", Dim, std::integral_constant<int, 2>,
                   std::integral_constant<int, 3>) {
  constexpr int kDim = Dim::value;
  Dice dice(6);
  const BoxRecipe recipe{kDim == 2 ? 40.0 : 12.0, 0.5, 3};
  auto boxes = test::random_boxes<kDim>(1000, recipe, dice);
  DistanceSort<kDim> broadphase;
  SortAndUpdate<kDim> other;
  PairChanges changes;
  PairChanges expected;
  broadphase.insert(test::first_ids(boxes.size()), boxes, changes);
  other.insert(test::first_ids(boxes.size()), boxes, expected);
  CHECK(changes.begun == expected.begun);
  for (int step = 0; step < 20; ++step) {
    for (auto& box : boxes) box = test::moved(box, 0.1, recipe, dice);
    broadphase.update(boxes, changes);
    other.update(boxes, expected);
    CHECK(changes.begun == expected.begun);
    CHECK(changes.ended == expected.ended);
    CHECK(changes.begun.size() > 20);
  }
}

TEST_CASE("tests grow as the number of boxes in a shell: n^(3/2) in the plane, n^(5/3) in space") {
  const auto growth = [](std::uint64_t few, std::uint64_t many) {
    return std::log2(static_cast<double>(many) / static_cast<double>(few)) / 3;  // eight times as many boxes
  };
  CHECK(std::abs(growth(tests_of_one_update<2>(1000), tests_of_one_update<2>(8000)) - 3.0 / 2) < 0.05);
  CHECK(std::abs(growth(tests_of_one_update<3>(1000), tests_of_one_update<3>(8000)) - 5.0 / 3) < 0.05);
}

}  // namespace scree::distance_sort_test
