#pragma once

namespace scree {

/// Whether the processor has lanes of so many numbers of double precision: 1, 2, 4 (AVX2), or 8 (AVX-512, where it
/// does not slow the processor down: Ice Lake, Zen 4 and later).
bool has_lanes(int width);

/// The widest lanes of the processor, or those of SCREE_LANES (1, 2, 4 or 8) in the environment.
/// @throws std::invalid_argument if SCREE_LANES is something else, or more than the processor has
int lane_width();

/// Which table of kernels is in use: for lanes of 1, 2, 4 or 8 numbers. That of lane_width() at first.
/// (Elsewhere than on x86-64 there is the first one only, in WebAssembly the second one, too.)
template <class Kernels, const Kernels& One, const Kernels& Two, const Kernels& Four, const Kernels& Eight = Four>
class KernelsByWidth {
 public:
  static const Kernels& chosen() { return *choice(); }
  /// @return false if the processor has not got lanes of this width: then nothing changes
  static bool choose(int width) {
    if (!has_lanes(width)) return false;
    choice() = of_width(width);
    return true;
  }

 private:
  static const Kernels* of_width(int width) {
#ifdef __SSE2__
    if (width == 2) return &Two;
#endif
#ifdef __x86_64__
    if (width == 4) return &Four;
    if (width == 8) return &Eight;
#endif
    return &One;
  }
  static const Kernels*& choice() {
    static const Kernels* kernels = of_width(lane_width());
    return kernels;
  }
};

}  // namespace scree
