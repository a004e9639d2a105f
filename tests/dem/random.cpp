#include "dem/random.hpp"

#include <array>
#include <cmath>
#include <set>

#include <doctest/doctest.h>

namespace scree::random_test {

using scree::Random;

TEST_CASE("random numbers are a function of seed, stream and index") {
  const double reference = Random(7, 1, 5).uniform();
  CHECK(Random(7, 1, 5).uniform() == reference);
  CHECK(Random(8, 1, 5).uniform() != reference);
  CHECK(Random(7, 2, 5).uniform() != reference);
  CHECK(Random(7, 1, 6).uniform() != reference);
  CHECK(Random(7, 1, 5 + (1ULL << 32)).uniform() != reference);
  CHECK(Random(7 + (1ULL << 32), 1, 5).uniform() != reference);
}

TEST_CASE("uniform numbers fill [0, 1) evenly and do not repeat") {
  constexpr int kNumbers = 100000;
  Random random(1, 0, 0);
  std::array<int, 10> bins = {};
  std::set<double> seen;
  double sum = 0.0;
  for (int k = 0; k < kNumbers; ++k) {
    const double u = random.uniform();
    REQUIRE(u >= 0.0);
    REQUIRE(u < 1.0);
    ++bins[static_cast<std::size_t>(10.0 * u)];
    seen.insert(u);
    sum += u;
  }
  CHECK(seen.size() == kNumbers);
  CHECK(std::abs(sum / kNumbers - 0.5) < 5.0 * std::sqrt(1.0 / 12.0 / kNumbers));
  for (const int count : bins) CHECK(std::abs(count - kNumbers / 10) < 5.0 * std::sqrt(0.09 * kNumbers));
}

TEST_CASE("integers cover their range, both ends included, and nothing beyond") {
  Random random(1, 0, 0);
  std::set<int> seen;
  for (int k = 0; k < 1000; ++k) seen.insert(random.integer(5, 8));
  CHECK(seen == std::set<int>{5, 6, 7, 8});
  CHECK(random.integer(4, 4) == 4);
}

}  // namespace scree::random_test
