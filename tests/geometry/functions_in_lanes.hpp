#pragma once

#include <vector>

#include "geometry/wide_math.hpp"

namespace scree::test {

/// Of eight numbers.
struct Results {
  double sin[8];
  double cos[8];
  double exp[8];
  double log[8];
  double asinh[8];
  double atan2[8];
};

/// All functions of W numbers x, and of y and x, into places `first` and on.
using FunctionsInLanes = void (*)(const double* x, const double* y, int first, Results& results);

struct OfWidth {
  int width;
  FunctionsInLanes functions;
};
/// Those that the processor has.
std::vector<OfWidth> functions_in_lanes();
void functions_in_four_lanes(const double* x, const double* y, int first, Results& results);
void functions_in_eight_lanes(const double* x, const double* y, int first, Results& results);

template <int W>
SCREE_WIDE void all_functions(const double* x, const double* y, int first, Results& results) {
  using N = wide::Number<W>;
  const N a = N::load(x);
  N sine;
  N cosine;
  wide::sincos(a, sine, cosine);
  sine.store(results.sin + first);
  cosine.store(results.cos + first);
  wide::exp(a).store(results.exp + first);
  wide::log(a).store(results.log + first);
  wide::asinh(a).store(results.asinh + first);
  wide::atan2(N::load(y), a).store(results.atan2 + first);
}

}  // namespace scree::test
