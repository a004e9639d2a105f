#pragma once

#include <cstddef>
#include <functional>

#include "parallel/threads.hpp"

namespace scree {

/// Calls body(begin, end) for ranges that together cover [0, n), on several threads if n is large enough. The work for
/// one index must not depend on another index: then the result is the same for any number of threads.
template <class Body>
void parallel_for_ranges(std::size_t n, const Body& body) {
  constexpr std::size_t kGrain = 128;  // indices; they take a few microseconds in the cheapest stage
  if (n == 0) return;
  if (n < 2 * kGrain) return body(std::size_t{0}, n);
  Threads::share(n, kGrain, std::cref(body));
}

/// parallel_for_ranges for a body(i) that is called for every i < n.
template <class Body>
void parallel_for(std::size_t n, const Body& body) {
  parallel_for_ranges(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) body(i);
  });
}

}  // namespace scree
