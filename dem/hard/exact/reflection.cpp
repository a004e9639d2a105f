#include "dem/hard/exact/reflection.hpp"

namespace scree::hard::exact {

namespace {

constexpr int kFraction = 62;  // bits of the coefficients of shears

/// Lifting steps of the rotation from the x-axis to a direction within a quarter turn of it.
struct Rotation {
  std::int64_t minus_tangent_of_half;  // [2^-62]
  std::int64_t sine;                   // [2^-62]
};

Rotation rotation_to(Vector r) {
  if (r[0] < 0 || (r[0] == 0 && r[1] < 0)) r = -r;
  const auto length = static_cast<Int128>(whole_root(static_cast<UInt128>(squared(r))));
  const Int128 y = static_cast<Int128>(r[1]) * (Int128{1} << kFraction);
  const Int128 along = length + r[0];
  return {static_cast<std::int64_t>(-y / along), static_cast<std::int64_t>(y / length)};
}

std::int64_t share(std::int64_t coefficient, std::int64_t x) {
  return static_cast<std::int64_t>((product(coefficient, x) + (Int128{1} << (kFraction - 1))) >> kFraction);
}

}  // namespace

Vector mirrored(const Vector& r, const Vector& v) {
  const auto [a, b] = rotation_to(r);
  const Vector parity{v[0] & 1, v[1] & 1};
  std::int64_t x = (v[0] - parity[0]) / 2;
  std::int64_t y = (v[1] - parity[1]) / 2;
  x -= share(a, y);
  y -= share(b, x);
  x -= share(a, y);
  y = -y;
  x += share(a, y);
  y += share(b, x);
  x += share(a, y);
  return {2 * x + parity[0], 2 * y + parity[1]};
}

}  // namespace scree::hard::exact
