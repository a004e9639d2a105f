#include "parallel/thread_trial.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

namespace scree::thread_trial_test {

namespace {

/// Does steps as it is asked to. @param cut at most so many at once
/// @return how many several threads did
std::uint64_t work(ThreadTrial& trial, std::uint64_t steps, double of_several, double of_one, std::uint64_t cut) {
  std::uint64_t by_several = 0;
  while (steps > 0) {
    const std::uint64_t now = std::min({steps, trial.steps(), cut});
    REQUIRE(now > 0);
    const bool several = trial.several();
    trial.took(now, static_cast<double>(now) * (several ? of_several : of_one));
    if (several) by_several += now;
    steps -= now;
  }
  return by_several;
}

}  // namespace

TEST_CASE("whoever is faster does nearly all of the work, however it is cut") {
  for (const std::uint64_t cut : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1'000'000}}) {
    ThreadTrial small(/*is_open=*/true);
    CHECK(work(small, 100'000, 2.0, 1.0, cut) < 2000);
    CHECK(small.one_is_faster());
    ThreadTrial large(/*is_open=*/true);
    CHECK(work(large, 100'000, 1.0, 2.0, cut) > 98'000);
    CHECK(!large.one_is_faster());
  }
}

TEST_CASE("work that grows is given to several threads, once they are faster") {
  ThreadTrial trial(/*is_open=*/true);
  CHECK(work(trial, 50'000, 2.0, 1.0, 100) < 2000);
  CHECK(work(trial, 100'000, 1.0, 2.0, 100) > 70'000);
}

TEST_CASE("a number of threads that was asked for is no matter of trial") {
  ThreadTrial trial(/*is_open=*/false);
  CHECK(trial.steps() == std::numeric_limits<std::uint64_t>::max());
  CHECK(work(trial, 10'000, 2.0, 1.0, 1000) == 10'000);
  CHECK(!trial.one_is_faster());
}

}  // namespace scree::thread_trial_test
