#include "dem/soft/lanes/table.hpp"

#ifdef __AVX2__
namespace scree::soft::lanes {

constinit const PlainKernels kPlainFour = plain_table<4>();
constinit const Kernels kFour = table<4>(&kPlainFour);

}  // namespace scree::soft::lanes
#endif
