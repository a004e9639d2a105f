#pragma once

#include <sleef.h>

#include "geometry/wide.hpp"

namespace scree::wide {

/// Sine and cosine of W angles [rad]: SLEEF's deterministic functions, whose results do not depend on the width.
template <int W>
SCREE_WIDE void sincos(const Number<W>& angle, Number<W>& sine, Number<W>& cosine) {
  if constexpr (W == 1) {
    const Sleef_double_2 both = Sleef_cinz_sincosd1_u10purec(angle.value);
    sine = both.x;
    cosine = both.y;
#ifdef __SSE2__
  } else if constexpr (W == 2) {
    const Sleef___m128d_2 both = Sleef_cinz_sincosd2_u10sse2(angle.value);
    sine = Number<2>(both.x);
    cosine = Number<2>(both.y);
#endif
#ifdef __AVX2__
  } else if constexpr (W == 4) {
    const Sleef___m256d_2 both = Sleef_cinz_sincosd4_u10avx(angle.value);
    sine = Number<4>(both.x);
    cosine = Number<4>(both.y);
#endif
  }
}

}  // namespace scree::wide
