#pragma once

#include "dem/hard/exact/integers.hpp"

namespace scree::hard::exact {

/// The mirror image of a velocity in the line along r: the component along r stays, that across r is reversed, to
/// rounding. It is its own inverse to the last bit: mirrored(r, mirrored(r, v)) == v for all v. Each component keeps
/// its parity, so that half the difference of v and its image is whole.
///
/// The rotation to the normal is made of three shears, x += round(a y), y += round(b x), x += round(a y) with a =
/// -tan(angle / 2) and b = sin(angle) (A. W. Paeth, Proc. Graphics Interface '86, 77). Each shear has an exact inverse,
/// whatever its rounding, so rotation, mirror and rotation back are an involution. a and b come from r alone by whole
/// numbers, the same for r and -r.
///
/// @pre r is not 0, |r| < 2^62, |v| < 2^60
Vector mirrored(const Vector& r, const Vector& v);

}  // namespace scree::hard::exact
