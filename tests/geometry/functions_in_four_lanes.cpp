#include "tests/geometry/functions_in_lanes.hpp"

#ifdef __AVX2__
namespace scree::test {

void functions_in_four_lanes(const double* x, const double* y, int first, Results& results) {
  all_functions<4>(x, y, first, results);
}

}  // namespace scree::test
#endif
