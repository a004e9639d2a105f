#pragma once

#include <cstddef>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace scree {

/// Calls body(i) for every i < n, on several threads if there is enough to do. The calls must not depend on one
/// another: then the result is the same for any number of threads.
template <class Body>
void parallel_for(std::size_t n, const Body& body) {
  constexpr std::size_t kGrain = 256;  // indices; some 10 microseconds of the cheapest stage's work
  if (n < 2 * kGrain) {
    for (std::size_t i = 0; i < n; ++i) body(i);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, kGrain), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

}  // namespace scree
