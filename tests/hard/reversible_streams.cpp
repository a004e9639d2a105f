#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "dem/hard/reversible/random_streams.hpp"
#include "dem/random.hpp"

namespace scree::reversible_streams_test {

using namespace scree::hard::reversible;

namespace {

template <class Stream>
void there_and_back(Stream stream) {
  std::vector<double> drawn;
  for (int k = 0; k < 10000; ++k) drawn.push_back(stream.next());
  double least = 1.0;
  double most = 0.0;
  for (; !drawn.empty(); drawn.pop_back()) {
    REQUIRE(stream.previous() == drawn.back());
    least = std::min(least, drawn.back());
    most = std::max(most, drawn.back());
  }
  CHECK(least >= 0.0);
  CHECK(least < 1e-3);
  CHECK(most > 0.999);
  CHECK(most < 1.0);
}

}  // namespace

TEST_CASE("both streams return, backwards, the numbers that they returned forwards") {
  there_and_back(PhiloxStream(7));
  there_and_back(FourLcgs());
}

TEST_CASE("a stream goes back beyond its beginning and forward again") {
  PhiloxStream philox(7);
  FourLcgs lcgs;
  const double first = philox.next();
  const double first_of_lcgs = lcgs.next();
  for (int k = 0; k < 5; ++k) {
    philox.previous();
    lcgs.previous();
  }
  for (int k = 0; k < 4; ++k) {
    philox.next();
    lcgs.next();
  }
  CHECK(philox.next() == first);
  CHECK(lcgs.next() == first_of_lcgs);
}

TEST_CASE("the Philox stream has the numbers of the project's generator; its position counts them") {
  PhiloxStream stream(7, 3);
  CHECK(stream.position() == 0);
  CHECK(stream.next() == scree::Random(7, 3, 0).uniform());
  CHECK(stream.next() == scree::Random(7, 3, 1).uniform());
  CHECK(stream.position() == 2);
  CHECK(stream.previous() == scree::Random(7, 3, 1).uniform());
  CHECK(stream.position() == 1);
}

TEST_CASE("draw and put_back: K numbers in one order, there and back") {
  PhiloxStream stream(1);
  const auto three = draw<3>(stream);
  const auto two = draw<2>(stream);
  CHECK(stream.position() == 5);
  CHECK(put_back<2>(stream) == two);
  CHECK(put_back<3>(stream) == three);
  CHECK(stream.position() == 0);
}

// State and output calculated with integers and fractions of Python from the definition.
TEST_CASE("the combination of four generators has the states of its definition") {
  FourLcgs lcgs;
  double u = 0.0;
  for (int k = 0; k < 1000; ++k) u = lcgs.next();
  CHECK(lcgs.state() == std::array<std::uint64_t, 4>{1755772680, 774350460, 1888971795, 1206876558});
  CHECK(std::abs(u - 0.7746356703444812) < 1e-15);
}

TEST_CASE("a state out of range is refused with its number") {
  CHECK_THROWS_WITH_AS(FourLcgs({0, 1, 1, 1}), "state 0 of generator 0 is not within 1 ... 2147483646",
                       std::invalid_argument);
  CHECK_THROWS_AS(FourLcgs({1, 1, 1, 2147483323}), std::invalid_argument);
}

}  // namespace scree::reversible_streams_test
