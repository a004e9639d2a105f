#include "dem/random.hpp"

#include <cmath>
#include <numbers>

#include <Random123/philox.h>

#include "geometry/deterministic_math.hpp"

namespace scree {

double Random::uniform() {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const r123::Philox4x32::ctr_type counter = {{low(index_), high(index_), stream_, drawn_++}};
  const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
  const auto bits = r123::Philox4x32()(counter, key);
  const std::uint64_t joined = (std::uint64_t{bits[0]} << 32) | bits[1];
  return static_cast<double>(joined >> 11) * 0x1p-53;
}

double Random::uniform(double lo, double hi) {
  return lo + (hi - lo) * uniform();
}

int Random::integer(int least, int greatest) {
  return least + static_cast<int>(uniform() * (static_cast<double>(greatest) - least + 1.0));
}

std::array<double, 2> Random::normals() {
  const double radius = std::sqrt(-2.0 * deterministic::log(1.0 - uniform()));
  const auto [sin, cos] = deterministic::sincos(2.0 * std::numbers::pi * uniform());
  return {radius * cos, radius * sin};
}

}  // namespace scree
