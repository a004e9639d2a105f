#pragma once

namespace scree::hard {

/// Begins to load a line of the cache from memory. The empty statement is needed: g++ 12 takes a function that only
/// prefetches for one without effects and leaves out its calls.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace scree::hard
