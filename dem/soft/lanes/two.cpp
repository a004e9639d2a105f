#include "dem/soft/lanes/table.hpp"

#ifdef __SSE2__
namespace scree::soft::lanes {

constinit const Kernels kTwo = table<2>();

}  // namespace scree::soft::lanes
#endif
