#include "tests/geometry/functions_in_lanes.hpp"

namespace scree::test {

std::vector<OfWidth> functions_in_lanes() {
  std::vector<OfWidth> all = {{1, all_functions<1>}};
#ifdef __SSE2__
  all.push_back({2, all_functions<2>});
#endif
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") != 0) all.push_back({4, functions_in_four_lanes});
#endif
  return all;
}

}  // namespace scree::test
