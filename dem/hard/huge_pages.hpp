#pragma once

#include <cstddef>
#include <vector>

#ifdef __linux__
#include <cstdint>
#include <sys/mman.h>
#endif

namespace scree::hard {

/// Room for so many values, in huge pages where the system has them for those who ask: the arrays of a large gas are
/// read all over, and small pages miss the processor's table of addresses at nearly every event. Without effect on
/// values.
/// @pre the array is empty: pages that were touched stay as they are
template <class T>
void reserve_in_huge_pages(std::vector<T>& array, std::size_t count) {
  array.reserve(count);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (begin + array.capacity() * sizeof(T)) / kHugePage * kHugePage;
  if (last > first) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace scree::hard
