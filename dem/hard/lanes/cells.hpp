#pragma once

#include <cstdint>

#include "dem/hard/lanes/kernels.hpp"
#include "geometry/wide.hpp"

namespace scree::hard::lanes {

/// The circles of a block that overlap one of radius `reach` around (x, y), as bits.
template <int W>
SCREE_WIDE unsigned overlapping(const CellBlock& block, float x, float y, float reach) {
  if constexpr (W == 1) {
    unsigned bits = 0;
    for (unsigned k = 0; k < kInBlock; ++k) {
      const float dx = block.x[k] - x;
      const float dy = block.y[k] - y;
      const float sum = block.reach[k] + reach;
      bits |= (dx * dx + dy * dy <= sum * sum ? 1U : 0U) << k;
    }
    return bits;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const auto four = [&](unsigned from) __attribute__((always_inline)) {
      const __m128 dx = _mm_sub_ps(_mm_load_ps(block.x + from), _mm_set1_ps(x));
      const __m128 dy = _mm_sub_ps(_mm_load_ps(block.y + from), _mm_set1_ps(y));
      const __m128 sum = _mm_add_ps(_mm_load_ps(block.reach + from), _mm_set1_ps(reach));
      const __m128 square = _mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy));
      return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(square, _mm_mul_ps(sum, sum))));
    };
    return four(0) | four(4) << 4;
#endif
#ifdef __AVX2__
  } else {
    const __m256 dx = _mm256_sub_ps(_mm256_load_ps(block.x), _mm256_set1_ps(x));
    const __m256 dy = _mm256_sub_ps(_mm256_load_ps(block.y), _mm256_set1_ps(y));
    const __m256 sum = _mm256_add_ps(_mm256_load_ps(block.reach), _mm256_set1_ps(reach));
    const __m256 square = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(square, _mm256_mul_ps(sum, sum), _CMP_LE_OQ)));
#endif
  }
}

template <int W>
std::uint32_t find_around(const CellBlock* blocks, const CellView* views, std::uint32_t count, float reach,
                          std::uint32_t self, std::uint32_t* found) {
  std::uint32_t size = 0;
  for (const CellView* view = views; view != views + count; ++view) {
    const CellBlock& block = blocks[view->block];
    for (unsigned bits = overlapping<W>(block, view->x, view->y, reach); bits != 0; bits &= bits - 1) {
      const std::uint32_t disk = block.id[__builtin_ctz(bits)];
      found[size] = disk << 4 | view->image;
      size += disk != self ? 1 : 0;
    }
  }
  return size;
}

/// Where a number is in a list with room for kInLine, as bits.
template <int W>
SCREE_WIDE unsigned places_of(std::uint32_t number, const std::uint32_t* list) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(number));
    const auto eight = [&](std::uint32_t from) __attribute__((always_inline)) {
      const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + from));
      return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(here, wanted))));
    };
    return eight(0) | eight(kInLine - 8) << (kInLine - 8);
  }
#endif
  unsigned bits = 0;
  for (std::uint32_t k = 0; k < kInLine; ++k) bits |= (list[k] == number ? 1U : 0U) << k;
  return bits;
}

template <int W>
void compare(const std::uint32_t* a, std::uint32_t count_a, const std::uint32_t* b, std::uint32_t count_b,
             std::uint64_t* only_a, std::uint64_t* only_b) {
  const unsigned all = (1U << count_a) - 1;
  unsigned in_both = 0;
  std::uint64_t only = 0;
  for (std::uint32_t k = 0; k < count_b; ++k) {
    const unsigned places = places_of<W>(b[k], a) & all;
    in_both |= places;
    only |= std::uint64_t{places == 0 ? 1U : 0U} << k;
  }
  *only_a = all & ~in_both;
  *only_b = only;
}

}  // namespace scree::hard::lanes
