#include "dem/soft/lanes/kernels.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace scree::soft::lanes {

namespace {

const Kernels* of_width(int width) {
  if (width == 1) return &kOne;
#ifdef __x86_64__
  if (width == 2) return &kTwo;
  if (width == 4 && __builtin_cpu_supports("avx2")) return &kFour;
#endif
  return nullptr;
}

const Kernels* choose() {
  if (const char* const wanted = std::getenv("SCREE_LANES")) {
    for (const int width : {1, 2, 4}) {
      if (wanted != std::to_string(width)) continue;
      if (const Kernels* const found = of_width(width)) return found;
      throw std::invalid_argument(
          fmt::format("SCREE_LANES={}: this processor has not got lanes of {}", wanted, wanted));
    }
    throw std::invalid_argument(fmt::format("SCREE_LANES is '{}'; allowed: 1, 2, 4", wanted));
  }
  for (const int width : {4, 2}) {
    if (const Kernels* const found = of_width(width)) return found;
  }
  return &kOne;
}

const Kernels*& chosen() {
  static const Kernels* kernels = choose();
  return kernels;
}

}  // namespace

const Kernels& kernels() {
  return *chosen();
}

bool use_lanes(int width) {
  const Kernels* const found = of_width(width);
  if (found != nullptr) chosen() = found;
  return found != nullptr;
}

}  // namespace scree::soft::lanes
