#include "broadphase/lanes/moves.hpp"

#ifdef __AVX2__
namespace scree::box_lanes {

constinit const Kernels kFour = table<4>();

}  // namespace scree::box_lanes
#endif
