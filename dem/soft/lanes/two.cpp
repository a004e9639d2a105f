#include "dem/soft/lanes/table.hpp"

#ifdef __SSE2__
namespace scree::soft::lanes {

constinit const PlainKernels kPlainTwo = plain_table<2>();
constinit const Kernels kTwo = table<2>(&kPlainTwo);

}  // namespace scree::soft::lanes
#endif
