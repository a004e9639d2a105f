#include "parallel/lane_width.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
namespace scree {

bool has_lanes(int width) {
  if (width == 1) return true;
#ifdef __SSE2__  // or what stands for it in WebAssembly (web/)
  if (width == 2) return true;
#endif
#ifdef __x86_64__
  if (width == 4) return __builtin_cpu_supports("avx2") != 0;
  if (width == 8) {
    return __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512vbmi2") != 0;  // not used: processors without it lower their clock
  }
#endif
  return false;
}

int lane_width() {
  if (const char* const wanted = std::getenv("SCREE_LANES")) {
    for (const int width : {1, 2, 4, 8}) {
      if (wanted != std::to_string(width)) continue;
      if (has_lanes(width)) return width;
      throw std::invalid_argument("SCREE_LANES=" + std::to_string(width) + ": this processor has not got lanes of " +
                                  std::to_string(width));
    }
    throw std::invalid_argument("SCREE_LANES is '" + std::string(wanted) + "'; allowed: 1, 2, 4, 8");
  }
  for (const int width : {8, 4, 2}) {
    if (has_lanes(width)) return width;
  }
  return 1;
}

}  // namespace scree
