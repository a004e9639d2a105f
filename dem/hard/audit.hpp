#pragma once

#include "dem/hard/view.hpp"

namespace scree::hard {

/// @throws DiskInTheWay if disks overlap each other or walls, or stick out of the domain, by more than rounding
///         explains. Cost: O(N), partners are checked.
void check_start(const View& view);

/// @throws PhysicsError if disks overlap each other or walls by more than rounding explains, or a disk is outside its
///         box or the domain, or on the wrong side of a well's edge. Cost: O(N^2): all pairs are checked.
void audit(const View& view);

}  // namespace scree::hard
