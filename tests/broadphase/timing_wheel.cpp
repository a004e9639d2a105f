#include "broadphase/timing_wheel.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "tests/broadphase/random_boxes.hpp"

namespace scree::timing_wheel_test {

TEST_CASE("a timing wheel returns each number once, when it is due") {
  for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 500}) {
    CAPTURE(start);
    TimingWheel wheel;
    test::Dice dice(1);
    std::map<std::uint64_t, std::vector<std::uint32_t>> expected;
    std::uint32_t fresh = 0;
    std::size_t count = 0;
    for (std::uint64_t k = 1; k < 1500; ++k) {
      const std::uint64_t step = start + k;
      std::vector<std::uint32_t> taken;
      const auto put = [&](std::uint32_t ahead) {
        wheel.put(step + ahead, fresh);
        expected[step + ahead].push_back(fresh++);
      };
      wheel.take(step, [&](std::span<const std::uint32_t> numbers) {
        for (const std::uint32_t number : numbers) {
          taken.push_back(number);
          if (taken.size() % 2 == 0) put(TimingWheel::kFarthest);  // while it is being emptied
        }
      });
      std::sort(taken.begin(), taken.end());
      auto& due = expected[step];
      std::sort(due.begin(), due.end());
      CHECK(taken == due);
      count += taken.size();
      for (std::uint32_t i = dice.below(100); i > 0; --i) put(1 + dice.below(TimingWheel::kFarthest));
    }
    CHECK(count > 50000);
  }
}

}  // namespace scree::timing_wheel_test
