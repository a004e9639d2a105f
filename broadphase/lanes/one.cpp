#include "broadphase/lanes/moves.hpp"

namespace scree::box_lanes {

constinit const Kernels kOne = table<1>();

}  // namespace scree::box_lanes
