#include "dem/soft/lanes/table.hpp"

#ifdef __AVX2__
namespace scree::soft::lanes {

constinit const Kernels kFour = table<4>();

}  // namespace scree::soft::lanes
#endif
