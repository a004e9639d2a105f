#include "tests/geometry/functions_in_lanes.hpp"

#include "parallel/lane_width.hpp"

namespace scree::test {

std::vector<OfWidth> functions_in_lanes() {
  std::vector<OfWidth> all = {{1, all_functions<1>}};
#ifdef __SSE2__
  all.push_back({2, all_functions<2>});
#endif
#ifdef __x86_64__
  if (has_lanes(4)) all.push_back({4, functions_in_four_lanes});
  if (has_lanes(8)) all.push_back({8, functions_in_eight_lanes});
#endif
  return all;
}

}  // namespace scree::test
