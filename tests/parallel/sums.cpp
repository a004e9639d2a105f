#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parallel/exact_sum.hpp"
#include "parallel/whole_sum.hpp"

namespace scree::sums_test {

using scree::ExactSum;
using scree::Quanta;
using scree::WholeSum;
using scree::WholeSums;

namespace {

__extension__ using Wide = __int128;

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

/// Whole numbers of 2^-40 whose magnitudes differ by many orders, and their sum as it is.
std::pair<std::vector<double>, Wide> numbers_of_all_sizes(std::mt19937_64& random, int count) {
  std::vector<double> numbers;
  Wide sum = 0;
  for (int k = 0; k < count; ++k) {
    const auto whole = static_cast<std::int64_t>(random() >> (random() % 64)) / 2;
    const double x = static_cast<double>(random() % 2 == 0 ? whole : -whole);  // rounded to 53 bits
    sum += static_cast<std::int64_t>(x);
    numbers.push_back(std::ldexp(x, -40));
  }
  return {numbers, sum};
}

}  // namespace

TEST_CASE("an exact sum is that of whole numbers, in any order, in parts") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    auto [numbers, expected] = numbers_of_all_sizes(random, 1 + trial);
    const double sum = sum_of(numbers);
    CHECK(std::abs(std::ldexp(sum, 40) - static_cast<double>(expected)) <=
          std::abs(static_cast<double>(expected)) * 0x1p-52);
    std::ranges::shuffle(numbers, random);
    ExactSum first;
    ExactSum second;
    for (std::size_t k = 0; k < numbers.size(); ++k) (k % 3 == 0 ? first : second).add(numbers[k]);
    second += first;
    CHECK(second.value() == sum);
  }
}

TEST_CASE("an exact sum of one number is that number; great ones that cancel leave the small") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double huge = std::numeric_limits<double>::max();
  for (const double x :
       {0.0, 1.0, -1.0, 0.1, -1e-300, 3e300, tiny, -tiny, 5 * tiny, huge, -huge, 0x1p-1022, 0x1.8p-1040}) {
    CAPTURE(x);
    CHECK(sum_of({x}) == x);
    CHECK(sum_of({x, -x}) == 0.0);
    CHECK(sum_of({huge, x, -huge}) == x);
    CHECK(sum_of({-huge, x, huge}) == x);
  }
  CHECK(sum_of({}) == 0.0);
  CHECK(sum_of({1.0, 0x1p-60, -1.0, 0x1p-61}) == 0x1p-60 + 0x1p-61);
  CHECK(sum_of({huge, huge, -huge}) == huge);  // although a part of it is beyond all numbers
}

TEST_CASE("what is no number makes the sum not a number") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(sum_of({1.0, infinity})));
  CHECK(std::isnan(sum_of({-infinity, infinity})));
  CHECK(std::isnan(sum_of({std::nan(""), 1.0})));
}

TEST_CASE("sums of quanta do not depend on the order, and are as exact as they say") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  for (const double greatest : {1.0, 3e-20, 7e25}) {
    CAPTURE(greatest);
    const Quanta quanta = Quanta::up_to(greatest);
    std::vector<double> numbers;
    for (int k = 0; k < 1000; ++k) {
      numbers.push_back(greatest * std::ldexp(mantissa(random), -static_cast<int>(random() % 60)));
    }
    ExactSum exact;
    WholeSum sum;
    for (const double x : numbers) {
      exact.add(x);
      quanta.add(x, sum);
    }
    CHECK(std::abs(quanta.value(sum) - exact.value()) <= 1000 * greatest * 0x1p-87 + std::abs(exact.value()) * 0x1p-52);
    std::ranges::shuffle(numbers, random);
    WholeSum other;
    for (const double x : numbers) quanta.add(x, other);
    CHECK(other.coarse == sum.coarse);
    CHECK(other.fine == sum.fine);
  }
  // Beyond the greatest, numbers count as that.
  const Quanta quanta = Quanta::up_to(0.75);
  WholeSum sum;
  quanta.add(1e300, sum);
  CHECK(quanta.value(sum) == 1.0);
  quanta.add(-1e300, sum);
  quanta.add(-5.0, sum);
  CHECK(quanta.value(sum) == -1.0);
}

TEST_CASE("several sums of quanta at once are those of each") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  const Quanta quanta = Quanta::up_to(3e4);
  std::array<WholeSum, 4> each{};
  WholeSums<4> first;
  WholeSums<4> second;
  for (int k = 0; k < 1000; ++k) {
    std::array<double, 4> numbers{};
    for (std::size_t at = 0; at < 4; ++at) {
      numbers[at] = std::ldexp(mantissa(random), 20 - static_cast<int>(random() % 90));  // some beyond the greatest
      quanta.add(numbers[at], each[at]);
    }
    quanta.add(numbers, k % 3 == 0 ? first : second);
  }
  second += first;
  for (std::size_t at = 0; at < 4; ++at) {
    CHECK(second[at].coarse == each[at].coarse);
    CHECK(second[at].fine == each[at].fine);
    CHECK(each[at].fine != 0);
  }
}

}  // namespace scree::sums_test
