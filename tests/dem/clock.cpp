#include "dem/clock.hpp"

#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::clock_test {

using scree::Clock;

TEST_CASE("a clock that was rebased a million times has lost no precision") {
  constexpr double kUnit = 0x1p-30;  // s: all times are whole multiples, counted exactly beside
  scree::test::Dice dice(1);
  Clock clock;
  std::int64_t exact = 0;
  for (int k = 0; k < 1000000; ++k) {
    const std::int64_t by = (std::int64_t{dice.below(1u << 20)} << 20) + dice.below(1u << 20);
    clock.set_back(static_cast<double>(by) * kUnit);
    exact += by;
  }
  CHECK(exact > std::int64_t{1} << 58);                          // more than a double holds
  const double now = static_cast<double>(exact) * kUnit + 0.75;  // rounded: its last digit is worth 6e-8 s
  const auto units = static_cast<std::int64_t>(now / kUnit);
  CHECK(clock.at(now) == static_cast<double>(units - exact) * kUnit);
}

}  // namespace scree::clock_test
