#pragma once

#include "dem/hard/exact/integers.hpp"

namespace scree::hard::exact {

/// Half a velocity, rounded down; its parity is what `doubled` adds again.
inline Vector half(const Vector& v) {
  return {v[0] >> 1, v[1] >> 1};
}
/// Twice u, with the parity of v.
inline Vector doubled(const Vector& u, const Vector& v) {
  return {2 * u[0] + (v[0] & 1), 2 * u[1] + (v[1] & 1)};
}

/// Coordinates along r, or -r, and across, to rounding. into and out_of are each other's inverse to the last bit.
///
/// The rotation to the normal is made of three shears, x += round(a y), y += round(b x), x += round(a y) with a =
/// -tan(angle / 2) and b = sin(angle) (A. W. Paeth, Proc. Graphics Interface '86, 77). Each shear has an exact inverse,
/// whatever its rounding. a and b come from r alone by whole numbers, the same for r and -r.
///
/// @pre r is not 0, |r| < 2^62; vectors below 2^60
class NormalFrame {
 public:
  explicit NormalFrame(Vector r);
  /// {along, across}; along x or, if that is 0, along y the normal points upward.
  Vector into(Vector v) const {
    v[0] -= share(minus_tangent_of_half_, v[1]);
    v[1] -= share(sine_, v[0]);
    v[0] -= share(minus_tangent_of_half_, v[1]);
    return v;
  }
  Vector out_of(Vector v) const {
    v[0] += share(minus_tangent_of_half_, v[1]);
    v[1] += share(sine_, v[0]);
    v[0] += share(minus_tangent_of_half_, v[1]);
    return v;
  }

 private:
  static constexpr int kFraction = 62;  // bits of the coefficients of shears
  static std::int64_t share(std::int64_t coefficient, std::int64_t x) {
    return static_cast<std::int64_t>((product(coefficient, x) + (Int128{1} << (kFraction - 1))) >> kFraction);
  }

  std::int64_t minus_tangent_of_half_;  // [2^-62]
  std::int64_t sine_;                   // [2^-62]
};

/// The mirror image of a velocity in the line along r: the component along r stays, that across r is reversed, to
/// rounding. It is its own inverse to the last bit: mirrored(r, mirrored(r, v)) == v for all v. Each component keeps
/// its parity, so that half the difference of v and its image is whole.
///
/// @pre r is not 0, |r| < 2^62, |v| < 2^60
Vector mirrored(const Vector& r, const Vector& v);

}  // namespace scree::hard::exact
