#include "dem/hard/lanes/table.hpp"

#ifdef __SSE2__
namespace scree::hard::lanes {

constinit const Kernels kTwo = table<2>();

}  // namespace scree::hard::lanes
#endif
