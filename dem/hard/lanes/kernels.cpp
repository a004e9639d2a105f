#include "dem/hard/lanes/kernels.hpp"

#include "dem/lane_width.hpp"

namespace scree::hard::lanes {

namespace {

const Kernels* of_width(int width) {
#ifdef __x86_64__
  if (width == 2) return &kTwo;
  if (width == 4) return &kFour;
#endif
  return &kOne;
}

const Kernels*& chosen() {
  static const Kernels* kernels = of_width(lane_width());
  return kernels;
}

}  // namespace

const Kernels& kernels() {
  return *chosen();
}

bool use_lanes(int width) {
  if (!has_lanes(width)) return false;
  chosen() = of_width(width);
  return true;
}

}  // namespace scree::hard::lanes
