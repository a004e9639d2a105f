#pragma once

#include <cstddef>

namespace scree::hard {

/// Disks: what is kept of more of them comes from memory mostly. Then it is worth while to load ahead.
constexpr std::size_t kMostInCache = 30000;

/// Begins to load a line of the cache from memory. The empty statement is needed: g++ 12 takes a function that only
/// prefetches for one without effects and leaves out its calls.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace scree::hard
