#include "parallel/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "parallel/parallel_for.hpp"

namespace scree::threads_test {

namespace {

/// How often a loop over n indices called its body for each.
std::vector<int> calls(std::size_t n) {
  std::vector<int> count(n, 0);
  parallel_for(n, [&](std::size_t i) { ++count[i]; });
  return count;
}

bool all_once(const std::vector<int>& count) {
  return std::all_of(count.begin(), count.end(), [](int c) { return c == 1; });
}

}  // namespace

TEST_CASE("a loop calls its body for every index once") {
  for (const int count : {1, 2, 3, 4}) {
    CAPTURE(count);
    Threads threads(count);
    CHECK(threads.count() == count);
    for (const std::size_t n : {0, 1, 127, 128, 255, 256, 257, 384, 385, 1000, 10007}) {
      CAPTURE(n);
      threads.run([&] { CHECK(all_once(calls(n))); });
    }
  }
  CHECK(all_once(calls(1000)));  // outside of any run(), too
}

TEST_CASE("who runs alone shares nothing, within another run or without") {
  const auto stays_here = [] {
    std::atomic<int> elsewhere = 0;
    const std::thread::id here = std::this_thread::get_id();
    Threads::run_alone([&] {
      CHECK(!Threads::are_several());
      parallel_for(100'000, [&](std::size_t) { elsewhere += std::this_thread::get_id() == here ? 0 : 1; });
    });
    return elsewhere == 0;
  };
  CHECK(stays_here());
  Threads threads(3);
  threads.run([&] {
    CHECK(stays_here());
    CHECK(Threads::are_several());
  });
}

TEST_CASE("as many threads as there are cores unless told") {
  CHECK(Threads(0).count() == static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

TEST_CASE("a loop within a loop calls its body as often as it should") {
  std::vector<std::vector<int>> count(600);
  Threads(3).run([&] { parallel_for(count.size(), [&](std::size_t i) { count[i] = calls(300); }); });
  CHECK(std::all_of(count.begin(), count.end(),
                    [](const auto& inner) { return inner.size() == 300 && all_once(inner); }));
}

TEST_CASE("a run within a run has its own threads, and the outer one its own again afterwards") {
  Threads outer(2);
  Threads inner(3);
  outer.run([&] {
    inner.run([] { CHECK(all_once(calls(1000))); });
    CHECK(all_once(calls(1000)));
  });
}

TEST_CASE("several run at a time") {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> users;
  for (const int count : {1, 2, 3}) {
    users.emplace_back([count, &wrong] {
      Threads threads(count);
      threads.run([&] {
        for (int k = 0; k < 50; ++k) wrong += all_once(calls(1000)) ? 0 : 1;
      });
    });
  }
  for (std::thread& user : users) user.join();
  CHECK(wrong == 0);
}

TEST_CASE("an exception of the work leaves run, and the threads can be used again") {
  Threads threads(2);
  CHECK_THROWS_AS(threads.run([] { throw std::runtime_error("stop"); }), std::runtime_error);
  threads.run([] { CHECK(all_once(calls(1000))); });
}

}  // namespace scree::threads_test
