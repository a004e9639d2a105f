#pragma once

#include <cstdint>

#include "broadphase/lanes/kernels.hpp"
#include "geometry/wide.hpp"

namespace scree::box_lanes {

/// Whether a box moves further than its limit; else it becomes the one of now.
template <int W>
SCREE_WIDE bool follows(double* box, const double* now, double limit) {
#ifdef __AVX2__
  if constexpr (W == 4) {
    const __m256d next = _mm256_loadu_pd(now);
    const __m256d moved = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(next, _mm256_loadu_pd(box)));
    if (_mm256_movemask_pd(_mm256_cmp_pd(moved, _mm256_set1_pd(limit), _CMP_GT_OQ)) != 0) return false;
    _mm256_storeu_pd(box, next);
    return true;
  }
#endif
  bool is_faster = false;
  for (int k = 0; k < 4; ++k) is_faster |= __builtin_fabs(now[k] - box[k]) > limit;
  if (is_faster) return false;
  for (int k = 0; k < 4; ++k) box[k] = now[k];
  return true;
}

template <int W>
std::uint32_t follow_slow(double* boxes, const double* now, const double* limit, std::uint32_t begin, std::uint32_t end,
                          std::uint32_t* faster) {
  std::uint32_t count = 0;
  for (std::uint32_t id = begin; id < end; ++id) {
    const std::size_t at = 4 * std::size_t{id};
    if (!follows<W>(boxes + at, now + at, limit[id])) [[unlikely]]
      faster[count++] = id;
  }
  return count;
}

template <int W>
constexpr Kernels table() {
  return {.width = W, .follow_slow = follow_slow<W>};
}

}  // namespace scree::box_lanes
