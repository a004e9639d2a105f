#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "broadphase/lanes/kernels.hpp"
#include "tests/broadphase/random_boxes.hpp"

namespace scree::box_lanes_test {

using test::Dice;

TEST_CASE("lanes of every width find the boxes that exceed their limits, and let the others follow") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Dice dice(5);
  int exceeding = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint32_t count = dice.below(40);
    std::vector<double> before;
    std::vector<double> now;
    std::vector<double> limit;
    for (std::uint32_t id = 0; id < count; ++id) {
      limit.push_back(dice.below(5) == 0 ? 0.0 : dice.below(9) == 0 ? kInfinity : dice.between(0.0, 1.0));
      for (int k = 0; k < 4; ++k) {
        before.push_back(dice.below(20) == 0 ? kInfinity : dice.between(-9.0, 9.0));
        const double moved = dice.below(3) == 0 ? limit.back() : dice.between(-1.0, 1.0) * std::min(limit.back(), 2.0);
        now.push_back(dice.below(30) == 0 ? before.back() + 2.0 : before.back() + moved);
      }
    }
    std::vector<double> expected = before;
    std::vector<std::uint32_t> found;
    const std::uint32_t begin = count > 0 ? dice.below(count) : 0;
    for (std::uint32_t id = begin; id < count; ++id) {
      bool is_faster = false;
      for (std::uint32_t k = 4 * id; k < 4 * id + 4; ++k) {
        is_faster = is_faster || std::abs(now[k] - before[k]) > limit[id];
      }
      if (is_faster) found.push_back(id);
      for (std::uint32_t k = 4 * id; k < 4 * id + 4 && !is_faster; ++k) expected[k] = now[k];
    }
    exceeding += static_cast<int>(found.size());
    for (const int width : {1, 2, 4}) {
      if (!box_lanes::use_lanes(width)) continue;
      CAPTURE(width);
      std::vector<double> boxes = before;
      std::vector<std::uint32_t> faster(count + 1);
      faster.resize(
          box_lanes::kernels().follow_slow(boxes.data(), now.data(), limit.data(), begin, count, faster.data()));
      CHECK(faster == found);
      CHECK(boxes == expected);
    }
  }
  CHECK(exceeding > 100);
}

}  // namespace scree::box_lanes_test
