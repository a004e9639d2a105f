#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "parallel/threads.hpp"

namespace scree {

/// How many indices a range of ordered_sum has.
inline constexpr std::size_t kOrderedRange = 512;

/// Sum of part(begin, end) over ranges that together cover [0, n), on several threads if there are several ranges. The
/// ranges depend only on n and are summed in their order, so the sum is the same to the last bit for any number of
/// threads.
/// @param parts storage for the sums of the ranges, reused from call to call
template <class Sum, class Part>
Sum ordered_sum(std::size_t n, std::vector<Sum>& parts, const Part& part) {
  constexpr std::size_t kRange = kOrderedRange;
  parts.resize((n + kRange - 1) / kRange);
  const auto sum_up = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i != end; ++i) parts[i] = part(i * kRange, std::min((i + 1) * kRange, n));
  };
  if (parts.size() < 2) {
    sum_up(0, parts.size());
  } else {
    Threads::share(parts.size(), 1, std::cref(sum_up));
  }
  Sum sum{};
  for (const Sum& each : parts) sum += each;
  return sum;
}

}  // namespace scree
