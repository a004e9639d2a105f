#include "broadphase/count_overlaps.hpp"

#include <limits>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::count_overlaps_test {

using test::BoxRecipe;
using test::Dice;

namespace {

std::uint64_t one_by_one(const std::vector<Aabb2>& boxes) {
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs += boxes[i].overlaps(boxes[j]) ? 1 : 0;
  }
  return pairs;
}

}  // namespace

TEST_CASE("boxes overlap in as many pairs as are found one by one") {
  Dice dice(1);
  std::uint64_t most = 0;
  for (const BoxRecipe& recipe : {BoxRecipe{20.0, 1.0, 1.0}, BoxRecipe{20.0, 0.1, 30.0}, BoxRecipe{8.0, 1.0, 3.0, true},
                                  BoxRecipe{1.0, 5.0, 5.0}}) {
    for (std::size_t n = 0; n < 200; n = n * 2 + 1) {
      const auto boxes = test::random_boxes<2>(n, recipe, dice);
      CHECK(count_overlaps(boxes) == one_by_one(boxes));
      most = std::max(most, one_by_one(boxes));
    }
  }
  CHECK(most == 127 * 126 / 2);  // all of the last recipe
}

TEST_CASE("infinite boxes, and boxes that touch, overlap") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Aabb2> boxes = {{{-kInfinity, -1.0}, {kInfinity, 0.0}},
                                    {{0.0, 0.0}, {1.0, 1.0}},
                                    {{1.0, 1.0}, {2.0, kInfinity}},
                                    {{5.0, 0.5}, {6.0, 0.5}}};
  CHECK(count_overlaps(boxes) == 2);
  CHECK(one_by_one(boxes) == 2);
}

TEST_CASE("counting does not look at each pair") {
  const std::vector<Aabb2> boxes(1'000'000, Aabb2{{0.0, 0.0}, {1.0, 1.0}});
  CHECK(count_overlaps(boxes) == 499'999'500'000);
}

}  // namespace scree::count_overlaps_test
