#pragma once

#include <cstdint>

#include "broadphase/lanes/kernels.hpp"
#include "geometry/wide.hpp"

namespace scree::box_lanes {

/// Whether none of N boxes moves further than its limit; then they become those of now.
template <int W, int N>
SCREE_WIDE bool follow(double* boxes, const double* now, const double* limit) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    __m256d next[N];
    __m256d faster = _mm256_setzero_pd();
    for (int k = 0; k < N; ++k) {
      next[k] = _mm256_loadu_pd(now + 4 * k);
      const __m256d moved =
          _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(next[k], _mm256_loadu_pd(boxes + 4 * k)));
      faster = _mm256_or_pd(faster, _mm256_cmp_pd(moved, _mm256_set1_pd(limit[k]), _CMP_GT_OQ));
    }
    if (_mm256_movemask_pd(faster) != 0) [[unlikely]]
      return false;
    for (int k = 0; k < N; ++k) _mm256_storeu_pd(boxes + 4 * k, next[k]);
    return true;
  }
#endif
  bool is_faster = false;
  for (int k = 0; k < 4 * N; ++k) is_faster |= __builtin_fabs(now[k] - boxes[k]) > limit[k / 4];
  if (is_faster) return false;
  for (int k = 0; k < 4 * N; ++k) boxes[k] = now[k];
  return true;
}

template <int W>
std::uint32_t follow_slow(double* boxes, const double* now, const double* limit, std::uint32_t begin, std::uint32_t end,
                          std::uint32_t* faster) {
  constexpr std::uint32_t kAtOnce = 4;
  std::uint32_t count = 0;
  for (std::uint32_t id = begin; id < end;) {
    const std::size_t at = 4 * std::size_t{id};
    if (id + kAtOnce <= end && follow<W, kAtOnce>(boxes + at, now + at, limit + id)) [[likely]] {
      id += kAtOnce;
      continue;
    }
    for (const std::uint32_t last = id + kAtOnce < end ? id + kAtOnce : end; id < last; ++id) {
      const std::size_t one = 4 * std::size_t{id};
      if (!follow<W, 1>(boxes + one, now + one, limit + id)) faster[count++] = id;
    }
  }
  return count;
}

template <int W>
constexpr Kernels table() {
  return {.width = W, .follow_slow = follow_slow<W>};
}

}  // namespace scree::box_lanes
