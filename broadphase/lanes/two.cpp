#include "broadphase/lanes/moves.hpp"

#ifdef __SSE2__
namespace scree::box_lanes {

constinit const Kernels kTwo = table<2>();

}  // namespace scree::box_lanes
#endif
