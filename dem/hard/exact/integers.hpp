#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

/// Whole numbers of 64 bits, and of 128 bits where they are multiplied.
namespace scree::hard::exact {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// A position [units of length] or a velocity [units a tick].
using Vector = std::array<std::int64_t, 2>;

constexpr Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1]};
}
constexpr Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1]};
}
constexpr Vector operator-(const Vector& a) {
  return {-a[0], -a[1]};
}
constexpr Vector operator*(const Vector& a, std::int64_t s) {
  return {a[0] * s, a[1] * s};
}

constexpr Int128 product(std::int64_t a, std::int64_t b) {
  return static_cast<Int128>(a) * b;
}
/// @pre components below 2^62 in magnitude
constexpr Int128 dot(const Vector& a, const Vector& b) {
  return product(a[0], b[0]) + product(a[1], b[1]);
}
constexpr Int128 squared(const Vector& a) {
  return dot(a, a);
}

/// The greatest whole number whose square is at most n. @pre n < 2^126
///
/// Newton's step from the rounded root is right to a unit or two; the rest is counted off. So the result does not
/// depend on how the first guess was rounded.
inline std::uint64_t whole_root(UInt128 n) {
  if (n == 0) return 0;
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  if (root == 0) root = 1;
  root = static_cast<std::uint64_t>((root + n / root) >> 1);
  while (static_cast<UInt128>(root) * root > n) --root;
  while (static_cast<UInt128>(root + 1) * (root + 1) <= n) ++root;
  return root;
}

}  // namespace scree::hard::exact
