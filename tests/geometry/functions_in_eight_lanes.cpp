#include "tests/geometry/functions_in_lanes.hpp"

#ifdef __AVX512DQ__
namespace scree::test {

void functions_in_eight_lanes(const double* x, const double* y, int first, Results& results) {
  all_functions<8>(x, y, first, results);
}

}  // namespace scree::test
#endif
