#include "parallel/huge_pages.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace scree {

namespace {

[[maybe_unused]] constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;

}  // namespace

void give_large_arrays_their_own_pages() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kHugePage));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(4 * kHugePage));  // else it stays at 128 KiB, now that the other is set
#endif
}

void ask_for_huge_pages([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (address + bytes) / kHugePage * kHugePage;
  if (last > first) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace scree
