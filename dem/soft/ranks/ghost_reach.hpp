#pragma once

#include "dem/periodic.hpp"
#include "geometry/aabb.hpp"
#include "geometry/vec.hpp"

/// How near a grain of another rank must be to be a ghost, and for how long it is one, where the periodic cell deforms.
///
/// Ghosts are renewed at a time 0. Since then the periods have become h = F h0, F upper triangular, and a grain i, at
/// X_i in unwrapped positions, has gone u_i = (X_i - c) - F (X_i0 - c) beside the flow about the centre c. The vector
/// from a grain a to the image of b that is n periods away is r = X_b + h n - X_a = F r0 + u_b - u_a; so it was
///
///     r0 = F^-1 (r + u_a - u_b).
///
/// Let |.| be the greater of two components. Boxes overlap only if |r| <= R_a + R_b, with bounding radii R. If every
/// |u| <= w, and q = max(1, |F^-1|), then |r0| <= q (R_a + R_b + 2 w), which is at most R_a + R_b + 2 slack as long as
///
///     q w + (q - 1) R <= slack                                                                                 (1)
///
/// with the greatest radius R of all. So b was within 2 slack of the box of a, which is in the extent of its owner's
/// grains: reaches_in_cell() was true, and b is a ghost there. Neither the flow's velocity nor that of the images
/// counts (rows slide past each other at any speed), only what the flow does over the distance of two grains: q grows
/// where lengths shrink or are sheared. A grain that is wrapped keeps its X; a tilt that is set back keeps all h n.
namespace scree::soft {

/// F: what a cell has become, from what it was. Its tilt may have been set back meanwhile.
Components deformation(const CellShape& before, const CellShape& now);
/// q of a deformation.
double greatest_approach(const Components& deformation);

/// Whether the box of this reach around a grain, or an image of it, meets an extent of others.
/// @pre centre and extent are in the domain, but for the radius of a grain, which is less than half a period
bool reaches_in_cell(const Periodic& periodic, const Vec2& centre, double reach, const Aabb2& extent);

}  // namespace scree::soft
